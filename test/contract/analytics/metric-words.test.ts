import { expect, test } from "vitest";
import { METRICS, type MetricName, ruleOf } from "../../../src/analytics/metric.ts";
import { baseText, countedBy, METRIC_UNITS } from "../../../src/console/boards/metric-words.ts";

const names = Object.keys(METRICS) as MetricName[];

test("the console shows each metric in the unit of the API, and says whether sessions or people are counted", () => {
  for (const name of names)
    expect([name, METRIC_UNITS[name], countedBy(name)]).toEqual([name, ruleOf(name).unit, ruleOf(name).of]);
});

test("a share, a mean or a sum says of how many it is; a number of sessions or people is itself", () => {
  expect(baseText("errors", 40)).toBe("of 40 sessions");
  expect(baseText("cost", 1)).toBe("of 1 session");
  expect(baseText("people_answered", 1_200)).toBe("of 1,200 people");
  expect(names.filter((name) => baseText(name, 40) === "")).toEqual(
    names.filter((name) => ruleOf(name).kind === "count"),
  );
});
