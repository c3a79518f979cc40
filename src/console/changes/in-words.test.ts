import { expect, test } from "vitest";
import { fieldLabel, fieldWords, worded } from "../server/field-labels.ts";
import { differences } from "./differences.ts";
import { inFields, inWords } from "./in-words.ts";

const LABELS = {
  active_days: worded("Days", { mon: "Monday", tue: "Tuesday" }),
  "exceptions.days.mon": "Exceptions, Mondays",
  "exceptions.*.*.active": worded("Open or closed", { true: "open", false: "closed" }),
  "rules.*.days": worded("Days", [
    { value: "mo", label: "Mon" },
    { value: "tu", label: "Tue" },
  ]),
  priority: worded("Priority", { 5: "5, highest" }),
  "tiles.*.chart": worded("Show as", { line: "Line" }),
  "tiles.*.invert": worded("Invert", { true: "outside these hours", false: "" }),
  days_kept: worded("Kept", { null: "forever" }),
};
const shown = (before: object, after: object) =>
  differences(before, after)
    .flatMap((entry) => inFields(entry, LABELS))
    .map(({ path, ...values }) => [
      fieldLabel(path, LABELS),
      inWords(values.before, fieldWords(path, LABELS)),
      inWords(values.after, fieldWords(path, LABELS)),
    ]);

test.each([
  [{ active_days: ["mon"] }, { active_days: ["mon", "tue"] }, ["Days", "Monday", "Monday\nTuesday"]],
  [{ priority: 3 }, { priority: 5 }, ["Priority", "3", "5, highest"]],
  [{ rules: [{ days: "mo" }] }, { rules: [{ days: "mo,tu" }] }, ["Rules, no. 1, Days", "Mon", "Mon, Tue"]],
  [{ is_test: false }, { is_test: true }, ["Is test", "no", "yes"]],
  [{ name: "mon,tue" }, { name: "tue,mon" }, ["Name", "mon,tue", "tue,mon"]],
  [{ days_kept: 30 }, { days_kept: null }, ["Kept", "30", "forever"]],
])("a review says what the form says: %j becomes %j", (before, after, said) => {
  expect(shown(before, after)).toEqual([said]);
});

test("a new entry is shown field by field where the form names its fields, and as JSON otherwise", () => {
  expect(shown({ exceptions: { days: {} } }, { exceptions: { days: { mon: { active: false } } } })).toEqual([
    ["Exceptions, Mondays, Open or closed", "", "closed"],
  ]);
  expect(shown({ rules: [] }, { rules: [{ days: "tu", note: "x" }] })).toEqual([
    ["Rules, no. 1, Days", "", "Tue"],
    ["Rules, no. 1, note", "", "x"],
  ]);
  expect(shown({ rules: null }, { rules: [{ days: "tu" }] })).toEqual([["Rules, no. 1, Days", "", "Tue"]]);
  expect(shown({ rules: [{ days: "tu" }] }, { rules: null })).toEqual([["Rules, no. 1, Days", "Tue", ""]]);
  expect(shown({ exceptions: null }, { exceptions: { days: { mon: { active: true } } } })).toEqual([
    ["Exceptions, Mondays, Open or closed", "", "open"],
  ]);
  expect(shown({ other: null }, { other: { a: 1 } })).toEqual([["Other", "", '{\n  "a": 1\n}']]);
  expect(shown({ exceptions: { days: {} } }, { exceptions: { days: { mon: {} } } })).toEqual([
    ["Exceptions, Mondays", "", "{}"],
  ]);
});

test("of a new entry only what it says something of is told", () => {
  const tile = { title: "", search_fields: [], chart: "line", invert: false };
  expect(shown({ tiles: [] }, { tiles: [tile] })).toEqual([["Tiles, no. 1, Show as", "", "Line"]]);
  expect(shown({ tiles: [tile] }, { tiles: [{ ...tile, invert: true }] })).toEqual([
    ["Tiles, no. 1, Invert", "", "outside these hours"],
  ]);
});
