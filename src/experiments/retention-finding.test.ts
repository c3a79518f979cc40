import { expect, test } from "vitest";
import { retentionFindings } from "./retention-finding.ts";

const ramp = (...days: (number | null)[]) =>
  [null, ...days].map((after, n) => ({
    percent: 10 * (n + 1),
    after_minutes: after === null ? null : after * 24 * 60,
  }));

test.each([
  ["nothing is deleted", { ramp: null, status: "draft" }, null, null],
  ["sessions are kept for longer than most experiments run", { ramp: ramp(7, 7), status: "draft" }, 30, null],
  ["a week is kept", { ramp: null, status: "draft" }, 7, "after 7 days. A stage"],
  ["the ramp takes longer", { ramp: ramp(20, 20), status: "running" }, 35, "The ramp takes 40 days."],
  ["its steps are taken by hand", { ramp: ramp(null), status: "running" }, 1, "after 1 day. A stage"],
  ["it is over", { ramp: null, status: "stopped" }, 7, null],
] as const)("an experiment is told of retention where it matters: %s", (_, experiment, kept, told) => {
  const found = retentionFindings({ ...experiment, ramp: experiment.ramp && [...experiment.ramp] }, kept);
  expect(found.map(({ message }) => message)).toEqual(told === null ? [] : [expect.stringContaining(told)]);
});
