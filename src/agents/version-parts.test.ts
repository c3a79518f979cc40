import fc from "fast-check";
import { expect, test } from "vitest";
import type { Snapshot } from "./snapshot.ts";
import { changesOf, fingerprintOf } from "./version-parts.ts";

const tool = fc.record({
  id: fc.nat(9),
  name: fc.constantFrom("book", "cancel", "find"),
  version_number: fc.nat(9),
  service_id: fc.nat(2),
  is_system: fc.boolean(),
  definition: fc.record({ type: fc.constant("endpoint"), about: fc.constantFrom("one", "two") }),
});

const snapshot = fc
  .record({
    version: fc.option(fc.nat(9), { nil: undefined }),
    agent: fc.record({
      id: fc.nat(9),
      name: fc.constantFrom("A", "B"),
      variables: fc.constant({ shop: "x" }),
    }),
    prompt: fc.record({
      id: fc.nat(9),
      version_number: fc.nat(9),
      context: fc.constantFrom("Help.", "Book."),
      llm_config: fc.record({ model: fc.constantFrom("m", "n") }),
    }),
    tools: fc.uniqueArray(tool, { selector: ({ name }) => name, maxLength: 3 }),
    session_end_tool: fc.option(tool),
    message: fc.option(fc.record({ id: fc.nat(9), text: fc.constantFrom("Hello", "Hi") })),
    language_group: fc.constant(null),
  })
  .map((made) => made as unknown as Snapshot);

test("two states have the same fingerprint just when no part of them differs", () => {
  fc.assert(
    fc.property(snapshot, snapshot, (one, other) => {
      expect(fingerprintOf(one) === fingerprintOf(other)).toBe(changesOf(one, other).length === 0);
    }),
  );
});

test("numbers of records and versions, and the order of names in an object, make no difference", () => {
  const turned = (value: unknown): unknown =>
    typeof value !== "object" || value === null
      ? value
      : Array.isArray(value)
        ? value.map(turned)
        : Object.fromEntries(
            Object.entries(value)
              .map(([name, inner]) => [name, turned(inner)])
              .toReversed(),
          );
  fc.assert(
    fc.property(snapshot, fc.nat(9), (made, n) => {
      const again = turned(made) as Snapshot;
      again.prompt.version_number = n;
      again.prompt.id = n;
      for (const tool of again.tools) Object.assign(tool, { id: n, version_number: n });
      expect(changesOf(made, again)).toEqual([]);
    }),
  );
});

test("a change has both sides, and the way back has them turned round", () => {
  fc.assert(
    fc.property(snapshot, snapshot, (one, other) => {
      const back = changesOf(other, one).map(({ part, before, after }) => ({
        part,
        before: after,
        after: before,
      }));
      const by = (changes: { part: string }[]) => changes.toSorted((a, b) => a.part.localeCompare(b.part));
      expect(by(changesOf(one, other))).toEqual(by(back));
    }),
  );
});
