import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Conditions, inSpan, meets, NO_CONDITIONS, type Subject } from "./conditions.ts";

const subject = (more: Partial<Subject> = {}): Subject => ({
  id: 1,
  duration_s: 60,
  agents: ["7", "Front desk"],
  prompts: ["3", "Booking"],
  folder_id: null,
  ...more,
});
const met = (conditions: Partial<Conditions>, more: Partial<Subject> = {}) =>
  taken({ ...NO_CONDITIONS, ...conditions }, subject(more));
const nobody = { agent_ids: [], prompt_ids: [] };
const taken = (conditions: Conditions, any: Subject) => meets({ id: 1, conditions, ...nobody }, any);
const inSample = (workflow_id: number, id: number, sample_rate: number | null) =>
  meets({ id: workflow_id, conditions: { ...NO_CONDITIONS, sample_rate }, ...nobody }, subject({ id }));

const anySubject: fc.Arbitrary<Subject> = fc.record({
  id: fc.nat(),
  duration_s: fc.option(fc.double({ min: 0, max: 5000, noNaN: true })),
  agents: fc.array(fc.string()),
  prompts: fc.array(fc.string()),
  folder_id: fc.constant(null),
});

describe("conditions", () => {
  test("a workflow without conditions takes every session", () => {
    fc.assert(fc.property(anySubject, (any) => taken(NO_CONDITIONS, any)));
  });

  test("an empty list asks for nothing, like null", () => {
    fc.assert(
      fc.property(anySubject, (any) => taken({ ...NO_CONDITIONS, agent_list: [], prompt_list: [] }, any)),
    );
  });

  test.each([
    [{ min_duration: 60 }, {}, true],
    [{ min_duration: 61 }, {}, false],
    [{ max_duration: 60 }, {}, true],
    [{ max_duration: 59 }, {}, false],
    [{ min_duration: 0 }, { duration_s: null }, false],
    [{ max_duration: 9 }, { duration_s: null }, false],
    [{ agent_list: [7] }, {}, true],
    [{ agent_list: [8] }, {}, false],
    [{ agent_list: ["Front desk"] }, {}, true],
    [{ agent_list: ["front desk"] }, {}, false],
    [{ agent_list: ["7"] }, {}, true],
    [{ prompt_list: ["Booking"] }, {}, true],
    [{ prompt_list: ["3"] }, {}, true],
    [{ prompt_list: ["Billing"] }, {}, false],
    [{ agent_list: [7], prompt_list: ["Billing"] }, {}, false],
    [{ folder_list: [4] }, {}, true],
    [{ folder_list: [4] }, { folder_id: 4 }, true],
    [{ folder_list: [4] }, { folder_id: 5 }, false],
    [{}, { folder_id: 4 }, false],
    [{ folder_list: [] }, { folder_id: 4 }, false],
  ] as const)("%j of %j: %s", (conditions, more, expected) => {
    expect(met(conditions as unknown as Partial<Conditions>, more as Partial<Subject>)).toBe(expected);
  });

  test("what is taken with one more condition was taken without it", () => {
    const narrower = fc.record({
      min_duration: fc.option(fc.nat(5000)),
      max_duration: fc.option(fc.nat(5000)),
      agent_list: fc.option(fc.array(fc.string())),
      prompt_list: fc.option(fc.array(fc.string())),
    });
    fc.assert(
      fc.property(
        narrower,
        anySubject,
        fc.constantFrom("min_duration", "max_duration", "agent_list", "prompt_list"),
        (conditions, any, left_out) => {
          const all = { ...NO_CONDITIONS, ...conditions };
          return !taken(all, any) || taken({ ...all, [left_out]: null }, any);
        },
      ),
    );
  });
});

describe("the sample", () => {
  const ids = fc.integer({ min: 1, max: 2 ** 48 });
  const rate = fc.double({ min: 0, max: 100, noNaN: true });

  test("falls the same on every machine: these draws never change", () => {
    const drawn = Array.from({ length: 40 }, (_, id) => id).filter((id) => inSample(1, id, 25));
    // Worked out apart from this program: the first 8 hex digits of sha256("1:<id>"), modulo a million.
    expect(drawn).toEqual([1, 5, 10, 11, 13, 22, 24, 33, 39]);
  });

  test("of a higher rate holds all that a lower rate took", () => {
    fc.assert(
      fc.property(ids, ids, rate, rate, (workflow, session, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        return !inSample(workflow, session, low) || inSample(workflow, session, high);
      }),
    );
  });

  test("at 100 percent and without a rate is everything, at 0 nothing", () => {
    fc.assert(
      fc.property(ids, ids, (w, s) => inSample(w, s, null) && inSample(w, s, 100) && !inSample(w, s, 0)),
    );
  });

  test.each([
    [10, 2000],
    [0.1, 20],
    [50, 10_000],
    [33.3, 6660],
  ])("at %d percent takes about that many of 20,000", (percent, expected) => {
    const taken = Array.from({ length: 20_000 }, (_, id) => id).filter((id) => inSample(3, id, percent));
    // Five standard deviations: it would fall outside once in two million such workflows.
    const spread = 5 * Math.sqrt(expected * (1 - percent / 100));
    expect(Math.abs(taken.length - expected)).toBeLessThan(spread);
  });

  test("is another one for each workflow", () => {
    const of = (workflow: number) =>
      Array.from({ length: 1000 }, (_, id) => inSample(workflow, id, 50)).join();
    expect(of(1)).not.toBe(of(2));
  });
});

test("a span holds both of its ends, and null leaves it open", () => {
  const [start_datetime, end_datetime] = ["2026-11-01T00:00:00+00:00", "2026-11-30T00:00:00+00:00"];
  const at = (text: string) => new Date(text);
  expect(inSpan({ start_datetime, end_datetime }, at("2026-11-01T00:00:00Z"))).toBe(true);
  expect(inSpan({ start_datetime, end_datetime }, at("2026-10-31T23:59:59Z"))).toBe(false);
  expect(inSpan({ start_datetime, end_datetime }, at("2026-11-30T00:00:00Z"))).toBe(true);
  expect(inSpan({ start_datetime, end_datetime }, at("2026-11-30T00:00:01Z"))).toBe(false);
  expect(inSpan({ start_datetime: null, end_datetime: null }, at("1999-01-01T00:00:00Z"))).toBe(true);
});
