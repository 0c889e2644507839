/** The only file that knows how ffmpeg is run: found, asked, watched, ended. */
import { execFile } from "node:child_process";
import ffmpeg from "fluent-ffmpeg";

/** ffmpeg could not do it; the message says why and what helps. */
export class FfmpegError extends Error {}

export interface Tools {
  /** Major version; undefined for builds that carry none. */
  version: number | undefined;
  encoder: "libx264" | "libopenh264" | undefined;
  /** It can paint subtitles, and so captions and the pointer. */
  ass: boolean;
  webp: boolean;
}

const ASK_MS = 10_000;

function ask(program: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      program,
      args,
      { timeout: ASK_MS, killSignal: "SIGKILL", maxBuffer: 16 << 20 },
      (error, out, err) => {
        if (!error) return resolve(out);
        if (error.killed)
          return reject(new FfmpegError(`${program} does not answer (waited ${ASK_MS / 1000} s)`));
        if ("code" in error && ["ENOENT", "EACCES", "EPERM", "ENOEXEC"].includes(String(error.code)))
          return reject(new FfmpegError(missing(program)));
        reject(new FfmpegError(`${program}: ${lastLines(err) || error.message}`));
      },
    );
  });
}

/** How a missing program is brought. */
function missing(program: string): string {
  const command =
    process.platform === "darwin"
      ? "brew install ffmpeg"
      : process.platform === "win32"
        ? "winget install Gyan.FFmpeg"
        : "sudo apt install ffmpeg";
  return `${program} is missing or cannot be run; install it: ${command}`;
}

/** What the installed ffmpeg can do; throws `FfmpegError` when there is none that answers. */
export async function findTools(): Promise<Tools> {
  const head = await ask("ffmpeg", ["-hide_banner", "-version"]);
  const [encoders, filters] = await Promise.all([
    ask("ffmpeg", ["-hide_banner", "-encoders"]),
    ask("ffmpeg", ["-hide_banner", "-filters"]),
  ]);
  const has = (list: string, name: string) => new RegExp(`^\\s*\\S+\\s+${name}\\s`, "m").test(list);
  const version = /^ffmpeg version n?(\d+)\./.exec(head)?.[1];
  return {
    version: version === undefined ? undefined : Number(version),
    encoder: has(encoders, "libx264") ? "libx264" : has(encoders, "libopenh264") ? "libopenh264" : undefined,
    ass: has(filters, "ass"),
    webp: has(encoders, "libwebp_anim") || has(encoders, "libwebp"),
  };
}

export interface VideoFacts {
  width: number;
  height: number;
  durationMs: number;
}

/** Size and length of an MP4; throws `FfmpegError` with what is wrong with it. */
export async function probeVideo(file: string): Promise<VideoFacts> {
  const args = ["-v", "error", "-f", "mp4", "-protocol_whitelist", "file", "-select_streams", "v:0"];
  const out = await ask("ffprobe", [
    ...args,
    "-show_entries",
    "stream=width,height:format=duration",
    "-of",
    "json",
    file,
  ]);
  const facts = JSON.parse(out) as {
    streams?: { width?: number; height?: number }[];
    format?: { duration?: string };
  };
  const [stream, seconds] = [facts.streams?.[0], Number(facts.format?.duration)];
  if (!stream?.width || !stream.height) throw new FfmpegError("holds no video");
  if (!Number.isFinite(seconds) || seconds <= 0) throw new FfmpegError("has no length");
  return { width: stream.width, height: stream.height, durationMs: seconds * 1000 };
}

export interface Input {
  file: string;
  options: string[];
}

export interface Job {
  inputs: Input[];
  options: string[];
  output: string;
  /** Working directory: names in filters are relative to it. */
  cwd: string;
  frames: number;
  onFrame?: (frame: number) => void;
  signal?: AbortSignal;
  /** Ended when no further frame came for this long. */
  stallMs?: number;
}

const STALL_MS = 60_000;

/** Run one pass; throws `FfmpegError`, also when it hangs or the signal ends it. */
export function runPass(job: Job): Promise<void> {
  return new Promise((resolve, reject) => {
    // No presets are used; naming a folder keeps the package from looking for its own beside a bundle.
    const command = ffmpeg({ cwd: job.cwd, presets: job.cwd });
    for (const input of job.inputs) command.input(input.file).inputOptions(...input.options);
    command.outputOptions("-hide_banner", "-nostdin", "-an", "-sn", ...job.options).output(job.output);
    let done = false;
    let frame = -1;
    let watch: NodeJS.Timeout | undefined;
    const finish = (error?: Error) => {
      if (done) return;
      done = true;
      clearTimeout(watch);
      job.signal?.removeEventListener("abort", abort);
      if (error) reject(error);
      else resolve();
    };
    const end = (error: Error) => {
      command.kill("SIGKILL");
      finish(error);
    };
    const abort = () => end(new FfmpegError("cancelled"));
    const alive = () => {
      clearTimeout(watch);
      const stall = job.stallMs ?? STALL_MS;
      watch = setTimeout(
        () => end(new FfmpegError(`ffmpeg made no progress for ${stall / 1000} s and was ended`)),
        stall,
      );
    };
    if (job.signal?.aborted) return finish(new FfmpegError("cancelled"));
    job.signal?.addEventListener("abort", abort);
    alive();
    command.on("progress", (progress: { frames?: number }) => {
      const now = progress.frames ?? frame;
      if (now <= frame) return;
      frame = now;
      alive();
      job.onFrame?.(Math.min(frame, job.frames));
    });
    command.on("error", (error: Error, _out, stderr) =>
      finish(new FfmpegError(reason(error, typeof stderr === "string" ? stderr : ""))),
    );
    command.on("end", () => finish());
    command.run();
  });
}

function reason(error: Error, stderr: string): string {
  if (/Cannot find ffmpeg/i.test(error.message)) return missing("ffmpeg");
  if (/No space left/i.test(stderr)) return "the disk is full";
  return `ffmpeg failed: ${lastLines(stderr) || error.message}`;
}

/** The last lines of what it said, without its banner and progress. */
function lastLines(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).map((line) => line.trim());
  return lines
    .filter((line) => line !== "" && !/^(frame=|size=|ffmpeg version|Conversion failed)/.test(line))
    .slice(-2)
    .join("; ")
    .slice(0, 400);
}
