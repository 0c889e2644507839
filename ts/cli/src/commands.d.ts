/** proto/commands.json, put in by the bundler. */
declare module "cua:commands" {
  export const global: import("./table.js").Flag[];
  export const commands: import("./table.js").Command[];
}
