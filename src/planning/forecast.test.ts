import { expect, test } from "vitest";
import { type ForecastInput, forecast } from "./forecast.ts";

const INPUT: ForecastInput = {
  campaign: {
    daily_start_time: null,
    daily_end_time: null,
    max_daily_calls: null,
    active_days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
    outreach_override_rules: null,
    hourly_rate: 3600,
    retry_count: 0,
    retry_interval: null,
  },
  zone: "America/New_York",
  mode: "voice",
  from: new Date("2026-11-18T15:00:00Z"),
  until: new Date("2026-11-28T15:00:00Z"),
  batches: [
    {
      requests: 50_000,
      retries: [],
      call_rate: null,
      auto_call_rate: false,
      baseline: null,
      expires_on: null,
    },
  ],
  answer_rate: 1,
  skip_rate: 0,
  reached_before: {},
};

test("steps follow a call that nobody answers, each after its wait, and are counted by themselves", async () => {
  const step = { source: "x", address: null, after: null };
  const cadence = [
    { ...step, mode: "sms" as const, wait: "10m" },
    { ...step, mode: "voice" as const, wait: "1d" },
  ];
  const [batch] = INPUT.batches as [ForecastInput["batches"][0]];
  const found = await forecast({
    ...{ ...INPUT, answer_rate: 0.5, cadence },
    batches: [{ ...batch, requests: 100, retries: [{ due_at: INPUT.from, attempt_count: 1, step: 2 }] }],
  });
  // Of 101 calls and later calls half are answered; a text is answered by nobody.
  expect(found.totals).toMatchObject({ first_attempts: 100, retries: 0 });
  expect(found.totals.completed + found.totals.given_up).toBe(101);
  expect(found.totals.steps).toBeGreaterThanOrEqual(100);
  expect(found.left).toBe(0);
  expect(found.days.length).toBe(2);
});

test.each([0, 1])("leaves the program its turns, whoever is skipped: a share of %d", async (skip_rate) => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  try {
    const { totals } = await forecast({ ...INPUT, skip_rate });
    expect(totals.first_attempts + totals.skipped).toBe(50_000);
  } finally {
    clearInterval(timer);
  }
  expect(turns).toBeGreaterThan(10);
});

test("a campaign's limit of attempts at once is kept over all its batches", async () => {
  const [batch] = INPUT.batches as [ForecastInput["batches"][0]];
  const batches = [1, 2, 3].map(() => ({ ...batch, requests: 100 }));
  const { hours, ends_at, left } = await forecast({ ...INPUT, batches, limit: { most: 5, hold_ms: 60_000 } });
  expect(left).toBe(0);
  expect(hours.map(({ first_attempts }) => first_attempts)).toEqual([300]);
  const took_min = ((ends_at as Date).getTime() - INPUT.from.getTime()) / 60_000;
  expect(took_min).toBeGreaterThan(58);
  expect(took_min).toBeLessThan(60);
});
