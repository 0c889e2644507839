/** What is drawn over the picture, as subtitles that ffmpeg's libass paints: captions, the pointer, click rings. */
import type { Caption, Glide, Plan, Ring } from "./plan.js";

function head(width: number, height: number, styles: string[]): string {
  return [
    "[Script Info]",
    "ScriptType: v4.00+",
    "WrapStyle: 0",
    "ScaledBorderAndShadow: yes",
    `PlayResX: ${width}`,
    `PlayResY: ${height}`,
    "",
    "[V4+ Styles]",
    "Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding",
    ...styles,
    "",
    "[Events]",
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text",
    "",
  ].join("\n");
}

function clock(ms: number): string {
  const all = Math.max(0, Math.round(ms / 10));
  const two = (value: number) => String(value).padStart(2, "0");
  return `${Math.floor(all / 360_000)}:${two(Math.floor(all / 6000) % 60)}:${two(Math.floor(all / 100) % 60)}.${two(all % 100)}`;
}

function line(layer: number, fromMs: number, toMs: number, style: string, text: string): string {
  return `Dialogue: ${layer},${clock(fromMs)},${clock(toMs)},${style},,0,0,0,,${text}\n`;
}

/** Recorded text that starts no command of the subtitle language. */
export function harmless(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .replaceAll("\\", "⧵")
    .replaceAll("{", "｛")
    .replaceAll("}", "｝")
    .trim();
}

const LONGEST = 110;

/** Captions at the bottom, large enough to be read in a small picture. */
export function captionScript(plan: Plan): string {
  const size = Math.round(Math.max(plan.height / 20, plan.width / 36, 14));
  const pad = Math.round(size * 0.35);
  // Border style 4 is one box around all lines of a caption, as wide as the shadow says.
  const style = (name: string, box: string) =>
    `Style: ${name},Sans,${size},&H00FFFFFF,&H00FFFFFF,&H60000000,${box},1,0,0,0,100,100,0,0,4,1,${pad},2,${size},${size},${Math.round(size * 0.9)},1`;
  const styles = [style("Good", "&H30201812"), style("Bad", "&H301C1C8C")];
  const lines = plan.captions.map((caption: Caption) => {
    const text = harmless(caption.text);
    const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
    return line(5, caption.fromMs, caption.toMs, caption.bad ? "Bad" : "Good", `{\\q0}${cut}`);
  });
  return head(plan.width, plan.height, styles) + lines.join("");
}

const ARROW = "m 0 0 l 0 17 l 4 13 l 7 19.5 l 9.6 18.4 l 6.7 12.2 l 12 12 l 0 0";
/** A circle of radius 10 whose box starts at 0,0, so that it can be put down by its middle. */
const CIRCLE = "m 10 0 b 15.5 0 20 4.5 20 10 b 20 15.5 15.5 20 10 20 b 4.5 20 0 15.5 0 10 b 0 4.5 4.5 0 10 0";

/** The pointer and a ring where it clicked, in the pixels of the source: the camera comes after. */
export function pointerScript(plan: Plan): string {
  const scale = Math.max(1, Math.min(plan.height / 600, 4));
  const styles = [
    "Style: P,Sans,10,&H00FFFFFF,&H00FFFFFF,&H00202020,&H80000000,0,0,0,0,100,100,0,0,1,1.4,1,7,0,0,0,1",
  ];
  const percent = Math.round(scale * 100);
  const glides = plan.pointer.map((glide: Glide) => {
    const where = `\\move(${xy(glide.from)},${xy(glide.to)})`;
    return line(
      3,
      glide.fromMs,
      glide.toMs,
      "P",
      `{\\an7${where}\\fscx${percent}\\fscy${percent}\\p1}${ARROW}`,
    );
  });
  const rings = plan.rings.flatMap((ring) => ringLines(ring, percent));
  return head(plan.width, plan.height, styles) + rings.join("") + glides.join("");
}

const RING_MS = 620;

/** A ring that grows and fades; two of them for a double click. */
function ringLines(ring: Ring, percent: number): string[] {
  const one = (delay: number) => {
    const start = `\\an5\\pos(${xy(ring)})\\1a&HFF&\\3c&H2E6BFF&\\bord3\\shad0\\fscx${percent}\\fscy${percent}`;
    const grow = `\\t(0,${RING_MS},0.6,\\fscx${percent * 3}\\fscy${percent * 3}\\3a&HFF&)`;
    return line(2, ring.ms + delay, ring.ms + delay + RING_MS, "P", `{${start}${grow}\\p1}${CIRCLE}`);
  };
  const dot = `{\\an5\\pos(${xy(ring)})\\1c&H2E6BFF&\\1a&H60&\\bord0\\shad0\\fscx${percent}\\fscy${percent}\\fad(0,250)\\p1}${CIRCLE}`;
  const all = [line(1, ring.ms, ring.ms + RING_MS, "P", dot), one(0)];
  return ring.double ? [...all, one(180)] : all;
}

function xy({ x, y }: { x: number; y: number }): string {
  return `${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}`;
}
