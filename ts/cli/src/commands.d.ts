/** proto/commands.json, put in by the bundler. */
declare module "cua:commands" {
  const table: import("./table.js").Table;
  export default table;
}
