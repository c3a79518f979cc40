import { expect, test } from "vitest";
import { traceWords } from "./trace-words.ts";

const lineOf = (details: Record<string, unknown>) =>
  traceWords({
    turn_index: 1,
    category: "step",
    label: "condition",
    timestamp: "2026-11-30T12:00:00Z",
    metadata: null,
    duration_ms: null,
    details: { step: "ASK", where: "ASK.next.0", ...details },
  } as unknown as Parameters<typeof traceWords>[0]).line;

test("a condition is shown as its author wrote it, with the value that decided it", () => {
  expect(lineOf({ condition: { type: "jp", expression: "n > `5`" }, value: true, holds: true })).toBe(
    "ASK.next.0: n > `5` is true",
  );
  expect(lineOf({ condition: "coming", value: null, holds: false })).toBe(
    "ASK.next.0: coming is false (null)",
  );
});
