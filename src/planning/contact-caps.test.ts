import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { capHold, longestCap_ms } from "./contact-caps.ts";
import { type HeldPerson, type OutreachRules, personState } from "./person-hold.ts";

const RULES: OutreachRules = {
  person_clock: false,
  contact_hours: [],
  caps: [],
  days_after_conversation: null,
};
const PERSON: HeldPerson = {
  target: "+12125550100",
  channel: "call",
  purpose: "informational",
  request_variables: {},
  campaign_zone: "America/New_York",
  past: [],
};

describe("caps over all campaigns", () => {
  const NOW = "2026-11-24T18:00:00Z";
  const hoursAgo = (hours: number, more: object = {}) => ({
    channel: "call" as const,
    at: new Date(Date.parse(NOW) - hours * 3_600_000),
    talked_until: null,
    ...more,
  });
  const capped = (
    rules: Partial<OutreachRules>,
    past: ReturnType<typeof hoursAgo>[],
    channel: "call" | "text" = "call",
  ) => personState({ ...RULES, ...rules }, { ...PERSON, past, channel }, new Date(NOW)).hold;
  const ONE_A_DAY = { caps: [{ channel: "call" as const, attempts: 1, days: 1 }] };

  test("who was called as often as a day allows waits until the first of these calls is a day ago", () => {
    const found = capped(ONE_A_DAY, [hoursAgo(10)]);
    expect(found).toMatchObject({ reason: "contact-cap", until: new Date("2026-11-25T08:00:00Z") });
    expect(found?.text).toBe(
      "Waiting: called once in 24 hours over all campaigns, the most that the organization allows; next 2026-11-25 03:00 in New York.",
    );
    expect(capped(ONE_A_DAY, [hoursAgo(24)])).toBeNull();
    expect(capped(ONE_A_DAY, [hoursAgo(10)], "text")).toBeNull();
  });

  test("when a daily and a weekly cap both hold somebody, the reason names the one that ends later", () => {
    const caps = [...ONE_A_DAY.caps, { channel: "any" as const, attempts: 3, days: 7 }];
    const found = capped({ caps }, [hoursAgo(10), hoursAgo(40), hoursAgo(50)]);
    expect(found?.until).toEqual(new Date(Date.parse(NOW) + (7 * 24 - 50) * 3_600_000));
  });

  test("after a conversation the person is left alone on every channel", () => {
    const talked = hoursAgo(10, { talked_until: new Date("2026-11-24T08:05:00Z") });
    const found = capped({ days_after_conversation: 2 }, [talked], "text");
    expect(found).toMatchObject({ reason: "after-conversation", until: new Date("2026-11-26T08:05:00Z") });
  });

  test("caps hold a person exactly as long as one of them is full, each counting its own channel, or the rest lasts; older tries count for nothing", () => {
    const DAY_ms = 86_400_000;
    const now = Date.parse(NOW);
    const channel = fc.constantFrom("call" as const, "text" as const, "email" as const);
    const contact = fc.record({
      channel,
      at: fc.integer({ min: 0, max: 12 * 24 }).map((hours) => new Date(now - hours * 3_600_000)),
      talked_until: fc.option(
        fc.integer({ min: 0, max: 12 * 24 }).map((hours) => new Date(now - hours * 3_600_000)),
        { nil: null },
      ),
    });
    const cap = fc.record({
      channel: fc.oneof(channel, fc.constant("any" as const)),
      attempts: fc.integer({ min: 1, max: 3 }),
      days: fc.integer({ min: 1, max: 7 }),
    });
    const rules = fc.record({
      caps: fc.array(cap, { maxLength: 3 }),
      days_after_conversation: fc.option(fc.integer({ min: 1, max: 7 }), { nil: null }),
    });
    fc.assert(
      fc.property(rules, channel, fc.array(contact, { maxLength: 8 }), (of, by, past) => {
        const { caps, days_after_conversation: rest } = of;
        const isHeld = (at: number): boolean =>
          caps.some(({ channel: counts, attempts, days }) => {
            if (counts !== "any" && counts !== by) return false;
            const within = past.filter((each) => counts === "any" || each.channel === counts);
            return within.filter((each) => at < each.at.getTime() + days * DAY_ms).length >= attempts;
          }) ||
          past.some(
            ({ talked_until }) =>
              rest !== null && talked_until && at < talked_until.getTime() + rest * DAY_ms,
          );
        const found = capHold(of, by, past, new Date(now));
        expect(found !== null).toBe(isHeld(now));
        if (found)
          expect([isHeld(found.until.getTime() - 1), isHeld(found.until.getTime())]).toEqual([true, false]);
        const since = now - longestCap_ms(of);
        const young = past.filter(({ at, talked_until }) => Math.max(+at, +(talked_until ?? 0)) > since);
        expect(capHold(of, by, young, new Date(now))).toEqual(found);
      }),
      { numRuns: rounds(500) },
    );
  });

  test("no sequence of tries at allowed times ever has more in a window than the cap", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 5, maxLength: 60 }),
        (attempts, days, gaps) => {
          const rules = {
            ...RULES,
            caps: [{ channel: "any" as const, attempts, days }],
          };
          const past: ReturnType<typeof hoursAgo>[] = [];
          let at = Date.parse(NOW);
          for (const gap of gaps) {
            at += gap * 3_600_000;
            const state = personState(rules, { ...PERSON, past }, new Date(at));
            if (state.hold === null) past.push({ channel: "call", at: new Date(at), talked_until: null });
          }
          for (const { at: end } of past) {
            const within = past.filter(
              (each) => each.at <= end && each.at.getTime() > end.getTime() - days * 86_400_000,
            );
            expect(within.length).toBeLessThanOrEqual(attempts);
          }
        },
      ),
    );
  });
});
