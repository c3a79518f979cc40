import fc from "fast-check";
import { describe, expect, test } from "vitest";
import "../../test/harness/seed.ts";
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
    ...INPUT,
    answer_rate: 0.5,
    cadence,
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

describe("people who wait", () => {
  const [batch] = INPUT.batches as [ForecastInput["batches"][0]];
  const inHours = (hours: number) => new Date(INPUT.from.getTime() + hours * 3_600_000);
  const waiting = [
    { due_at: inHours(3), attempt_count: 1 },
    { due_at: inHours(1), attempt_count: 1 },
    { due_at: inHours(2), attempt_count: 1, step: 1 },
  ];
  const cadence = [{ mode: "voice" as const, source: "x", address: null, wait: "1h", after: null }];
  const run = (more: Partial<ForecastInput["batches"][0]>, input: Partial<ForecastInput> = {}) =>
    forecast({ ...INPUT, cadence, ...input, batches: [{ ...batch, ...more }] });

  test("are tried when they are due, in whatever order they are given, and left where that is at the end or later", async () => {
    const before = await run({ requests: 0, retries: waiting }, { until: inHours(2) });
    expect([before.totals.retries, before.totals.steps, before.left, before.ends_at]).toEqual([
      1,
      0,
      2,
      null,
    ]);
    const all = await run({ requests: 0, retries: waiting }, { until: inHours(4) });
    expect(all.hours.map(({ at, retries, steps }) => [at, retries, steps])).toEqual([
      [inHours(1), 1, 0],
      [inHours(2), 0, 1],
      [inHours(3), 1, 0],
    ]);
    expect([all.left, all.ends_at]).toEqual([0, inHours(3)]);
  });

  test("of a batch that has expired nobody is tried", async () => {
    const { totals, left } = await run({ requests: 5, retries: waiting, expires_on: INPUT.from });
    expect([totals.first_attempts, left]).toEqual([0, 8]);
  });

  test("for a later step are tried by when it is due, not by when it was added, and a text that is the last step completes it", async () => {
    const steps = [
      { mode: "voice" as const, source: "x", address: null, wait: "2h", after: null },
      { mode: "sms" as const, source: "x", address: null, wait: "10m", after: null },
    ];
    const retries = [{ due_at: new Date(INPUT.from.getTime() + 1_000), attempt_count: 1, step: 1 }];
    const found = await run({ requests: 1, retries }, { cadence: steps, answer_rate: 0 });
    expect(found.hours.map(({ at, steps: of, completed }) => [at, of, completed])).toEqual([
      [inHours(0), 2, 1],
      [inHours(2), 2, 1],
    ]);
    expect([found.totals.given_up, found.left]).toEqual([0, 0]);
  });

  test("are sent a text again that was not delivered", async () => {
    const campaign = { ...INPUT.campaign, retry_count: 1 };
    const { totals } = await run({ requests: 1 }, { campaign, mode: "sms", cadence: [], answer_rate: 0 });
    expect([totals.first_attempts, totals.retries, totals.given_up]).toEqual([1, 1, 1]);
  });

  test("are contacted for the first time as often as a day allows, those of today so far counted", async () => {
    const campaign = { ...INPUT.campaign, max_daily_calls: 30, retry_count: 1 };
    const reached_before = { "2026-11-18": 10 };
    const { days } = await run({ requests: 60 }, { campaign, cadence: [], answer_rate: 0.5, reached_before });
    expect(days.map(({ date, cap, first_attempts }) => [date, cap, first_attempts])).toEqual([
      ["2026-11-18", 30, 20],
      ["2026-11-19", 30, 30],
      ["2026-11-20", 30, 10],
    ]);
  });

  test("answer in the given share, neither side favoured by rounding", async () => {
    const completed = async (requests: number, answer_rate: number) =>
      (await run({ requests }, { cadence: [], answer_rate })).totals.completed;
    expect([await completed(10, 0.25), await completed(2, 0.25), await completed(1, 0.5)]).toEqual([3, 1, 1]);
  });

  test("are skipped before their first attempt only, in the given share", async () => {
    const campaign = { ...INPUT.campaign, retry_count: 1 };
    const { totals } = await run(
      { requests: 100 },
      { campaign, cadence: [], answer_rate: 0, skip_rate: 0.25 },
    );
    expect(totals).toEqual({
      first_attempts: 75,
      retries: 75,
      steps: 0,
      completed: 0,
      given_up: 75,
      skipped: 25,
    });
  });

  test("and those who were tried before make up the rate of a batch that spreads its calls until it ends", async () => {
    const auto = { auto_call_rate: true, expires_on: inHours(10), call_rate: 1 };
    const later = Array.from({ length: 50 }, () => ({ due_at: inHours(9), attempt_count: 1 }));
    const inFirstHour = async (requests: number, retries: typeof later) =>
      (await run({ ...auto, requests, retries })).hours[0]?.first_attempts;
    expect(await inFirstHour(100, later)).toBe(await inFirstHour(150, []));
    expect(await inFirstHour(100, later)).toBeGreaterThan((await inFirstHour(100, [])) as number);
  });
});

