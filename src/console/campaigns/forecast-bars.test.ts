import { expect, test } from "vitest";
import { earliestEnd } from "./forecast-bars.ts";

const ENDS = "2026-11-29T17:19:00.000Z";
const own = (...opens: string[]) => ({
  waiting: 10,
  judged: 10,
  held: opens.length,
  first_at: opens[0] ?? null,
  text: "",
  zones: opens.map((opens_at) => ({ zone: "Pacific/Honolulu", people: 1, opens_at })),
});

test("a campaign finishes no earlier than the last zone opens whose people wait for their own hours", () => {
  expect(earliestEnd(ENDS, own("2026-11-29T18:00:00Z", "2026-11-30T15:00:00Z"))).toBe("2026-11-30T15:00:00Z");
  expect(earliestEnd(ENDS, own("2026-11-29T17:00:00Z"))).toBe(ENDS);
  expect([earliestEnd(ENDS, own()), earliestEnd(ENDS, null)]).toEqual([ENDS, ENDS]);
});
