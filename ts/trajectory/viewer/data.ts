/** Where the page gets things from: the little server beside it, or blocks of text inside it. */
import type { Detail, Film, Overview, Row } from "../src/view/model";

export interface Data {
  overview(): Promise<Overview>;
  rows(from: number): Promise<Row[]>;
  detail(step: number): Promise<Detail>;
  /** What an `img` can show. */
  picture(key: string): string | undefined;
  /** What a `video` can play. */
  film(film: Film): Promise<string | undefined>;
}

export function findData(page: Document): Data {
  return page.getElementById("head") ? embedded(page) : served();
}

function served(): Data {
  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(`the viewer has ended (${answer.status})`);
    return (await answer.json()) as T;
  };
  // Tells the server that somebody still looks.
  new EventSource("alive");
  return {
    overview: () => get("head"),
    rows: (from) => get(`rows/${from}`),
    detail: (step) => get(`step/${step}`),
    picture: (key) => key,
    film: async (film) => film.key,
  };
}

function embedded(page: Document): Data {
  const text = (id: string) => page.getElementById(id)?.textContent ?? undefined;
  const unpack = async <T>(id: string): Promise<T> => {
    const packed = text(id);
    if (packed === undefined) throw new Error(`${id} is missing in this file`);
    const stream = new Blob([bytes(packed)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text()) as T;
  };
  const films = new Map<string, string>();
  return {
    overview: () => unpack("head"),
    rows: (from) => unpack(`rows-${from}`),
    detail: (step) => unpack(`step-${step}`),
    picture(key) {
      const packed = text(key);
      return packed === undefined ? undefined : `data:image/png;base64,${packed}`;
    },
    async film({ key }) {
      if (key === undefined) return undefined;
      const known = films.get(key);
      if (known !== undefined) return known;
      const parts: Uint8Array<ArrayBuffer>[] = [];
      for (let n = 0; ; n++) {
        const packed = text(`${key}-${n}`);
        if (packed === undefined) break;
        parts.push(bytes(packed));
        // One piece at a time, so that the page stays answering.
        await new Promise((next) => setTimeout(next));
      }
      const made = URL.createObjectURL(new Blob(parts, { type: "video/mp4" }));
      films.set(key, made);
      return made;
    },
  };
}

function bytes(packed: string): Uint8Array<ArrayBuffer> {
  const raw = atob(packed);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}
