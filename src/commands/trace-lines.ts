import { cutTo } from "../base/storable.ts";

/** What the terminal reads of an entry of a session's trace (`sessions/session-trace.ts` describes them all). */
export type PrintedTrace = {
  id: number;
  category: string;
  label: string;
  duration_ms: number | null;
  metadata: string[] | null;
  details: Record<string, unknown> | null;
};

const MAX_CHARACTERS = 300;

/** One entry in a line or a few, for people; nothing for what says no more than its neighbours. Pure. */
export function traceLines({ category, label, duration_ms, metadata, details }: PrintedTrace): string[] {
  const told = details ?? {};
  const took = duration_ms === null ? "" : `  ${Math.round(duration_ms)} ms`;
  switch (category) {
    case "llm":
      return [`model ${metadata?.[0] ?? ""}: ${answer(told)}${took}`];
    case "tool":
      return [`${label} ${json(told.arguments)}`, ...prepared(told), `${outcome(told)}${took}`];
    case "http":
      return [];
    case "step":
      return stepLines(label, told);
    case "greeting":
      return [greeting(told)];
    case "state":
      return changes(told);
    case "turn":
      return [`turn ${Math.round(duration_ms ?? 0)} ms: ${phases(told)}`];
    default:
      return [`${category}: ${label}`];
  }
}

/** Rules are counted from 1, as people count. */
function greeting(told: Record<string, unknown>): string {
  const when = `${told.day_of_week} ${told.local_time} ${told.timezone}`;
  const what = told.message === "email_template" ? "e-mail template" : "greeting";
  if (told.rule === null) return `${what}: the message's own text, no rule holds (${when})`;
  const others = (told.held as number[]).filter((rule) => rule !== told.rule).map((rule) => rule + 1);
  const name = told.description ? ` “${told.description}”` : "";
  const over = others.length > 0 ? `, over rule ${others.join(", ")}` : "";
  return `${what}: rule ${Number(told.rule) + 1}${name} by ${WHY[String(told.kind)] ?? told.kind}${over} (${when})`;
}

const WHY: Record<string, string> = {
  date: "its date",
  days_of_week: "its weekdays",
  times: "its times",
  inverted: "being outside its hours",
};

function stepLines(label: string, told: Record<string, unknown>): string[] {
  switch (label) {
    case "entered":
      return [`step ${told.step} entered${Number(told.visit) > 1 ? `, visit ${told.visit}` : ""}`];
    case "condition":
      return [`if ${told.where}: ${expression(told.condition)} is ${told.holds}${unlessSame(told)}`];
    case "submission":
      return [`submitted ${json(told.inputs)}`, ...(told.faults ? [`✗ ${json(told.faults)}`] : [])];
    case "variables":
      return changes(told);
    case "call":
      return [`step ${told.step} calls ${told.tool}${told.mode === "hint" ? " through the model" : ""}`];
    case "requires":
      return [`${told.to} needs ${(told.missing as string[]).join(", ")} first`];
    default:
      return [`${told.workflow} ${label}${told.error ? `: ${told.error}` : ""}`];
  }
}

function answer(told: Record<string, unknown>): string {
  if (told.error) return `failed: ${told.error}`;
  const calls = told.calls as string[] | undefined;
  const tokens = told.input_tokens == null ? [] : [`${told.input_tokens} → ${told.output_tokens} tokens`];
  return [...tokens, calls?.length ? `calls ${calls.join(", ")}` : "answers"].join(", ");
}

/** Only where the pipeline changed something. */
const prepared = (told: Record<string, unknown>): string[] =>
  told.prepared == null || json(told.prepared) === json(told.arguments) ? [] : [`= ${json(told.prepared)}`];

const outcome = (told: Record<string, unknown>): string =>
  told.error === undefined ? `→ ${json(told.result)}` : `✗ ${told.error}`;

const changes = (told: Record<string, unknown>): string[] =>
  Object.entries((told.changes ?? {}) as Record<string, { before: unknown; after: unknown }>)
    .filter(([, { before, after }]) => JSON.stringify(before) !== JSON.stringify(after))
    .map(([name, { before, after }]) => `${name}: ${json(before)} → ${json(after)}`);

const expression = (given: unknown): string =>
  typeof given === "string" ? given : String((given as { expression?: unknown })?.expression ?? json(given));

/** A value that is no truth value says why the condition holds or not. */
const unlessSame = ({ value, holds }: Record<string, unknown>): string =>
  value === holds ? "" : ` (${json(value)})`;

const phases = (told: Record<string, unknown>): string =>
  Object.entries(told)
    .map(([name, ms]) => `${name.replace(/_ms$/, "")} ${Math.round(Number(ms) * 10) / 10}`)
    .join(", ");

function json(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.length > MAX_CHARACTERS ? `${cutTo(text, MAX_CHARACTERS)}…` : text;
}
