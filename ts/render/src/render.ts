/** From a recording to a video file: chosen footage, one pass of ffmpeg, whole or not there at all. */
import { chmodSync, closeSync, mkdtempSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { checkTarget, said, type Trajectory, temporary, WriteError } from "@cua-driver/trajectory";
import { captionScript, pointerScript } from "./drawing.js";
import { graph } from "./expression.js";
import { FfmpegError, findTools, type Job, runPass, type Tools } from "./ffmpeg.js";
import { type Options, type Plan, plan } from "./plan.js";
import { type Footage, fromPictures, fromVideos } from "./source.js";

export type Kind = "mp4" | "gif" | "webp";

export interface Request {
  of: Trajectory;
  out: string;
  kind: Kind;
  /** Undefined: as far as suits the footage. */
  zoom: number | undefined;
  captions: boolean;
  speed: number;
  /** Use the pictures of the turns although there is a video. */
  pictures: boolean;
  onProgress?: (share: number) => void;
  signal?: AbortSignal;
  stallMs?: number;
}

export interface Rendered {
  file: string;
  width: number;
  height: number;
  durationMs: number;
  notes: string[];
}

const VIDEO_ZOOM = 1.8;
/** The picture of a window is near already. */
const PICTURE_ZOOM = 1.4;

/** Throws `FfmpegError` or `WriteError`; then `out` is as it was. */
export async function render(request: Request): Promise<Rendered> {
  checkTarget(request.out);
  const tools = await findTools();
  checkTools(tools, request);
  const work = mkdtempSync(join(tmpdir(), "cua-render-"));
  const part = temporary(request.out, extname(request.out) || `.${request.kind}`);
  try {
    const filmed =
      request.pictures || request.of.session.videos.length === 0 ? undefined : await fromVideos(request.of);
    const footage = filmed ?? fromPictures(request.of, work);
    const options: Options = {
      zoom: request.zoom ?? (filmed ? VIDEO_ZOOM : PICTURE_ZOOM),
      captions: request.captions,
      speed: request.speed,
    };
    const edit = plan(footage.source, options);
    reserve(part);
    await (request.kind === "mp4"
      ? film(request, tools, footage, edit, work, part, 1)
      : animate(request, tools, footage, edit, work, part));
    chmodSync(part, 0o600);
    renameSync(part, request.out);
    request.onProgress?.(1);
    return {
      file: request.out,
      width: edit.width,
      height: edit.height,
      durationMs: Math.round(edit.durationMs),
      notes: footage.notes,
    };
  } catch (error) {
    rmSync(part, { force: true });
    if (error instanceof Error && "code" in error && !(error instanceof FfmpegError))
      throw new WriteError(said(error, request.out));
    throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function checkTools(tools: Tools, request: Request): void {
  if (!tools.encoder)
    throw new FfmpegError("the installed ffmpeg has no H.264 encoder; install one built with libx264");
  if (!tools.ass)
    throw new FfmpegError(
      "the installed ffmpeg cannot draw (it has no ass filter); install one built with libass",
    );
  if (request.kind === "webp" && !tools.webp)
    throw new FfmpegError("the installed ffmpeg writes no WebP; use --gif or install one built with libwebp");
}

/** The private file that ffmpeg then writes into. */
function reserve(part: string): void {
  try {
    closeSync(openSync(part, "wx", 0o600));
  } catch (error) {
    throw new WriteError(said(error, part));
  }
}

function frames(edit: Plan): number {
  return Math.max(1, Math.round((edit.durationMs * edit.fps) / 1000));
}

/** The pass that does everything. `share` is the part of the whole work it is. */
function film(
  request: Request,
  tools: Tools,
  footage: Footage,
  edit: Plan,
  work: string,
  output: string,
  share: number,
): Promise<void> {
  writeFileSync(join(work, "pointer.ass"), pointerScript(edit), { mode: 0o600 });
  const captionFile = edit.captions.length > 0 ? "captions.ass" : undefined;
  if (captionFile) writeFileSync(join(work, captionFile), captionScript(edit), { mode: 0o600 });
  const text = graph(edit, {
    head: footage.head,
    pointerFile: "pointer.ass",
    ...(captionFile ? { captionFile } : {}),
  });
  writeFileSync(join(work, "graph.txt"), text, { mode: 0o600 });
  // A file, because a long recording's graph does not fit on a command line. Version 7 named the option anew.
  const script =
    tools.version !== undefined && tools.version < 7 ? "-filter_complex_script" : "-/filter_complex";
  const quality =
    tools.encoder === "libx264"
      ? ["-preset", "veryfast", "-crf", request.kind === "mp4" ? "21" : "14"]
      : ["-b:v", "4M"];
  const job: Job = {
    inputs: footage.inputs,
    options: [
      script,
      "graph.txt",
      "-map",
      "[out]",
      "-c:v",
      tools.encoder ?? "libx264",
      ...quality,
      "-r",
      String(edit.fps),
      "-movflags",
      "+faststart",
      "-f",
      "mp4",
    ],
    output,
    cwd: work,
    frames: frames(edit),
    onFrame: (frame) => request.onProgress?.((share * frame) / frames(edit)),
    ...limits(request),
  };
  return runPass(job);
}

function limits({ signal, stallMs }: Request): Pick<Job, "signal" | "stallMs"> {
  return { ...(signal ? { signal } : {}), ...(stallMs === undefined ? {} : { stallMs }) };
}

const WIDEST = 960;
const MOVING_FPS = 12.5;
const FILM_SHARE = 0.6;

/** A GIF or WebP from the film: its palette is of the whole, so the film must be whole first. */
async function animate(
  request: Request,
  tools: Tools,
  footage: Footage,
  edit: Plan,
  work: string,
  output: string,
): Promise<void> {
  const whole = join(work, "film.mp4");
  await film(request, tools, footage, edit, work, whole, FILM_SHARE);
  const count = Math.max(1, Math.round((edit.durationMs * MOVING_FPS) / 1000));
  const small = `fps=${MOVING_FPS},scale='min(${WIDEST},iw)':-2:flags=lanczos`;
  const onFrame = (frame: number) => request.onProgress?.(FILM_SHARE + ((1 - FILM_SHARE) * frame) / count);
  const base = {
    inputs: [{ file: whole, options: ["-f", "mp4"] }],
    output,
    cwd: work,
    frames: count,
    onFrame,
    ...limits(request),
  };
  if (request.kind === "webp") {
    await runPass({
      ...base,
      options: [
        "-vf",
        small,
        "-c:v",
        "libwebp",
        "-loop",
        "0",
        "-q:v",
        "70",
        "-compression_level",
        "2",
        "-f",
        "webp",
      ],
    });
    return;
  }
  const palette = join(work, "palette.png");
  await runPass({
    ...base,
    output: palette,
    onFrame: () => {},
    options: ["-vf", `${small},palettegen=stats_mode=diff`, "-frames:v", "1", "-update", "1"],
  });
  await runPass({
    ...base,
    inputs: [...base.inputs, { file: palette, options: ["-f", "png_pipe"] }],
    options: [
      "-filter_complex",
      `[0:v]${small}[a];[a][1:v]paletteuse=dither=bayer:bayer_scale=4:diff_mode=rectangle[out]`,
      "-map",
      "[out]",
      "-loop",
      "0",
      "-f",
      "gif",
    ],
  });
}
