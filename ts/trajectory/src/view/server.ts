/**
 * The page served on loopback under a path nobody can guess: this recording's pictures and data, to this host's
 * own name, and nothing else. Ends by itself when the page is gone.
 */
import { randomBytes } from "node:crypto";
import { closeSync, createReadStream } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Opened } from "../folder.js";
import { TrajectoryError } from "../problem.js";
import { SERVED_POLICY, script, servedPage, style } from "./page.js";
import type { Steps } from "./steps.js";

export interface Serving {
  url: string;
  /** Resolves when it has ended, with the reason. */
  ended: Promise<"closed" | "idle" | "stopped">;
  stop(): void;
}

export interface Limits {
  /** After the last page went away. */
  closedMs: number;
  /** When no page was ever there. */
  idleMs: number;
}

export const LIMITS: Limits = { closedMs: 8_000, idleMs: 10 * 60_000 };

const HEADERS = {
  "Content-Security-Policy": SERVED_POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

export async function serve(steps: Steps, port: number, limits: Limits = LIMITS): Promise<Serving> {
  const token = randomBytes(18).toString("base64url");
  const pages = new Set<ServerResponse>();
  let end: (reason: "closed" | "idle" | "stopped") => void = () => {};
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number, reason: "closed" | "idle") => {
    clearTimeout(timer);
    timer = setTimeout(() => end(reason), ms);
  };
  const server = createServer((request, response) => {
    if (pages.size === 0) wait(limits.idleMs, "idle");
    answer(request, response, token, steps, (page) => {
      pages.add(page);
      clearTimeout(timer);
      page.on("close", () => {
        pages.delete(page);
        if (pages.size === 0) wait(limits.closedMs, "closed");
      });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port, exclusive: true }, resolve);
  });
  const ended = new Promise<"closed" | "idle" | "stopped">((resolve) => {
    end = (reason) => {
      clearTimeout(timer);
      server.close(() => resolve(reason));
      server.closeAllConnections();
    };
  });
  wait(limits.idleMs, "idle");
  return { url: `http://127.0.0.1:${portOf(server)}/${token}/`, ended, stop: () => end("stopped") };
}

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : 0;
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  steps: Steps,
  alive: (page: ServerResponse) => void,
): void {
  const reply = judge(request, token, steps);
  if (typeof reply === "number") {
    response.writeHead(reply, { ...HEADERS, "Content-Type": "text/plain; charset=utf-8" }).end(`${reply}\n`);
  } else if (reply === "alive") stayAlive(response, alive);
  else if ("film" in reply) sendFilm(request, response, reply.film);
  else {
    const length = Buffer.byteLength(reply.body);
    response
      .writeHead(200, { ...HEADERS, "Content-Type": reply.type, "Content-Length": length })
      .end(reply.body);
  }
}

/** What is sent: a status that refuses, a body, a film, or a stream that stays. */
type Reply = number | "alive" | { type: string; body: string | Buffer } | { film: Opened };

function judge(request: IncomingMessage, token: string, steps: Steps): Reply {
  const port = request.socket.localPort;
  const host = request.headers.host;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return 403;
  if (request.method !== "GET" && request.method !== "HEAD") return 405;
  const prefix = `/${token}/`;
  if (!request.url?.startsWith(prefix)) return 404;
  try {
    return route(request.url.slice(prefix.length), steps);
  } catch (error) {
    if (error instanceof TrajectoryError) return 404;
    throw error;
  }
}

function json(value: unknown): Reply {
  return value === undefined ? 404 : { type: "application/json", body: JSON.stringify(value) };
}

function route(path: string, steps: Steps): Reply {
  if (path === "") return { type: "text/html; charset=utf-8", body: servedPage() };
  if (path === "page.js") return { type: "text/javascript; charset=utf-8", body: script };
  if (path === "page.css") return { type: "text/css; charset=utf-8", body: style };
  if (path === "head") return json(steps.overview());
  if (path === "alive") return "alive";
  const rows = /^rows\/(\d{1,7})$/.exec(path);
  if (rows) return json(steps.rows(Number(rows[1])));
  const step = /^step\/(\d{1,7})$/.exec(path);
  if (step) return json(steps.detail(Number(step[1])));
  const picture = /^p\/([01])\/(\d{1,9})\/(before|click|after)$/.exec(path);
  if (picture) {
    const body = steps.picture(
      Number(picture[1]),
      Number(picture[2]),
      picture[3] as "before" | "click" | "after",
    );
    return body ? { type: "image/png", body } : 404;
  }
  const found = /^v\/([01])\/(\d{1,3})$/.exec(path);
  const film = found && steps.film(Number(found[1]), Number(found[2]));
  return film ? { film } : 404;
}

/** An event stream that lives as long as the page. */
function stayAlive(response: ServerResponse, alive: (page: ServerResponse) => void): void {
  response.writeHead(200, { ...HEADERS, "Content-Type": "text/event-stream" });
  response.write(": here\n\n");
  const beat = setInterval(() => response.write(": here\n\n"), 15_000);
  response.on("close", () => clearInterval(beat));
  alive(response);
}

/** A video, or the range of it that a player asks for. */
function sendFilm(request: IncomingMessage, response: ServerResponse, opened: Opened): void {
  const range = /^bytes=(\d{1,15})-(\d{1,15})?$/.exec(request.headers.range ?? "");
  const from = range ? Number(range[1]) : 0;
  const to = Math.min(range?.[2] === undefined ? opened.size - 1 : Number(range[2]), opened.size - 1);
  if (from > to) {
    closeSync(opened.fd);
    response.writeHead(416, { ...HEADERS, "Content-Range": `bytes */${opened.size}` }).end();
    return;
  }
  response.writeHead(range ? 206 : 200, {
    ...HEADERS,
    "Content-Type": "video/mp4",
    "Accept-Ranges": "bytes",
    "Content-Length": to - from + 1,
    ...(range ? { "Content-Range": `bytes ${from}-${to}/${opened.size}` } : {}),
  });
  if (request.method === "HEAD") {
    closeSync(opened.fd);
    response.end();
    return;
  }
  const stream = createReadStream("", { fd: opened.fd, start: from, end: to, autoClose: true });
  stream.on("error", () => response.destroy());
  response.on("close", () => stream.destroy());
  stream.pipe(response);
}
