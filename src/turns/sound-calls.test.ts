import fc from "fast-check";
import { expect, test } from "vitest";
import { MOST_CALLS, soundCalls } from "./sound-calls.ts";

const call = (id: string) => ({ id, name: "find", arguments: { of: id } });

test("every call that is run has an id of its own, and one that was sound keeps it", () => {
  const id = fc.constantFrom<string[]>("", "call_0", "call_1", "a", "b");
  fc.assert(
    fc.property(fc.array(id, { maxLength: 60 }), fc.array(id), (given, known) => {
      const { calls, note } = soundCalls(given.map(call), known);
      expect(calls).toHaveLength(Math.min(given.length, MOST_CALLS));
      const ids = calls.map(({ id }) => id);
      expect(new Set([...ids, ...known]).size).toBe(ids.length + new Set(known).size);
      expect(ids).not.toContain("");
      for (const [index, { id, arguments: args }] of calls.entries()) {
        const was = given[index] as string;
        expect(args).toEqual({ of: was });
        const isFirst = was !== "" && given.indexOf(was) === index && !known.includes(was);
        expect(id === was).toBe(isFirst);
      }
      expect(note === null).toBe(given.length <= MOST_CALLS);
    }),
  );
});
