/** The page around the script: its text, and the policy that lets nothing else run. */
import { createHash } from "node:crypto";
import { script, style } from "#page";

export { script, style };

export const TITLE = "Recording";

/** The page that is served: everything it needs lies beside it. */
export function servedPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${TITLE}</title>
<link rel="stylesheet" href="page.css">
<link rel="icon" href="data:,">
<script defer src="page.js"></script>
</head>
<body><div id="app"></div></body>
</html>
`;
}

export const SERVED_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "media-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** Runs the viewer's script, which stands in the page as inert text. */
const BOOT = `(()=>{const run=document.createElement("script"),text=atob(document.getElementById("program").textContent);run.append(new TextDecoder().decode(Uint8Array.from(text,(c)=>c.charCodeAt(0))));document.head.append(run)})()`;

function hash(text: string): string {
  return `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
}

/** The exported page up to where its data starts, and what closes it. Only these two scripts run in it. */
export function exportedPage(): { head: string; tail: string } {
  const policy = [
    "default-src 'none'",
    `script-src ${hash(BOOT)} ${hash(script)}`,
    `style-src ${hash(style)}`,
    "img-src data:",
    "media-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${TITLE}</title>
<style>${style}</style>
</head>
<body><div id="app"></div>
`;
  const program = `<script type="text/plain" id="program">${encoded(Buffer.from(script, "utf8"))}</script>\n`;
  return { head, tail: `${program}<script>${BOOT}</script>\n</body>\n</html>\n` };
}

/** Base64 without padding: nothing in it can end a script or look like an attribute. */
export function encoded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
