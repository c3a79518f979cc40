import fc from "fast-check";
import { expect, test } from "vitest";
import { personKey, versionFor } from "./version-split.ts";

const people = Array.from({ length: 10_000 }, (_, n) => `+1512555${String(n).padStart(4, "0")}`);
const split = (...weights: number[]) => weights.map((weight, n) => ({ version_number: n + 1, weight }));

test("shares of 10,000 people differ from the weights as those of a fair draw do, and up to 25 % by less than 1 %", () => {
  const EXPERIMENTS = 12;
  for (const percent of [5, 25, 50]) {
    const weight = percent / 100;
    const off = Array.from({ length: EXPERIMENTS }, (_, n) => {
      const met = people.filter((person) => versionFor(n + 1, person, split(100 - percent, percent)) === 2);
      return met.length / people.length - weight;
    });
    const fair = Math.sqrt((weight * (1 - weight)) / people.length);
    const spread = Math.sqrt(off.reduce((sum, one) => sum + one ** 2, 0) / EXPERIMENTS);
    expect(spread / fair).toBeGreaterThan(0.5);
    expect(spread / fair).toBeLessThan(1.7);
    if (percent <= 25) expect(Math.max(...off.map(Math.abs))).toBeLessThan(0.01);
  }
});

test("a ramp of 5, 25 and 100 % moves people only to the tried version, and the same weights move nobody", () => {
  const steps = [5, 25, 100].map((percent) =>
    people.map((person) => versionFor(7, person, split(100 - percent, percent))),
  );
  for (const [n, met] of steps.entries())
    for (const [at, version] of (steps[n + 1] ?? met).entries()) if (met[at] === 2) expect(version).toBe(2);
  expect(people.map((person) => versionFor(7, person, split(75, 25)))).toEqual(steps[1]);
});

const weight = fc.nat(100);
const weights = fc.array(weight, { minLength: 2, maxLength: 5 }).filter((all) => all.some((one) => one > 0));

test("whatever the weights become, people move only to versions that gain against theirs", () => {
  fc.assert(
    fc.property(fc.nat(), fc.string(), weights, weights, (experiment, person, before, after) => {
      const after_ = before.map((_, n) => after[n] ?? 0);
      if (!after_.some((one) => one > 0)) return;
      const was = versionFor(experiment, person, split(...before)) - 1;
      const is = versionFor(experiment, person, split(...after_)) - 1;
      if (was === is) return;
      const gain = (n: number) => (after_[n] as number) / (before[n] as number);
      expect(gain(is)).toBeGreaterThan(gain(was));
    }),
  );
});

test("a version without weight is met by nobody, and the order of versions decides nothing", () => {
  fc.assert(
    fc.property(fc.nat(), fc.string(), weights, (experiment, person, some) => {
      const all = split(...some);
      const met = versionFor(experiment, person, all);
      expect(all.find(({ version_number }) => version_number === met)?.weight).toBeGreaterThan(0);
      expect(versionFor(experiment, person, all.toReversed())).toBe(met);
    }),
  );
});

test("a person is the same on every channel of a number or an address", () => {
  const arrival = { channel_target_id: null, verified: true, claimed_user: null, sid: "s" };
  const key = (source: string | null, more: object = {}) => personKey({ ...arrival, source, ...more });
  expect(key("whatsapp:+15125550100")).toBe(key("+15125550100"));
  expect(key("Ann@Example.com")).toBe(key("ann@example.com"));
  expect(key("visitor-1", { verified: false, claimed_user: "ann" })).toBe("ann");
  expect(key("visitor-1", { verified: false })).toBe("visitor-1");
  expect(key(null)).toBe("s");
  expect(key("private@example.com")).toBe("private@example.com");
});

test.each(["+266696687", "anonymous", "Restricted", "sip:anonymous@anonymous.invalid", "", " "])(
  "callers who withhold their number (%j) are one each, and their share follows the weights",
  (source) => {
    const met = Array.from({ length: 1_000 }, (_, n) =>
      versionFor(
        3,
        personKey({ channel_target_id: null, verified: false, source, sid: `CA${n}` }),
        split(75, 25),
      ),
    );
    const share = met.filter((version) => version === 2).length / met.length;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.3);
  },
);
