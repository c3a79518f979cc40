import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { type Contender, HIGHEST_PRIORITY, LOWEST_PRIORITY, placeOrder, weightOf } from "./place-order.ts";

const FROM = new Date("2026-11-26T12:00:00Z");
const after = (s: number) => new Date(FROM.getTime() + s * 1_000);

const aPriority = fc.integer({ min: LOWEST_PRIORITY, max: HIGHEST_PRIORITY });
const someCampaigns = fc.array(aPriority, { minLength: 1, maxLength: 8 });
const someContenders = someCampaigns.chain((priorities) =>
  fc
    .array(
      fc.record({
        campaign: fc.nat({ max: priorities.length - 1 }),
        batch_key: fc.option(fc.nat({ max: 5 })),
        waited_s: fc.option(fc.integer({ min: -5, max: 900 })),
      }),
      { maxLength: 40 },
    )
    .map((asked) =>
      asked.map(
        ({ campaign, batch_key, waited_s }): Contender => ({
          campaign_id: campaign,
          batch_key,
          priority: priorities[campaign] as number,
          since: waited_s === null ? null : after(-waited_s),
        }),
      ),
    ),
);

const countsOf = (all: readonly Contender[], id: number): number => {
  const some = all.filter(({ campaign_id }) => campaign_id === id);
  const waited = some.map(({ since }) => (since === null ? 0 : (FROM.getTime() - since.getTime()) / 1_000));
  return weightOf(some[0]?.priority as number) * (1 + Math.max(0, ...waited));
};

test("everybody who asks is in the order once, those of one campaign as they were given", () => {
  fc.assert(
    fc.property(someContenders, (all) => {
      const order = placeOrder(all, FROM);
      expect(new Set(order)).toEqual(new Set(all));
      expect(order).toHaveLength(all.length);
      const byCampaign = (list: readonly Contender[]) => Map.groupBy(list, ({ campaign_id }) => campaign_id);
      for (const [id, some] of byCampaign(all)) expect(byCampaign(order).get(id)).toEqual(some);
    }),
  );
});

test("a campaign's first place comes before those of each campaign that counts for less by weight and waiting", () => {
  fc.assert(
    fc.property(someContenders, (all) => {
      const order = placeOrder(all, FROM);
      const firsts = [...new Set(order.map(({ campaign_id }) => campaign_id))];
      const counts = firsts.map((id) => countsOf(all, id));
      expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    }),
  );
});

/**
 * Campaigns that always want another place, of which `per_second` become free each second. What each got, and the longest
 * that each waited for one, in seconds.
 */
function share(priorities: number[], per_second: number, seconds: number) {
  const got = priorities.map(() => 0);
  const longest_s = priorities.map(() => 0);
  const since = priorities.map(() => FROM);
  for (let second = 1; second <= seconds; second++) {
    const now = after(second);
    const all = priorities.flatMap((priority, campaign_id) =>
      Array.from({ length: per_second }, () => ({
        campaign_id,
        batch_key: null,
        priority,
        since: since[campaign_id] as Date,
      })),
    );
    for (const { campaign_id, since: last } of placeOrder(all, now).slice(0, per_second)) {
      got[campaign_id] = (got[campaign_id] as number) + 1;
      longest_s[campaign_id] = Math.max(
        longest_s[campaign_id] as number,
        second - (last.getTime() - FROM.getTime()) / 1_000,
      );
      since[campaign_id] = now;
    }
  }
  return { got, longest_s };
}

test("while places are short each campaign gets at least half of its share by weight, and waits at most twice as long as it says", () => {
  fc.assert(
    fc.property(someCampaigns, fc.integer({ min: 1, max: 20 }), (priorities, per_second) => {
      const total = priorities.reduce((sum, priority) => sum + weightOf(priority), 0);
      const seconds = 500;
      const { got, longest_s } = share(priorities, per_second, seconds);
      for (const [index, priority] of priorities.entries()) {
        const part = weightOf(priority) / total;
        const due = seconds * per_second * part;
        expect(got[index]).toBeGreaterThan(due * 0.5 - 2);
        // By its share it gets a place every so many seconds.
        expect(longest_s[index]).toBeLessThanOrEqual(2 + 2 / (part * per_second));
      }
    }),
    { numRuns: rounds(60) },
  );
});
