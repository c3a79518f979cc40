import type { TraceEntryResponse } from "../api-types.ts";

/** An entry of a session's trace for a person: a line that says what happened, and what more there is to read. */
type TraceWords = { line: string; isFault: boolean; more: Record<string, unknown> };

export function traceWords({
  category,
  label,
  metadata,
  details,
  duration_ms,
}: TraceEntryResponse): TraceWords {
  const told = details ?? {};
  const say = (line: string, more: Record<string, unknown> = {}, isFault = false): TraceWords => ({
    line,
    isFault,
    more,
  });
  switch (category) {
    case "llm": {
      const calls = (told.calls as string[] | undefined) ?? [];
      const tokens =
        told.input_tokens == null ? "" : `, ${told.input_tokens} → ${told.output_tokens ?? "–"} tokens`;
      if (told.error) return say(`${metadata?.[0] ?? "model"} failed: ${told.error}`, told, true);
      const did = calls.length > 0 ? `calls ${calls.join(", ")}` : "answers";
      return say(`${metadata?.[0] ?? "model"} ${did}${tokens}`, told);
    }
    case "tool":
      return told.error === undefined
        ? say(label, told)
        : say(`${label} failed: ${textOf(told.error)}`, told, true);
    case "http":
      return say(`${label}${told.status ? ` → ${told.status}` : ""}`, told, Number(told.status) >= 400);
    case "step":
      return say(
        stepLine(label, told),
        label === "variables" ? {} : told,
        Boolean(told.faults ?? told.error),
      );
    case "state":
      return say(changesOf(told));
    case "turn":
      return say(`turn ${label}`, told);
    case "stt":
      return say(
        `${label} after ${Math.round(duration_ms ?? 0)} ms: ${END_OF_TURN[textOf(told.reason)] ?? "silence"}`,
      );
    case "tts":
      return say(`${label} after ${Math.round(duration_ms ?? 0)} ms`, told);
    case "note":
      return say(noteLine(label, told, duration_ms), label === "went on" ? {} : told);
    case "error":
      return say(label, told, true);
    default:
      return say(label, told);
  }
}

/** Why a silence ended what the caller said. */
const END_OF_TURN: Record<string, string> = {
  choice: "one of the expected answers",
  complete: "silence after a whole sentence",
  answer: "silence after a short answer",
  engine: "the speech service heard its end",
  free: "silence",
  dictated: "silence after dictation",
  whole: "all characters were said",
  "goes-on": "silence after an unfinished sentence",
};

const WENT_ON: Record<string, string> = {
  backchannel: "the caller only agreed",
  "no-words": "a noise, no words",
};

function noteLine(
  label: string,
  told: Record<string, unknown>,
  duration_ms: number | null | undefined,
): string {
  if (label === "mouth to ear")
    return `answered ${Math.round(duration_ms ?? 0)} ms after the caller's last sound`;
  if (label === "went on") return `speaks on: ${WENT_ON[textOf(told.reason)] ?? ""}`;
  return label;
}

function stepLine(label: string, told: Record<string, unknown>): string {
  switch (label) {
    case "entered":
      return `enters ${told.step}${Number(told.visit) > 1 ? `, visit ${told.visit}` : ""}`;
    case "condition":
      return `${told.where}: ${expressionOf(told.condition)} is ${told.holds}${unlessSame(told)}`;
    case "submission":
      return told.faults ? `refuses ${textOf(told.inputs)}` : `accepts ${textOf(told.inputs)}`;
    case "variables":
      return changesOf(told);
    case "call":
      return `calls ${told.tool}${told.mode === "hint" ? " through the model" : ""}`;
    case "requires":
      return `${told.to} needs ${textOf(told.missing)} first`;
    default:
      return `${told.workflow ?? ""} ${label}`.trim();
  }
}

/** An expression as its author wrote it, without what says of which language it is. */
function expressionOf(condition: unknown): string {
  const written = (condition as { expression?: unknown } | null)?.expression;
  return typeof written === "string" ? written : textOf(condition);
}

/** A value that is no truth value says why the condition holds or not. */
const unlessSame = ({ value, holds }: Record<string, unknown>): string =>
  value === holds ? "" : ` (${textOf(value)})`;

const changesOf = (told: Record<string, unknown>): string =>
  Object.entries((told.changes ?? {}) as Record<string, { before?: unknown; after?: unknown }>)
    .map(([name, { before, after }]) => `${name}: ${textOf(before)} → ${textOf(after)}`)
    .join(", ");

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value ?? null) ?? "null");
