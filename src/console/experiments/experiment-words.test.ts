import { expect, test } from "vitest";
import { intervalWords, nextStep, sessionsBehind, valueWords } from "./experiment-words.ts";

test("a difference is shown with its interval and its sign, in the unit of its figure", () => {
  expect(intervalWords("rate", 0.02, -0.011, 0.052)).toBe("2.0 % (−1.1 % to 5.2 %)");
  expect(intervalWords("ms", -1200, -2400, 300)).toBe("−1.2 s (−2.4 s to 300 ms)");
  expect(intervalWords("usd", 0.01, null, null)).toBe("$0.0100");
  expect(valueWords("count", null)).toBe("–");
});

test("the next step of a ramp is the first above the share that people meet now", () => {
  const variants = [
    { version_number: 1, weight: 95, is_control: true },
    { version_number: 2, weight: 5, is_control: false },
  ];
  const ramp = [5, 25, 100].map((percent) => ({ percent, after_minutes: null }));
  const at = (weight: number) => [{ version_number: 2, weight }];
  const stages = (weight: number) => [{ started_at: "", weights: at(weight), changed_by: "" }];
  expect(nextStep({ variants, ramp, stages: [] })?.percent).toBe(25);
  expect(nextStep({ variants, ramp, stages: stages(40) })?.percent).toBe(100);
  expect(nextStep({ variants, ramp, stages: stages(100) })).toBeNull();
  expect(nextStep({ variants, ramp: null, stages: [] })).toBeNull();
});

test("the sessions behind a figure are those of its stage and version, and of what happened where sessions show it", () => {
  const of = { experiment_id: 7, stage: 1, version_number: 2 };
  expect(sessionsBehind({ ...of, metric: "errors" })).toBe(
    "/sessions?f_experiment_id=7.1:2&f_experiment_outcome=errors",
  );
  expect(sessionsBehind({ ...of, metric: "success" })).toBe(
    "/sessions?f_experiment_id=7.1:2&f_experiment_outcome=success",
  );
  expect(sessionsBehind({ ...of, metric: "turns" })).toBe("/sessions?f_experiment_id=7.1:2");
});
