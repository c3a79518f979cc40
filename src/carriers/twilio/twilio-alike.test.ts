import fc from "fast-check";
import { expect, test } from "vitest";
import { oursOf } from "./twilio-alike.ts";

const SINCE = new Date("2026-11-22T12:00:00.400Z");
const listed = (sid: string, at_ms: number) => ({
  sid,
  date_created: new Date(SINCE.getTime() + at_ms).toUTCString(),
});

test("the first since it was asked for is ours, but for those known to be others", async () => {
  // Newest first, as Twilio lists them; Twilio's clock may be behind ours.
  const alike = [listed("CA3", 9000), listed("CA2", -2000), listed("CA1", -3000), listed("CA0", -60_000)];
  const found = (...known: string[]) =>
    oursOf(alike, SINCE, async () => new Set(known)).then((each) => each?.sid);
  expect(await found()).toBe("CA1");
  expect(await found("CA1")).toBe("CA2");
  expect(await found("CA1", "CA2", "CA3")).toBeUndefined();
  expect(await oursOf([{ sid: "CA9" }, listed("CA0", -60_000)], SINCE, async () => new Set())).toBeNull();
});

test("however many look alike, each is found for one of them only, and none is left over", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(5000), { minLength: 1, maxLength: 8 }), async (moments) => {
      const alike = moments.toSorted((a, b) => b - a).map((at_ms, n) => listed(`SM${n}`, at_ms));
      const known = new Set<string>();
      for (const _ of alike) {
        const found = await oursOf(alike, SINCE, async () => known);
        expect(found).not.toBeNull();
        known.add(found!.sid);
      }
      expect(known.size).toBe(alike.length);
      expect(await oursOf(alike, SINCE, async () => known)).toBeNull();
    }),
  );
});
