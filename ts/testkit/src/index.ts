export { BUNDLE, Lines, type Message, within } from "./lines.js";
export { type Asked, refused, replied, type StandIn, type StandInOptions, standIn } from "./stand-in.js";
