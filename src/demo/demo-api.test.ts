import { expect, test } from "vitest";
import { openTimes, SERVICES } from "./demo-api.ts";

test("every working day has four times for each service, the same ones each time, and a weekend none", () => {
  const monday = Temporal.PlainDate.from("2026-01-05");
  for (let days = 0; days < 371; days++) {
    const date = monday.add({ days });
    for (const service of SERVICES) {
      const times = openTimes(String(date), service);
      expect({ date, times }).toEqual({ date, times: [...new Set(times)].toSorted() });
      expect({ date, open: times.length }).toEqual({ date, open: date.dayOfWeek > 5 ? 0 : 4 });
      expect(openTimes(String(date), service)).toEqual(times);
    }
  }
});
