import type { TraceEntryResponse } from "../api-types.ts";
import { traceWords } from "./trace-words.ts";

/** Who spoke when, as our own line decided it: the silence that ended a turn, a cut, and what was no interruption. */
export type CallMark = {
  kind: "end-of-turn" | "cut" | "held" | "went-on";
  /** Into the recording; of a silence its end. */
  at_ms: number;
  /** Of the silence before it; 0: a moment. */
  since_ms: number;
  words: string;
};

const KINDS: Record<string, CallMark["kind"]> = {
  "stt: end of turn": "end-of-turn",
  "note: interrupted": "cut",
  "note: held: the caller spoke": "held",
  "note: went on": "went-on",
};

/** Seconds from the first recording's beginning to each one's; null where that is not known. */
export function recordingOffsets(
  recordings: readonly ({ began_at: string | null } | null)[],
): (number | null)[] {
  const began = recordings.map((one) => (one?.began_at ? new Date(one.began_at).getTime() : null));
  const [first = null] = began;
  return began.map((at, index) => {
    if (index === 0) return 0;
    return at === null || first === null ? null : (at - first) / 1000;
  });
}

/** What a session's trace tells of one recording, in its order. */
export function callMarks(
  entries: readonly TraceEntryResponse[],
  { began_at, duration_ms }: { began_at: string | null; duration_ms: number },
): CallMark[] {
  if (began_at === null) return [];
  const began = new Date(began_at).getTime();
  return entries
    .flatMap((entry): CallMark[] => {
      const kind = KINDS[`${entry.category}: ${entry.label}`];
      if (kind === undefined) return [];
      const since_ms = kind === "end-of-turn" ? (entry.duration_ms ?? 0) : 0;
      const at_ms = new Date(entry.timestamp).getTime() - began + since_ms;
      if (at_ms < 0 || at_ms > duration_ms) return [];
      return [{ kind, at_ms, since_ms, words: wordsOf(kind, entry) }];
    })
    .sort((a, b) => a.at_ms - b.at_ms);
}

function wordsOf(kind: CallMark["kind"], entry: TraceEntryResponse): string {
  if (kind === "held") return "The agent stops: the caller speaks.";
  const heard = entry.details?.heard;
  if (kind === "cut")
    return typeof heard === "string" && heard !== ""
      ? `Interrupted. The caller heard: “${heard}”`
      : "Interrupted before a word was heard.";
  const { line } = traceWords(entry);
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}.`;
}
