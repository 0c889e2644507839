export { BINARY, bare, type Daemon, type DaemonOptions, startDaemon } from "./daemon.js";
export { BUNDLE, Lines, type Message, within } from "./lines.js";
export { type Asked, refused, replied, type StandIn, type StandInOptions, standIn } from "./stand-in.js";
