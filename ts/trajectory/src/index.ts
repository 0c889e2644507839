/** Recordings of cua-driver: reading, comparing, looking. Files in, files out; no driver. */
export { type Flag, Given, nearest, parseArgs, type Spec, Usage } from "./args.js";
export { DEFAULTS, type Difference, KINDS, type Kind, type Thresholds } from "./diff/compare.js";
export { type Diff, diff, label, type Standing, sentence, type TurnDiff } from "./diff/diff.js";
export { asJson, asJunit, asText } from "./diff/report.js";
export { type Found, findRecordings, recordingIn } from "./find.js";
export { LIMIT, said, size } from "./folder.js";
export { type Command, fail, guarded, type Io, pathOf, processIo } from "./io.js";
export { type Json, type JsonObject, list, member, number, object, objects, text } from "./json.js";
export { comparePictures, heatPicture, type PictureDifference } from "./picture.js";
export { BadPicture, decodePng, encodePng, type Picture, type PngSize, pngSize, shrink } from "./png.js";
export { type Problem, type ProblemCode, TrajectoryError } from "./problem.js";
export { open, type StateName, Trajectory, Turn } from "./read.js";
export { compareTrees, frameOf, readState, type TreeRow } from "./tree.js";
export * from "./types.js";
export { headline, plain, type Subject, subject } from "./words.js";
export { checkTarget, makeFolder, temporary, WriteError, writeFile } from "./write.js";
