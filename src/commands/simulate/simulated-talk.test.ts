import { expect, test } from "vitest";
import { afterSilence } from "./simulated-talk.ts";

test("a dialogue is finished soon after the person left, and left unfinished with a sentence where nobody goes on", () => {
  expect(afterSilence({ left: true, silent_ms: 3_000, longest_ms: 0 })).toBeNull();
  expect(afterSilence({ left: true, silent_ms: 3_001, longest_ms: 60_000 })).toEqual({
    finished: true,
    cut: null,
  });
  expect(afterSilence({ left: false, silent_ms: 30_000, longest_ms: 500 })).toBeNull();
  expect(afterSilence({ left: false, silent_ms: 30_001, longest_ms: 500 })).toEqual({
    finished: false,
    cut: "Stopped after 30 s of silence, before the conversation had ended. Its session in the console shows what happened.",
  });
});

test("on a busy machine, where everything takes longer, it is waited for longer", () => {
  expect(afterSilence({ left: false, silent_ms: 79_000, longest_ms: 20_000 })).toBeNull();
  expect(afterSilence({ left: false, silent_ms: 81_000, longest_ms: 20_000 })?.cut).toContain("80 s");
});
