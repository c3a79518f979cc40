import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { aTurn, play, SESSION } from "./turn-draft.trial.ts";
import { isAnswer, NO_ROWS, type TurnRows } from "./turn-rows.ts";

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
