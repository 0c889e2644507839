export { REFUSAL } from "./answer.js";
export { type ServeOptions, serve } from "./run.js";
export { makeServer } from "./server.js";
export { StdioTransport } from "./stdio.js";
