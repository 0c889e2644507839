/** A video for people from a recording of cua-driver. */
export { type Camera, type Move, track, type View, viewAt } from "./camera.js";
export { FfmpegError } from "./ffmpeg.js";
export {
  type Caption,
  FPS,
  type Glide,
  type Mark,
  type Options,
  type Plan,
  plan,
  type Ring,
  type Source,
} from "./plan.js";
export { type Kind, type Rendered, type Request, render } from "./render.js";
export { type Piece, TimeMap } from "./time.js";
