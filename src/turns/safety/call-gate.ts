import type { SnapshotTool } from "../../agents/snapshot.ts";
import { type Lookup, renderTemplate } from "../../expressions/template.ts";
import type { SafetyMemory } from "../../sessions/variables.ts";
import { failed, type ToolOutcome } from "../../tool-calls/tool-outcome.ts";
import { callKey, saysYes } from "./confirmation.ts";

/*
 * Limits of tool calls: how often a tool may be called, and which calls the person has to confirm first. Pure. Nothing that
 * a model, a tool or a person writes changes these limits.
 */

export type GatedCall = {
  tool: SnapshotTool;
  /** As the model gave them, by which the same call is known again. */
  given: Record<string, unknown>;
  /** As the tool would get them. */
  values: Record<string, unknown>;
  lookup: Lookup;
};

type GateSurroundings = {
  memory: SafetyMemory | undefined;
  rules: { calls_per_tool: number | null; calls_per_session: number | null; yes_words: string[] } | undefined;
  turn_index: number;
  /** What the person said in this turn. */
  said: string | null;
  /** A workflow's calls are their author's, who asks the person in its steps. */
  by: "model" | "workflow";
};

/** `refusal` in place of the call, and what the session remembers from now on. */
type Gated = { refusal: ToolOutcome | null; memory: SafetyMemory; note?: string };

export function gateCall(call: GatedCall, around: GateSurroundings): Gated {
  const { tool } = call;
  const memory = around.memory ?? {};
  // Hanging up, transferring or noting an opt-out is never too often.
  if (tool.is_system) return { refusal: null, memory };
  const spent = spentLimit(tool, memory, around.rules);
  if (spent) return { refusal: spent, memory };
  const { asked = {}, ...rest } = memory;
  const { [tool.name]: its, ...others } = asked;
  const pending = Object.hasOwn(asked, tool.name) ? its : undefined;
  const counted = (left: SafetyMemory): SafetyMemory => ({
    ...left,
    calls: { ...left.calls, [tool.name]: callsOf(tool, left.calls) + 1 },
  });
  if (!tool.definition.confirm || around.by === "workflow") return { refusal: null, memory: counted(memory) };
  const key = callKey(tool.name, call.given);
  const isSame = pending?.key === key;
  const isAnswered = pending !== undefined && pending.turn_index === around.turn_index - 1;
  if (isSame && isAnswered && saysYes(around.said, around.rules?.yes_words))
    return {
      refusal: null,
      memory: counted(Object.keys(others).length > 0 ? { ...rest, asked: others } : rest),
      note: `${tool.name} was confirmed by the person`,
    };
  const because = !pending
    ? "it was not read back yet"
    : !isSame
      ? "its arguments are others than those that were read back"
      : pending.turn_index === around.turn_index
        ? "the person has not answered yet"
        : isAnswered
          ? "the person's answer was no plain yes"
          : "the read-back was not the last thing the person was asked";
  return {
    refusal: askFirst(call, because, isSame && pending.turn_index === around.turn_index),
    memory: { ...rest, asked: { ...others, [tool.name]: { key, turn_index: around.turn_index } } },
  };
}

/** A tool may have a name that all objects know, such as `constructor`. */
const callsOf = ({ name }: SnapshotTool, calls: SafetyMemory["calls"] = {}): number =>
  Object.hasOwn(calls, name) ? (calls[name] ?? 0) : 0;

function spentLimit(
  tool: SnapshotTool,
  { calls = {} }: SafetyMemory,
  rules: GateSurroundings["rules"],
): ToolOutcome | null {
  const { name, definition } = tool;
  const own = definition.max_calls_per_session ?? rules?.calls_per_tool ?? null;
  const all = rules?.calls_per_session ?? null;
  const made = callsOf(tool, calls);
  const together = Object.values(calls).reduce((sum, count) => sum + count, 0);
  if (own !== null && made >= own)
    return refusedFor(name, `${name} may be called ${times(own)} in a session, and was`);
  if (all !== null && together >= all)
    return refusedFor(name, `tools may be called ${times(all)} in a session, and were`);
  return null;
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

const refusedFor = (name: string, limit: string): ToolOutcome =>
  failed(
    `Not called: ${limit}. Tell the person that you can't do more of it now; don't call it again in this session.`,
    null,
    [{ category: "note", label: `${name} was refused: ${limit}` }],
  );

/** The engine's own words, so that a persuaded model can't have the person agree to something else. */
function askFirst({ tool, values, lookup }: GatedCall, because: string, isTwice: boolean): ToolOutcome {
  const question = readBack(tool, values, lookup);
  const outcome = failed(
    `Not called: ${because}. The person is asked: "${question}" If their answer is yes, call ${tool.name} again with exactly the same arguments. If not, don't.`,
    null,
    [
      {
        category: "note",
        label: `${tool.name} was not called: ${because}`,
        details: { read_back: question },
      },
    ],
  );
  return { ...outcome, awaits_person: true, effects: isTwice ? {} : { speech: question } };
}

function readBack(
  { name, definition: { read_back } }: SnapshotTool,
  values: Record<string, unknown>,
  lookup: Lookup,
): string {
  const value: Lookup = (wanted) => (Object.hasOwn(values, wanted) ? values[wanted] : lookup(wanted));
  const written = read_back?.trim() ? renderTemplate(read_back, value).trim() : "";
  if (written !== "") return written;
  const shown = Object.entries(values)
    .filter(([, item]) => item !== null && item !== undefined && item !== "")
    .map(([field, item]) => `${spaced(field)}: ${typeof item === "string" ? item : JSON.stringify(item)}`);
  const what = shown.length === 0 ? spaced(name) : `${spaced(name)}, ${shown.join(", ")}`;
  return `Please confirm: ${what}. Is that right?`;
}

const spaced = (name: string): string => name.replaceAll(/[_-]+/g, " ");
