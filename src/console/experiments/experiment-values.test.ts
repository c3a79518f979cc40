import { expect, test } from "vitest";
import { experimentBody, experimentValues, newExperiment } from "./experiment-values.ts";

test("a new experiment begins with 5 % and goes on to 25 and 100 % a day each", () => {
  const body = experimentBody({ ...newExperiment(3, 4), name: "Shorter" }, 7);
  expect(body).toMatchObject({
    agent_id: 7,
    variants: [
      { version_number: 3, weight: 95, is_control: true },
      { version_number: 4, weight: 5, is_control: false },
    ],
    ramp: [
      { percent: 5, after_minutes: null },
      { percent: 25, after_minutes: 1440 },
      { percent: 100, after_minutes: 1440 },
    ],
    slow_ms: 4000,
    success: null,
  });
});

test("a stored experiment is read and sent again as it is, its control first", () => {
  const stored = {
    id: 9,
    name: "Shorter",
    agent_id: 7,
    agent: "A",
    channel_target_id: 2,
    target: "t",
    campaign_id: null,
    campaign_name: null,
    slow_ms: 2500,
    status: "draft" as const,
    stages: [],
    next_step_at: null,
    started_at: null,
    ended_at: null,
    ended_because: null,
    created_at: "",
    last_updated: "",
    last_updated_by: "",
    variants: [
      { version_number: 4, weight: 20, is_control: false },
      { version_number: 3, weight: 80, is_control: true },
    ],
    ramp: [
      { percent: 20, after_minutes: null },
      { percent: 50, after_minutes: 90 },
    ],
    guards: ["errors" as const],
    success: { insight_key: "booked", values: ["yes", "moved"], tool: null, end_reasons: [] },
  };
  const body = experimentBody(experimentValues(stored), 7);
  expect(body).toEqual({
    name: "Shorter",
    agent_id: 7,
    channel_target_id: 2,
    campaign_id: null,
    slow_ms: 2500,
    variants: stored.variants.toReversed(),
    ramp: stored.ramp,
    guards: stored.guards,
    success: { insight_key: "booked", values: ["yes", "moved"] },
  });
});

test("steps are sent only where two versions share the traffic, and the first follows the weight", () => {
  const values = newExperiment(1, 2);
  const other = { ...values, variants: values.variants.map((each) => ({ ...each, weight: 50 })) };
  expect(experimentBody(other, 1).ramp?.[0]).toEqual({ percent: 50, after_minutes: null });
  expect(
    experimentBody({ ...values, variants: [...values.variants, { version_number: 3, weight: 0 }] }, 1).ramp,
  ).toBeNull();
});
