import { expect, test } from "vitest";
import { readsOf } from "./jmespath-reads.ts";

test.each([
  ["local.tries >= `3` && !(inputs.email)", ["local.tries", "inputs.email"]],
  ["local.days[?free && name == 'x'].id | [0]", ["local.days"]],
  ["length(rows) > `0` ? rows[0].name : {a: local.b, c: [d, 'e']}", ["rows", "rows.name", "local.b", "d"]],
  ["let $x = inputs.a in $x.b || other", ["inputs.a", "other"]],
  ["sort_by(days, &date)[*].date", ["days"]],
  ["'text'", []],
  ["@", []],
])("%s reads of its root %j", (source, paths) => {
  expect(readsOf(source).paths.map((path) => path.join("."))).toEqual(paths);
});

test("a comparison is told with both of its sides", () => {
  expect(readsOf("a.b == 'x' || length(c) > `2`").comparisons).toEqual([
    { operator: "==", left: { path: ["a", "b"] }, right: { literal: "x" } },
    { operator: ">", left: null, right: { literal: 2 } },
  ]);
});
