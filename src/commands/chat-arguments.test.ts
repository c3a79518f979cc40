import { expect, test } from "vitest";
import { chatArguments } from "./chat-arguments.ts";

test("variables, clock, language, channel and caller of a conversation are given as flags", () => {
  const { wanted, start } = chatArguments([
    ...["Demo clinic", "--var", "plan=gold", "--var", "note=a=b", "--at", "2026-12-24T18:00"],
    ...["--language", "de", "--channel", "sms", "--caller", "+15550100"],
  ]);
  expect(wanted).toBe("Demo clinic");
  expect(start).toEqual({
    source: "+15550100",
    variables: { plan: "gold", note: "a=b" },
    override_timestamp: "2026-12-24T18:00:00",
    language: "de",
    channel: "sms",
  });
});

test("without flags a conversation begins as it always did", () => {
  expect(chatArguments(["7", "--json"])).toEqual({
    wanted: "7",
    json: true,
    withTrace: true,
    start: { source: "terminal" },
  });
});

test.each([
  [["7", "--var", "plan"], "Write a variable as name=value"],
  [["7", "--at", "tomorrow"], "Write date and time as 2026-12-24T18:00"],
  [["7", "--at", "2026-13-24T18:00"], "Write date and time as 2026-12-24T18:00"],
  [["7", "--language"], "--language"],
])("%j is refused with what to write instead", (args, message) => {
  expect(() => chatArguments(args)).toThrow(message);
});
