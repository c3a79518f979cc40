import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { type OwnNumber, senderFindings } from "./sender-findings.ts";

const NUMBERS = ["+12125550100", "+12125550101", "+4930123456"];
const own: fc.Arbitrary<OwnNumber> = fc.record({
  target: fc.constantFrom(...NUMBERS),
  target_mode: fc.constantFrom("voice", "sms"),
  is_answered: fc.boolean(),
  a2p_verified: fc.constantFrom(null, true, false),
});

test("for all numbers: a caller ID is found fault with exactly when it is not ours, or no agent answers it", () => {
  fc.assert(
    fc.property(fc.array(own), fc.array(fc.constantFrom(...NUMBERS)), (ours, shown) => {
      const found = senderFindings("voice", shown, ours, { reaches_us: true });
      const bad = new Set(shown).values().filter((number) => {
        const answered = ours.some((o) => o.target === number && o.target_mode === "voice" && o.is_answered);
        return !answered;
      });
      expect(found.map(({ number }) => number).toSorted()).toEqual([...bad].toSorted());
      for (const { number, problem } of found)
        expect(problem).toBe(ours.some((o) => o.target === number) ? "not-answered" : "not-ours");
    }),
    { numRuns: rounds(300) },
  );
});

test.each([
  [true, true, []],
  [null, true, ["not-registered"]],
  [false, true, ["not-registered"]],
  [false, false, []],
])(
  "texts from a number that is registered: %s, to the US: %s, find %j",
  (a2p_verified, reaches_us, problems) => {
    const ours = [{ target: "+12125550100", target_mode: "sms", is_answered: true, a2p_verified }];
    const found = senderFindings("sms", ["+12125550100"], ours, { reaches_us });
    expect(found.map(({ problem }) => problem)).toEqual(problems);
  },
);
