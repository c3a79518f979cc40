import type { TraceEntry } from "../events/trace.ts";
import type { AnsweredReport } from "./answered-ear.ts";

/** What a line that we hear ourselves tells beside what a carrier that listens for us would tell. For the trace. */
export type MediaReport =
  | { type: "end_of_turn"; text: string; silence_ms: number; reason: string }
  | { type: "held" }
  | { type: "went_on"; reason: string }
  /** They took the turn; `heard` is what they heard of our words. */
  | { type: "cut"; heard: string }
  /**
   * The first sound of an answer goes out: `making_ms` after its first words were known, and `mouth_to_ear_ms` after the
   * caller's voice ended; null where they had said nothing, as before a greeting.
   */
  | { type: "first_sound"; making_ms: number; mouth_to_ear_ms: number | null }
  /** An engine failed; what was done about it. */
  | { type: "engine"; message: string }
  | AnsweredReport;

/** What a line that we hear ourselves reports, as a session's trace keeps it. */
export function traceOfLine(report: MediaReport, at: Date): TraceEntry[] {
  const since = (ms: number) => ({ started: new Date(at.getTime() - ms), duration_ms: ms });
  switch (report.type) {
    case "end_of_turn": {
      const { silence_ms, reason } = report;
      return [{ category: "stt", label: "end of turn", ...since(silence_ms), details: { reason } }];
    }
    case "held":
      return [{ category: "note", label: "held: the caller spoke", started: at }];
    case "went_on": {
      const { reason } = report;
      return [{ category: "note", label: "went on", started: at, details: { reason } }];
    }
    case "cut": {
      const { heard } = report;
      return [{ category: "note", label: "interrupted", started: at, details: { heard } }];
    }
    case "first_sound": {
      const { making_ms, mouth_to_ear_ms } = report;
      const made: TraceEntry = { category: "tts", label: "first sound", ...since(making_ms) };
      if (mouth_to_ear_ms === null) return [made];
      return [made, { category: "note", label: "mouth to ear", ...since(mouth_to_ear_ms) }];
    }
    case "answered": {
      const { by, reason, after_ms } = report;
      const label = `answered by: ${by}`;
      return [{ category: "note", label, ...since(after_ms), details: { reason } }];
    }
    case "recording": {
      const { reason, waited_ms } = report;
      return [{ category: "note", label: "voicemail records", ...since(waited_ms), details: { reason } }];
    }
    case "engine": {
      const { message } = report;
      return [{ category: "note", label: "speech service", started: at, details: { message } }];
    }
    default:
      return report satisfies never;
  }
}
