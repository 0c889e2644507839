/** The pictures of a turn, or the video in step with it. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Film, Head, Side } from "../src/view/model";
import type { Data } from "./data";
import { Text } from "./text";

export type Showing = "before" | "click" | "after" | "both" | "video";
export const SHOWINGS: Showing[] = ["before", "click", "after", "both", "video"];
export const SHOWING_WORD: Record<Showing, string> = {
  before: "Before",
  click: "Click",
  after: "After",
  both: "Before and after",
  video: "Video",
};

interface StageProps {
  data: Data;
  head: Head;
  /** `A` or `B` where there are two. */
  name: string | undefined;
  side: Side | undefined;
  showing: Showing;
  /** The video got to this time of the recording. */
  onTime: (ms: number) => void;
}

export function Stage({ data, head, name, side, showing, onTime }: StageProps) {
  const title =
    name === undefined ? null : (
      <div class="stage-name">
        {name}: <Text of={head.name} limit={80} />
      </div>
    );
  return (
    <div class="stage">
      {title}
      {showing === "video" ? (
        <Video data={data} films={head.films} side={side} onTime={onTime} />
      ) : (
        <Pictures data={data} side={side} showing={showing} />
      )}
    </div>
  );
}

function Pictures({
  data,
  side,
  showing,
}: {
  data: Data;
  side: Side | undefined;
  showing: Exclude<Showing, "video">;
}) {
  if (!side) return <p class="none">No such turn in this recording.</p>;
  // A turn without a click has no click picture: its point was chosen in the picture before.
  const which =
    showing === "both"
      ? (["before", "after"] as const)
      : showing === "click" && side.pictures.click === undefined
        ? (["before"] as const)
        : ([showing] as const);
  return (
    <div class="pictures">
      {which.map((one) => (
        <Picture key={one} data={data} side={side} which={one} caption={which.length > 1} />
      ))}
    </div>
  );
}

function Picture({
  data,
  side,
  which,
  caption,
}: {
  data: Data;
  side: Side;
  which: "before" | "click" | "after";
  caption: boolean;
}) {
  const key = side.pictures[which];
  const source = key === undefined ? undefined : data.picture(key);
  const [broken, setBroken] = useState<string>();
  if (source === undefined)
    return <p class="none">There is no picture {which === "click" ? "of the click" : which}.</p>;
  if (broken === key)
    return <p class="none">The picture {which === "click" ? "of the click" : which} is broken.</p>;
  return (
    <figure>
      {caption ? <figcaption>{SHOWING_WORD[which]}</figcaption> : null}
      <img
        class="shot"
        src={source}
        alt={`${SHOWING_WORD[which]}, turn ${side.turn}`}
        decoding="async"
        onError={() => setBroken(key)}
      />
    </figure>
  );
}

/** The last film that had begun. */
function filmAt(films: Film[], ms: number): Film | undefined {
  return [...films].reverse().find((film) => film.startMs <= ms) ?? films[0];
}

function Video({
  data,
  films,
  side,
  onTime,
}: {
  data: Data;
  films: Film[];
  side: Side | undefined;
  onTime: (ms: number) => void;
}) {
  const player = useRef<HTMLVideoElement>(null);
  const [source, setSource] = useState<string>();
  const film = filmAt(films, side?.startMs ?? 0);
  useEffect(() => {
    let here = true;
    setSource(undefined);
    if (film) {
      void data.film(film).then((made) => {
        if (here) setSource(made);
      });
    }
    return () => {
      here = false;
    };
  }, [film?.key]);
  // While it plays it leads; while it stands it follows the chosen turn.
  useEffect(() => {
    const element = player.current;
    if (!element || !film || side?.startMs === undefined || !element.paused) return;
    element.currentTime = Math.max(0, (side.startMs - film.startMs) / 1000);
  }, [side?.turn, source]);
  if (!film) return <p class="none">This recording has no video.</p>;
  if (film.left !== undefined) {
    return (
      <p class="none">
        <Text of={film.name} limit={80} /> {film.left}.
      </p>
    );
  }
  if (source === undefined) return <p class="none">Loading the video…</p>;
  const told = () => {
    const element = player.current;
    if (element && !element.paused) onTime(film.startMs + element.currentTime * 1000);
  };
  return (
    <video
      ref={player}
      class="shot"
      src={source}
      controls
      muted
      playsInline
      preload="auto"
      aria-label="Video of the recording"
      onTimeUpdate={told}
    />
  );
}
