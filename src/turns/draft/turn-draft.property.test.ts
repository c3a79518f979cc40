import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import type { LeasedSession } from "../../sessions/lease.ts";
import type { ToolEffects } from "../../tool-calls/tool-outcome.ts";
import type { TurnEvent } from "../turn-event.ts";
import { applyEffects } from "./apply-effects.ts";
import { TurnDraft } from "./turn-draft.ts";
import { isAnswer, NO_ROWS, type TurnRows } from "./turn-rows.ts";
import { beginTurn, type TurnState } from "./turn-state.ts";

const SESSION = {
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
const FACTS = { session: SESSION, turn_index: 2, override_timestamp: null };
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
    event: fc.constant({ category: "automation", type: "noted", description: "noted" }),
    opt_out: fc.constant({ address: "+15550100", said: null }),
    action: fc.constantFrom(
      { action: "hangup" as const, reason: "done" },
      { action: "hangup" as const, reason: "late" },
    ),
  },
  { requiredKeys: [] },
);
const aTurn = fc.array(
  fc.oneof(
    often(10, "say", "begin call", "finish call", "finish call"),
    often(4, "hear", "aside", "trace", "event", "apologize"),
    { weight: 3, arbitrary: someEffects.map((effects): Happening => ({ do: "apply", effects })) },
    often(6, "store", "commit", "commit", "fail"),
  ),
  { maxLength: 60, size: "max" },
);

/** Plays a turn as its driver does, with a transaction that may be open while more happens. */
function play(happenings: readonly Happening[]) {
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
        return step((draft) => draft.event("automation", "noted", name));
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
            ...{ seq, round: 0, call: { id, name: "find", arguments: {} } },
            ...{ tool: undefined, outcome, started: AT, duration_ms: 1 },
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

const numbered = (rows: TurnRows) => rows.messages.map(({ seq }) => seq);

describe("for all turns", () => {
  const runs = { numRuns: rounds(300) };

  test("what is said is numbered strictly upwards, and stored in that order", () => {
    fc.assert(
      fc.property(aTurn, (happenings) => {
        const { stored, state } = play(happenings);
        const seqs = stored.flatMap(numbered);
        expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
        const calls = stored.flatMap((rows) => rows.calls.map(({ seq }) => seq));
        const all = [...seqs, ...calls];
        expect(new Set(all).size).toBe(all.length);
        for (const seq of all) {
          expect(seq).toBeGreaterThanOrEqual(SESSION.next_seq);
          expect(seq).toBeLessThan(state.next_seq);
        }
      }),
      runs,
    );
  });

  test("nothing is stored twice and nothing is lost, whatever happens while a transaction is open, and whether it fails", () => {
    let overtaken = 0;
    fc.assert(
      fc.property(aTurn, (happenings) => {
        const { stored, added, state } = play(happenings);
        const told = stored.flatMap((rows) => rows.messages.map(({ text }) => text));
        const mine = told.filter((text) => / \d+$/.test(text));
        expect(mine.toSorted()).toEqual(added.words.toSorted());
        // Asides wait for the next words; all else stands as it was said.
        const isAside = (text: string) => text.startsWith("aside");
        expect(mine.filter((text) => !isAside(text))).toEqual(added.words.filter((text) => !isAside(text)));
        expect(mine.filter(isAside)).toEqual(added.words.filter(isAside));
        expect(stored.flatMap((rows) => rows.calls.map((call) => call.tool_call_id))).toEqual(added.calls);
        const labels = stored.flatMap(({ trace, events }) => [
          ...trace.map(({ label }) => label),
          ...events.map(({ description }) => description),
        ]);
        const noted = labels.filter((label) => / \d+$/.test(label));
        expect(noted.toSorted()).toEqual(added.labels.toSorted());
        expect(state.unstored).toEqual(NO_ROWS);
        expect(state.asides).toEqual([]);
        expect(state.calls.map((call) => call.tool_call_id).toSorted()).toEqual(added.calls.toSorted());
        if (stored.length > 2) overtaken++;
      }),
      runs,
    );
    expect(overtaken).toBeGreaterThan(30);
  });

  test("words are told once, in their order, and only after they were stored", () => {
    fc.assert(
      fc.property(aTurn, (happenings) => {
        const { stored, told, state } = play(happenings);
        const rows = stored.flatMap(({ messages }) => messages);
        const messages = told.flatMap(({ event, stored_messages }) =>
          event.type === "message" ? [{ text: event.text, stored_messages }] : [],
        );
        expect(messages.map(({ text }) => text)).toEqual(rows.filter(isAnswer).map(({ text }) => text));
        expect(messages.map(({ text }) => text)).toEqual(state.messages);
        let place = 0;
        for (const { text, stored_messages } of messages) {
          place = rows.findIndex((row, index) => index >= place && isAnswer(row) && row.text === text) + 1;
          expect(place).toBeLessThanOrEqual(stored_messages);
        }
      }),
      runs,
    );
  });

  test("no step changes a state that was there before it", () => {
    fc.assert(
      fc.property(aTurn, (happenings) => {
        for (const { state, was } of play(happenings).states) expect(JSON.stringify(state)).toBe(was);
      }),
      { numRuns: rounds(100) },
    );
  });

  test("what calls change is what they would change one after the other, and the first action is kept", () => {
    fc.assert(
      fc.property(aTurn, (happenings) => {
        const { state } = play(happenings);
        const effects = happenings.flatMap((happening) =>
          happening.do === "apply" ? [happening.effects] : [],
        );
        expect(state.memory.variables).toEqual(
          Object.assign({ ...SESSION.state.variables }, ...effects.map(({ variables }) => variables)),
        );
        expect(state.memory.language).toBe(
          effects.findLast(({ language }) => language)?.language ?? SESSION.state.language,
        );
        expect(state.action).toEqual(effects.find(({ action }) => action)?.action ?? null);
      }),
      runs,
    );
  });
});