test("a campaign's limit of attempts at once is kept over all its batches", async () => {
  const [batch] = INPUT.batches as [ForecastInput["batches"][0]];
  const batches = [1, 2, 3].map(() => ({ ...batch, requests: 100 }));
  const { hours, ends_at, left } = await forecast({
    ...INPUT,
    batches,
    limits: { campaign: { most: 5, hold_ms: 60_000 }, agent: null },
  });
  expect(left).toBe(0);
  expect(hours.map(({ first_attempts }) => first_attempts)).toEqual([300]);
  const took_min = ((ends_at as Date).getTime() - INPUT.from.getTime()) / 60_000;
  expect(took_min).toBeGreaterThan(58);
  expect(took_min).toBeLessThan(60);
});

describe("limits of agent and numbers", () => {
  const [batch] = INPUT.batches as [ForecastInput["batches"][0]];
  const minutes = (ends_at: Date | null) => ((ends_at as Date).getTime() - INPUT.from.getTime()) / 60_000;

  test("an agent's calls at once are bounded, and texts of the same campaign are not", async () => {
    const limits = { campaign: null, agent: { most: 2, hold_ms: 60_000 } };
    const batches = [{ ...batch, requests: 100 }];
    expect(Math.floor(minutes((await forecast({ ...INPUT, batches, limits })).ends_at))).toBe(49);
    expect(minutes((await forecast({ ...INPUT, mode: "sms", batches, limits })).ends_at)).toBeLessThan(2);
  });

  test("steps of the agent count, those that others call do not", async () => {
    const cadence = [{ mode: "voice" as const, source: "x", address: null, wait: "1m", after: null }];
    const batches = [{ ...batch, requests: 100 }];
    const limits = { campaign: null, agent: { most: 1, hold_ms: 60_000 } };
    const each = { ...INPUT, answer_rate: 0, cadence, batches, limits };
    const [own, others] = [
      await forecast({ ...each, agents_steps: new Set([1]) }),
      await forecast({ ...each, agents_steps: new Set() }),
    ];
    expect([own, others].map(({ totals }) => totals.steps)).toEqual([100, 100]);
    expect(minutes(own.ends_at)).toBe(199);
    expect(minutes(others.ends_at)).toBeLessThan(102);
  });

  test("a group's numbers make no more than their caps a day, on the group's clock, what was used counted", async () => {
    const number_cap = { zone: "America/Chicago", per_day: 40, used: { at: INPUT.from, attempts: 25 } };
    const { days, hours, left } = await forecast({
      ...INPUT,
      number_cap,
      batches: [{ ...batch, requests: 100 }],
    });
    // 15 today; the next day of the group begins at 01:00 in New York.
    expect(days.map(({ first_attempts }) => first_attempts)).toEqual([15, 40, 40, 5]);
    expect(hours[1]?.at.toISOString()).toBe("2026-11-19T06:00:00.000Z");
    expect(left).toBe(0);
  });

  test("texts of later steps go on while the numbers of the calls are used up", async () => {
    const cadence = [{ mode: "sms" as const, source: "x", address: null, wait: "10m", after: null }];
    const number_cap = { zone: "UTC", per_day: 10, used: { at: INPUT.from, attempts: 0 } };
    const { days } = await forecast({
      ...INPUT,
      answer_rate: 0,
      cadence,
      number_cap,
      batches: [{ ...batch, requests: 20 }],
    });
    expect(days.map(({ first_attempts, steps }) => [first_attempts, steps])).toEqual([[20, 20]]);
  });

  test("a group without numbers reaches nobody", async () => {
    const number_cap = { zone: "UTC", per_day: 0, used: { at: INPUT.from, attempts: 0 } };
    const { left, ends_at } = await forecast({ ...INPUT, number_cap });
    expect([left, ends_at]).toEqual([50_000, null]);
  });

  const limit = fc.option(
    fc.record({ most: fc.integer({ min: 1, max: 4 }), hold_ms: fc.integer({ min: 1, max: 600_000 }) }),
  );
  const cap = fc.option(
    fc.record({
      zone: fc.constantFrom("UTC", "America/Chicago", "Asia/Kolkata"),
      per_day: fc.integer({ min: 1, max: 40 }),
      used: fc.record({ at: fc.constant(INPUT.from), attempts: fc.nat({ max: 30 }) }),
    }),
  );
  const tighter = (one: { most: number; hold_ms: number } | null) =>
    one === null
      ? { most: 4, hold_ms: 60_000 }
      : { most: Math.max(1, one.most - 1), hold_ms: one.hold_ms + 1 };
  const campaign = fc.record({
    daily_start_time: fc.constantFrom(null, "09:00:00"),
    daily_end_time: fc.constantFrom(null, "10:30:00", "17:00:00"),
    max_daily_calls: fc.option(fc.integer({ min: 1, max: 30 })),
  });
  const end = ({ ends_at }: { ends_at: Date | null }) => ends_at?.getTime() ?? Number.POSITIVE_INFINITY;

  test("more limits, and tighter ones, never let a list end earlier", async () => {
    await fc.assert(
      fc.asyncProperty(
        ...([
          campaign,
          limit,
          limit,
          cap,
          fc.integer({ min: 1, max: 60 }),
          fc.integer({ min: 60, max: 3600 }),
        ] as const),
        async (schedule, of_campaign, of_agent, number_cap, requests, call_rate) => {
          const input = {
            ...INPUT,
            campaign: { ...INPUT.campaign, ...schedule },
            batches: [{ ...batch, requests, call_rate }],
          };
          const run = (limits: ForecastInput["limits"], numbers: typeof number_cap) =>
            forecast({ ...input, limits: limits as never, number_cap: numbers }).then(end);
          const free = await run({ campaign: null, agent: null }, null);
          const one = await run({ campaign: of_campaign, agent: null }, null);
          const two = await run({ campaign: of_campaign, agent: of_agent }, null);
          const all = await run({ campaign: of_campaign, agent: of_agent }, number_cap);
          const tight = await run({ campaign: tighter(of_campaign), agent: tighter(of_agent) }, number_cap);
          const ends = [free, one, two, all, tight];
          expect(ends).toEqual(ends.toSorted((a, b) => a - b));
        },
      ),
    );
  });

  test("of several lists none ends earlier because of a limit, while nobody is tried twice", async () => {
    const list = fc.record({
      requests: fc.integer({ min: 1, max: 40 }),
      call_rate: fc.integer({ min: 60, max: 3600 }),
    });
    await fc.assert(
      fc.asyncProperty(
        ...([fc.array(list, { minLength: 2, maxLength: 4 }), limit, limit] as const),
        async (lists, of_campaign, of_agent) => {
          const batches = lists.map((each) => ({ ...batch, ...each }));
          const free = await forecast({ ...INPUT, batches });
          const bound = await forecast({
            ...INPUT,
            batches,
            limits: { campaign: of_campaign, agent: of_agent },
          });
          expect(end(bound)).toBeGreaterThanOrEqual(end(free));
        },
      ),
    );
  });
});
