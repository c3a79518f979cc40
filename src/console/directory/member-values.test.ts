import { expect, test } from "vitest";
import { ruleWords, sentMember, valuesOf } from "./member-values.ts";

const stored = {
  name: "Billing",
  type: "Department",
  extensions: [
    {
      name: "work",
      numbers: [
        {
          number: "+15125550100",
          rules: [{ language: "es", days: "mo,tu", start_time: "09:00", end_time: "17:00" }],
        },
        { number: "+15125550101", rules: null },
      ],
    },
  ],
  contact_tags: { floor: ["2", "3"] },
};

test("a member that is saved as it was read is sent as it was read", () => {
  const sent = sentMember(valuesOf(stored));
  expect(sent).toMatchObject({
    name: "Billing",
    contact_tags: { floor: ["2", "3"] },
    comments: null,
    extensions: [
      {
        name: "work",
        numbers: [
          { number: "+15125550100", rules: [stored.extensions[0]?.numbers[0]?.rules?.[0]] },
          { number: "+15125550101", rules: [] },
        ],
      },
    ],
  });
});

test("what of a rule was emptied is left out, and a rule is said in words", () => {
  const values = valuesOf(stored);
  const rule = { language: "", days: "mo", start_time: "", end_time: "" };
  values.extensions[0]!.numbers[0]!.rules = [rule];
  expect(sentMember(values).extensions?.[0]?.numbers?.[0]?.rules).toEqual([{ days: "mo" }]);
  expect(ruleWords({ language: "es", days: "mo,tu", start_time: "09:00", end_time: "17:00" })).toBe(
    "in es; Mon, Tue, 09:00 to 17:00",
  );
  expect(ruleWords({ days: "sa,su", invert: "true" })).toBe("outside Sat, Sun");
  expect(ruleWords({})).toBe("always");
});
