import { expect, test } from "vitest";
import { NO_CONDITIONS } from "./conditions.ts";
import { coveredUntil, ruleOf } from "./coverage.ts";

const now = new Date("2026-06-01T00:00:00Z");
const rule = {
  source: "agent",
  conditions: NO_CONDITIONS,
  agent_ids: [],
  prompt_ids: [],
  end_datetime: null,
  insight_tools: [
    { id: 1, version: 1 },
    { id: 2, version: 3 },
  ],
};
const covered = {
  from: "2025-01-01T00:00:00Z",
  rule: ruleOf(rule),
  cursor: "2026-03-01T00:00:00Z",
  is_fed: false,
  until: "2026-02-01T00:00:00Z",
};
const workflow = { ...rule, status: "ACTIVE", start_datetime: "2025-01-01T00:00:00Z", covered };

test("an active workflow is done up to its backfill's cursor, and with all once that is fed", () => {
  expect(coveredUntil(workflow, now)).toBe(covered.cursor);
  expect(coveredUntil({ ...workflow, covered: { ...covered, is_fed: true } }, now)).toBe(now.toISOString());
});

test("an inactive one is done up to what was noted when it was inactivated", () => {
  expect(coveredUntil({ ...workflow, status: "INACTIVE" }, now)).toBe(covered.until);
});

test.each([
  ["another tool", { insight_tools: [{ id: 1, version: 1 }] }],
  [
    "another version",
    {
      insight_tools: [
        { id: 1, version: 2 },
        { id: 2, version: 3 },
      ],
    },
  ],
  ["other conditions", { conditions: { ...NO_CONDITIONS, sample_rate: 50 } }],
  ["others by the same name", { agent_ids: [9] }],
  ["another source", { source: "transfer" }],
  ["another end", { end_datetime: "2026-01-01T00:00:00Z" }],
  ["an earlier start", { start_datetime: "2024-12-31T00:00:00Z" }],
  ["recordings", { source: "upload", covered: { ...covered, rule: ruleOf({ ...rule, source: "upload" }) } }],
  ["a backfill from before rules were kept", { covered: { ...covered, rule: null } }],
])("with %s nothing is known", (_, changed) => {
  for (const status of ["ACTIVE", "INACTIVE"]) {
    expect(coveredUntil({ ...workflow, ...changed, status }, now)).toBe(null);
  }
});

test("the order of tools does not matter", () => {
  expect(ruleOf({ ...rule, insight_tools: rule.insight_tools.toReversed() })).toBe(ruleOf(rule));
});
