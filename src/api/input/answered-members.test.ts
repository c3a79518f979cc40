import { expect, test } from "vitest";
import { z } from "zod";
import { answeredMembers, withoutMembers } from "./answered-members.ts";

const Gate = z.strictObject({ suite_id: z.int(), budget: z.strictObject({ usd: z.number() }).nullish() });
const Answer = z.object({
  updated_at: z.string(),
  gates: z.array(
    z.object({
      suite_id: z.int(),
      says: z.string(),
      budget: z.object({ usd: z.number(), spent: z.number() }),
    }),
  ),
});

test.each([
  ["strict", z.strictObject({ gates: z.array(Gate) }), { gates: [{ suite_id: 1, budget: { usd: 2 } }] }],
  [
    "lenient",
    z.object({ gates: z.array(Gate).nullish() }),
    { updated_at: "now", gates: [{ suite_id: 1, budget: { usd: 2 } }] },
  ],
])(
  "a %s body passes over what only its own answer has, in each strict object inside it, too",
  (_, body, taken) => {
    const left = answeredMembers(body, Answer);
    const answer = {
      updated_at: "now",
      gates: [{ suite_id: 1, says: "Passed.", budget: { usd: 2, spent: 1 } }],
    };
    expect(withoutMembers(answer, left)).toEqual(taken);
    expect(body.safeParse(withoutMembers(answer, left)).success).toBe(true);
  },
);

test("what neither the body nor the answer has stays, and so does a value of another kind", () => {
  const left = answeredMembers(z.strictObject({ gates: z.array(Gate) }), Answer);
  const misspelt = { gates: [{ suite: 1 }, null, "says"], gate: [] };
  expect(withoutMembers(misspelt, left)).toEqual(misspelt);
  expect(withoutMembers({ gates: { says: "Passed." } }, left)).toEqual({ gates: { says: "Passed." } });
  expect(answeredMembers(z.strictObject({ a: z.int() }), z.object({ a: z.int() }))).toBeNull();
});
