import { expect, test, vi } from "vitest";
import { hearToTheEnd } from "./hear-to-the-end.ts";
import { printSimulated } from "./simulated-talk.ts";

const LINES = [{ role: "agent", text: "Hello." }];
const CUT = "Cut after 300 s: the conversation had not ended, and what followed is not shown.";
const hear = (longest_ms: number, looks: number) => {
  let looked = 0;
  return hearToTheEnd({
    stop: new AbortController().signal,
    look_ms: 0,
    longest_ms,
    read: async () => LINES,
    isOver: () => ++looked >= looks,
  });
};

test("a conversation that ends is not said to be cut, and one that does not says after how long it was", async () => {
  expect(await hear(60_000, 3)).toEqual({ lines: LINES, cut: null });
  expect(await hear(0, Number.POSITIVE_INFINITY)).toEqual({
    lines: LINES,
    cut: "Cut after 0 s: the conversation had not ended, and what followed is not shown.",
  });
});

test("the sentence stands below the words, and in the object of --json", () => {
  const written: string[] = [];
  const write = vi
    .spyOn(process.stdout, "write")
    .mockImplementation((text) => written.push(String(text)) > 0);
  try {
    const talk = { kind: "texts" as const, from: "a", to: "b", lines: LINES };
    printSimulated({ ...talk, cut: CUT }, false);
    printSimulated({ ...talk, cut: CUT }, true);
    printSimulated({ ...talk, cut: null }, false);
  } finally {
    write.mockRestore();
  }
  const [plain, json, whole] = written;
  expect(plain).toBe(`\nTexts from a to b\n  agent  › Hello.\n  ${CUT}\n`);
  expect(JSON.parse(json as string)).toMatchObject({ lines: LINES, cut: CUT });
  expect(whole).toBe("\nTexts from a to b\n  agent  › Hello.\n");
});
