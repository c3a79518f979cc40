import fc from "fast-check";
import type { LeasedSession } from "../../sessions/leased-session.ts";
import type { ToolEffects } from "../../tool-calls/tool-outcome.ts";
import type { TurnEvent } from "../turn-event.ts";
import { applyEffects } from "./apply-effects.ts";
import { TurnDraft } from "./turn-draft.ts";
import { NO_ROWS, type TurnRows } from "./turn-rows.ts";
import { beginTurn, type TurnState } from "./turn-state.ts";

export const SESSION = {
  id: 7,
  channel: "chat",
  conversation_id: 3,
  prompt_id: 5,
  source: null,
  agent_name: "North",
  agent_timezone: "America/New_York",
  next_seq: 4,
  turn_count: 2,
  snapshot: { agent: { timezone: "America/New_York" }, language_group: null },
  state: { variables: { "vars.day": "monday" }, language: "en-US" },
} as unknown as LeasedSession;
const FACTS = { session: SESSION, turn_index: 2, override_timestamp: null, message_id: null };
const AT = new Date("2026-03-02T15:00:00Z");

/** What may happen in a turn. A call takes its place before it is made, so calls may finish in any order. */
type Happening =
  | { do: "say" | "apologize" | "hear" | "aside" | "trace" | "event" }
  | { do: "begin call" | "finish call" }
  | { do: "apply"; effects: ToolEffects }
  /** A transaction begins, is committed, or fails. */
  | { do: "store" | "commit" | "fail" };

const often = (weight: number, ...names: Extract<Happening["do"], string>[]) => ({
  weight,
  arbitrary: fc.constantFrom(...names).map((name) => ({ do: name }) as Happening),
});
const someEffects: fc.Arbitrary<ToolEffects> = fc.record(
  {
    variables: fc.dictionary(fc.constantFrom("vars.day", "vars.name"), fc.jsonValue({ maxDepth: 1 })),
    language: fc.constantFrom("en-US", "es-US"),
    say: fc.constantFrom("It is {{ vars.day }}.", " "),
    speech: fc.constantFrom("Done.", ""),
    keys: fc.constant("1#"),
    event: fc.constant({ category: "automation", type: "hangup", description: "noted" } as const),
    opt_out: fc.constant({ address: "+15550100", said: null }),
    call_back: fc.constant({ at: AT, timezone: "America/New_York" }),
    action: fc.constantFrom(
      { action: "hangup" as const, reason: "done" },
      { action: "hangup" as const, reason: "late" },
    ),
  },
  { requiredKeys: [] },
);
export const aTurn = fc.array(
  fc.oneof(
    often(10, "say", "begin call", "finish call", "finish call"),
    often(4, "hear", "aside", "trace", "event", "apologize"),
    { weight: 3, arbitrary: someEffects.map((effects): Happening => ({ do: "apply", effects })) },
    often(6, "store", "commit", "commit", "fail"),
  ),
  { maxLength: 60, size: "max" },
);

/** Plays a turn as its driver does, with a transaction that may be open while more happens. */
export function play(happenings: readonly Happening[]) {
  let state = beginTurn(SESSION);
  const stored: TurnRows[] = [];
  const told: { event: TurnEvent; stored_messages: number }[] = [];
  const states: { state: TurnState; was: string }[] = [];
  /** What was added, in its order. */
  const added = { words: [] as string[], calls: [] as string[], labels: [] as string[] };
  const open: { seq: number; id: string }[] = [];
  let storing: TurnRows | null = null;
  let count = 0;

  const step = <T>(change: (draft: TurnDraft) => T): T => {
    const draft = new TurnDraft(FACTS, state, AT);
    const result = change(draft);
    states.push({ state, was: JSON.stringify(state) });
    state = draft.state;
    const stored_messages = stored.reduce((sum, { messages }) => sum + messages.length, 0);
    told.push(...draft.told.map((event) => ({ event, stored_messages })));
    return result;
  };
  const begin = () => {
    step((draft) => draft.noteAsides());
    storing = state.unstored;
  };
  const commit = () => {
    const rows = storing ?? NO_ROWS;
    stored.push(rows);
    storing = null;
    step((draft) => draft.stored(rows));
  };
  const take = (happening: Happening) => {
    const name = `${happening.do} ${++count}`;
    switch (happening.do) {
      case "say":
      case "hear":
      case "apologize":
        added.words.push(name);
        return step((draft) => draft[happening.do as "say"](name));
      case "aside":
        added.words.push(name);
        return step((draft) => draft.takeAsides([{ text: name, at: AT }]));
      case "trace":
        added.labels.push(name);
        return step((draft) => draft.note(name));
      case "event":
        added.labels.push(name);
        return step((draft) => draft.event({ category: "automation", type: "hangup", description: name }));
      case "begin call":
        return open.push({ seq: step((draft) => draft.nextSeq()), id: name });
      case "finish call": {
        // The latest first and the earliest first, in turn.
        const call = count % 2 === 0 ? open.pop() : open.shift();
        if (!call) return;
        added.calls.push(call.id);
        const { seq, id } = call;
        const outcome = { prepared: null, request: null, result: id, error: null, trace: [] };
        return step((draft) =>
          draft.finishCall({
            seq,
            round: 0,
            call: { id, name: "find", arguments: {} },
            tool: undefined,
            outcome,
            started: AT,
            duration_ms: 1,
          }),
        );
      }
      case "apply":
        return step((draft) => applyEffects(draft, happening.effects, undefined));
      case "store":
        return storing ?? begin();
      case "commit":
        return storing && commit();
      case "fail":
        storing = null;
        return;
      default:
        return happening satisfies never;
    }
  };
  for (const happening of happenings) take(happening);
  // An open transaction ends, and one more takes the rest.
  if (storing) commit();
  begin();
  commit();
  return { state, stored, told, states, added };
}
