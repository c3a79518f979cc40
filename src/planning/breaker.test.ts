import { describe, expect, test } from "vitest";
import { afterOutcomes, healthy, type SourceHealth, sourceLimit } from "./breaker.ts";

const start = new Date("2026-11-18T12:00:00Z");
const later = (s: number) => new Date(start.getTime() + s * 1000);
const ended = (health: SourceHealth, of: number, failed: number, s: number) =>
  afterOutcomes(health, { ended: of, failed, repeated: 0, refused: null }, later(s));

describe("a source", () => {
  test("goes on while few fail, and while too few ended to tell", () => {
    expect(ended(healthy(start), 4, 4, 1).tripped).toBe(false);
    expect(ended(healthy(start), 10, 4, 1).tripped).toBe(false);
  });

  test("pauses for a minute when half of the last five or more failed", () => {
    const { health, tripped } = ended(healthy(start), 6, 3, 10);
    expect(tripped).toBe(true);
    expect(health.closed_until).toEqual(later(70));
    expect(sourceLimit(health, 20, later(69))).toBe(0);
    expect(sourceLimit(health, 20, later(70))).toBe(1);
  });

  test("judges the last attempts however slowly they come, and forgets those before", () => {
    let health = healthy(start);
    for (let i = 0; i < 40; i++) health = ended(health, 1, 0, i * 3600).health;
    let failures = 0;
    for (let tripped = false; !tripped; failures++)
      ({ health, tripped } = ended(health, 1, 1, (50 + failures) * 3600));
    expect(failures).toBeLessThanOrEqual(7);
  });

  test("goes on for ever where fewer than half fail, however many have ended", () => {
    let health = healthy(start);
    for (let i = 0; i < 200; i++) {
      const next = ended(health, 5, 2, i);
      expect(next.tripped).toBe(false);
      health = next.health;
    }
  });

  test("is not paused by one person whom the carrier never takes, but a try that meets them fails", () => {
    const repeated = { ended: 0, failed: 0, repeated: 1, refused: null };
    let health = healthy(start);
    for (let i = 0; i < 20; i++) health = afterOutcomes(health, repeated, later(i)).health;
    expect(health.closed_until).toBeNull();
    const { health: paused } = ended(healthy(start), 5, 5, 0);
    expect(afterOutcomes(paused, repeated, later(61)).tripped).toBe(true);
  });

  test("pauses at once for what the carrier refuses because of us, keeps its words, and goes on when it is mended", () => {
    const refusal = { ended: 0, failed: 0, repeated: 0, refused: "The account is suspended" };
    const { health, tripped } = afterOutcomes(healthy(start), refusal, start);
    expect([tripped, health.reason, health.closed_until]).toEqual([
      true,
      "The account is suspended",
      later(60),
    ]);
    const again = afterOutcomes(health, refusal, later(61));
    expect([again.tripped, again.health.closed_until]).toEqual([true, later(181)]);
    const oneOfTwo = { ended: 1, failed: 0, repeated: 0, refused: "The account is suspended" };
    expect(afterOutcomes(again.health, oneOfTwo, later(182)).tripped).toBe(true);
    expect(ended(again.health, 1, 0, 182).health).toEqual(healthy(later(182)));
  });

  test("goes on at once when the attempt after the pause goes well", () => {
    const { health } = ended(healthy(start), 5, 5, 0);
    const { health: well, tripped } = ended(health, 1, 0, 61);
    expect([well.closed_until, tripped]).toEqual([null, false]);
    expect(sourceLimit(well, 20, later(61))).toBe(20);
  });

  test("goes on being tried while nothing has ended since its pause, and counts anew from the moment that it paused", () => {
    const { health } = ended(healthy(start), 5, 5, 0);
    expect([health.ended, health.failed]).toEqual([0, 0]);
    const { health: same, tripped } = ended(health, 0, 0, 61);
    expect([same.closed_until, tripped]).toEqual([later(60), false]);
    expect(ended(health, 1, 0, 60).health).toEqual(healthy(later(60)));
  });

  test("pauses twice as long each time that it fails, up to a quarter of an hour", () => {
    let health = healthy(start);
    let at = 0;
    const pauses: number[] = [];
    for (let i = 0; i < 6; i++) {
      health = ended(health, 5, 5, at).health;
      const until = (health.closed_until?.getTime() ?? 0) / 1000 - start.getTime() / 1000;
      pauses.push(until - at);
      at = until + 1;
    }
    expect(pauses).toEqual([60, 120, 240, 480, 900, 900]);
  });

  test("is told nothing new by what was under way when it paused", () => {
    const { health } = ended(healthy(start), 5, 5, 0);
    for (const [of, failed] of [
      [3, 3],
      [20, 20],
      [20, 0],
    ] as const)
      expect(ended(health, of, failed, 30)).toEqual({ health, tripped: false });
  });
});
