import { z } from "zod";
import { parseInput } from "../api/input/parse-input.ts";
import { jsonExcess } from "../base/json-size.ts";
import { tryParseJson } from "../base/parse-json.ts";

/** One line of a recording's transcript, as `transcribe` leaves it. */
export type Spoken = { role: string; content: string; start_time: string | number | null };

/*
 * Transcripts that come as text, in the spellings people have them in; pure.
 *   JSON   [{"role": "agent", "content": "Hello", "start_time": 0}], alone or under "transcript"
 *   VTT, SRT   subtitles; a speaker as <v Name> or "Name: words"
 *   text   a line each: "Agent: Hello", "[0:12] Agent: Hello"; lines without a name go on with the one before
 */
export const TEXT_TYPES: ReadonlySet<string> = new Set(["application/json", "text/vtt", "text/plain"]);

/** More is no transcript of a call: a day of talk has 1 MB. */
export const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** The kind a file of words is named as; null: by its name no transcript. Pure. */
export function textType(filename: string): { extension: string; media_type: string } | null {
  const extension = /\.(json|vtt|srt|txt)$/i.exec(filename)?.[1]?.toLowerCase();
  switch (extension) {
    case "json":
      return { extension, media_type: "application/json" };
    case "vtt":
    case "srt":
      return { extension, media_type: "text/vtt" };
    case "txt":
      return { extension, media_type: "text/plain" };
    default:
      return null;
  }
}

/** Four days of talk. 16 MB of short lines took five seconds to read. */
const MOST_LINES = 100_000;

/** null: not a transcript in any of these spellings, or more than anybody says. */
export function readTextTranscript(text: string, media_type: string): Spoken[] | null {
  const body = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  if (hasMoreLines(body, MOST_LINES)) return null;
  switch (media_type) {
    case "application/json":
      return fromJson(body);
    case "text/vtt":
      return fromSubtitles(body);
    default:
      return fromLines(linesOf(body));
  }
}

function hasMoreLines(text: string, most: number): boolean {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) if (++lines > most) return true;
  return false;
}

/** Words with who said them, as an upload or a transcription has them. */
export const Lines = z.array(
  z.object({
    role: z.string(),
    content: z.string(),
    start_time: z.union([z.string(), z.number()]).nullish(),
  }),
);
const Document = z.union([Lines, z.object({ transcript: Lines }).transform(({ transcript }) => transcript)]);

/** 25,000 lines, which are two days of talk. Unmeasured, 16 MB of empty objects took the process's whole memory. */
const MOST_JSON = { levels: 100, values: 100_000, names: 1_000 };

function fromJson(text: string): Spoken[] | null {
  if (jsonExcess(text, MOST_JSON)) return null;
  const read = parseInput(Document, tryParseJson(text));
  return read.ok
    ? read.data.map(({ role, content, start_time }) => ({ role, content, start_time: start_time ?? null }))
    : null;
}

const CUE_TIMES = /^(?:(\d+):)?(\d{1,2}):(\d{2})[.,](\d{3}) -->/;

/** Cues are blocks of lines with an empty one between them; the line with the arrow holds the times. */
function fromSubtitles(text: string): Spoken[] {
  const cues = text.split(/\n{2,}/).flatMap((block) => {
    const lines = block.split("\n");
    const at = lines.findIndex((line) => CUE_TIMES.test(line));
    if (at < 0) return [];
    const [, hours = "0", minutes, seconds, ms] = CUE_TIMES.exec(lines[at] as string) as string[];
    const start_time = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(ms) / 1000;
    const words = lines
      .slice(at + 1)
      .join(" ")
      .trim();
    // Each linear, whatever the words: a tag that never ends is looked at once.
    const line = words.replace(/^<v(?:\.[^\s>]*)?\s+([^\s>][^>]*)>/, "$1: ").replace(/<[^<>]*>/g, "");
    return [{ start_time, line }];
  });
  return fromLines(cues);
}

/** One at a time. */
function* linesOf(text: string): Generator<TranscriptLine> {
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end;
    yield { start_time: null, line: text.slice(from, to) };
    from = to + 1;
  }
}

type TranscriptLine = { start_time: number | null; line: string };

const CLOCK = /^\s*\[?(?:(\d+):)?(\d{1,2}):(\d{2})(?:[.,]\d+)?\]?\s+/;
const SPEAKER = /^\s*(\p{L}[\p{L}\p{M}\p{N} ._'’-]{0,39})[:：]\s*(.*)$/u;

function fromLines(lines: Iterable<TranscriptLine>): Spoken[] {
  const spoken: Spoken[] = [];
  for (const { start_time, line } of lines) {
    const clock = CLOCK.exec(line);
    const words = clock ? line.slice(clock[0].length) : line;
    if (words.trim() === "") continue;
    const [, hours, minutes, seconds] = clock ?? [];
    const at = clock ? Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds) : start_time;
    const named = SPEAKER.exec(words);
    const before = spoken.at(-1);
    if (named) spoken.push({ role: named[1] as string, content: named[2] as string, start_time: at });
    else if (before && at === null) before.content = `${before.content}\n${words.trim()}`;
    else spoken.push({ role: before?.role ?? "speaker", content: words.trim(), start_time: at });
  }
  return spoken;
}
