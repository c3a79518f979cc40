import { expect, test } from "vitest";
import { dayLink, rowLink } from "./session-links.ts";

const DAYS = { from: "2026-11-01", to: "2026-11-07" };
const link = (dashboard: string, columns: string[], row: (string | number | null)[]) =>
  rowLink(dashboard, { name: "x", columns, rows: [row] }, row, DAYS);

test("a row of a dashboard leads to the sessions that it counts, and to none where no filter names them", () => {
  expect(link("session_summary", ["Channel", "Sessions"], ["voice", 3])).toBe(
    "/sessions?f_channel=voice&from=2026-11-01&to=2026-11-07",
  );
  expect(link("session_transfers", ["Agent", "Prompt", "Version", "Transfers"], ["A & B", "P", 2, 1])).toBe(
    "/sessions?f_event=phone-transfer&f_agent_name=A+%26+B&f_prompt_name=P&f_prompt_version=2&from=2026-11-01&to=2026-11-07",
  );
  expect(link("insights", ["Insight", "Value", "Outputs"], ["rating", "Bad", 1])).toBe(
    "/sessions?f_insight=rating%3DBad&from=2026-11-01&to=2026-11-07",
  );
  expect(link("sessions", ["Began", "Session"], ["2026-11-01T00:00:00Z", 12])).toBe("/sessions/12");
  expect(link("insights", ["Insight", "Outputs"], ["rating", 1])).toBeNull();
  expect(link("insights", ["Reason", "Executions"], ["timeout", 1])).toBeNull();
});

test("a bar of a day leads to the day's sessions of its kind", () => {
  expect(dayLink("sessions", "2026-11-03", "voice")).toBe(
    "/sessions?f_channel=voice&from=2026-11-03&to=2026-11-03",
  );
  expect(dayLink("session_summary", "2026-11-03", "Sessions")).toBe(
    "/sessions?from=2026-11-03&to=2026-11-03",
  );
});
