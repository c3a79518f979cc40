import { cutTo } from "../base/storable.ts";
import type { Transcript, TranscriptEntry } from "./transcript.ts";

/*
 * A transcript as a model reads it, and how a long one is cut; pure.
 *
 * The rule for long ones: what is longer than a part (about 100,000 tokens, less for models with a small window) is cut
 * between lines into as few parts as possible; each is analysed on its own, and the answers are then put together by asking
 * once more. Past MAX_PARTS nothing is analysed, and the execution says so.
 */

/** About 100,000 tokens, at four characters each. */
const MAX_PART_CHARACTERS = 400_000;
export const MAX_PARTS = 20;
/** What a tool's arguments or result may take of it. */
export const MAX_CALL_CHARACTERS = 2_000;

/** Half of what a model takes, so that prompt and answer fit beside it; `context_window` is in tokens. */
export const partCharacters = (context_window: number | null): number =>
  Math.min(MAX_PART_CHARACTERS, (context_window ?? Number.POSITIVE_INFINITY) * 2);

/** Something was said that could be analysed. */
export const hasWords = (transcript: Transcript): boolean =>
  transcript.some((entry) => entry.kind === "called" || entry.text.trim() !== "");

/** A line for each message or call. Further lines of one message are indented, so that nobody can speak as another. */
export function transcriptLines(transcript: Transcript): string[] {
  const began = transcript.map(secondsOf).find((seconds) => seconds !== null) ?? null;
  return transcript.map((entry) => `${clock(secondsOf(entry), began)}${line(entry)}`);
}

/** Lines joined into parts of at most this many characters; a line that is longer by itself is cut. */
export function transcriptParts(lines: string[], characters: number): string[] {
  const parts: string[] = [];
  let part = "";
  for (const piece of lines.flatMap((one) => cut(one, characters))) {
    if (part !== "" && part.length + 1 + piece.length > characters) {
      parts.push(part);
      part = piece;
    } else {
      part = part === "" ? piece : `${part}\n${piece}`;
    }
  }
  return part === "" ? parts : [...parts, part];
}

/** A cut line goes on indented like any other. */
function cut(text: string, characters: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > characters) {
    const piece = cutTo(rest, characters);
    pieces.push(piece.toWellFormed());
    rest = `  ${rest.slice(piece.length)}`;
  }
  return [...pieces, rest.toWellFormed()];
}

function line(entry: TranscriptEntry): string {
  if (entry.kind === "said") return `${speaker(entry.role)}: ${indented(entry.text)}`;
  const outcome = entry.error === null ? shortJson(entry.result) : `failed: ${entry.error}`;
  return `(The agent called ${indented(entry.tool_name)}(${shortJson(entry.arguments)}) → ${indented(outcome)})`;
}

/** When something began, in seconds; null where nobody wrote it down. */
function secondsOf({ start_time }: TranscriptEntry): number | null {
  if (typeof start_time === "number") return start_time;
  if (start_time === null) return null;
  const seconds = Number(start_time);
  if (Number.isFinite(seconds)) return seconds;
  const at = Date.parse(start_time);
  return Number.isNaN(at) ? null : at / 1000;
}

/** "[0:07] ", the time since the first thing said or done. */
function clock(seconds: number | null, began: number | null): string {
  if (seconds === null || began === null) return "";
  const passed = Math.max(0, Math.floor(seconds - began));
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(passed / 3600);
  const minutes = Math.floor((passed % 3600) / 60);
  return `[${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(passed % 60)}] `;
}

/** One word or two: "User", "Agent", "Speaker 0". */
const speaker = (role: string): string => {
  const word = cutTo(role.replace(/[^\p{L}\p{M}\p{N} _-]/gu, ""), 40) || "Somebody";
  return word.charAt(0).toUpperCase() + word.slice(1);
};

const indented = (text: string): string => text.replace(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/g, "\n  ");

function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.length > MAX_CALL_CHARACTERS ? `${cutTo(text, MAX_CALL_CHARACTERS)}…`.toWellFormed() : text;
}
