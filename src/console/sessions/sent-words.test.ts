import { expect, test } from "vitest";
import type { ModelRoundResponse } from "../api-types.ts";
import { answerFacts, sentText } from "./sent-words.ts";

const ROUND: ModelRoundResponse = {
  id: 1,
  turn_index: 1,
  at: "2026-11-24T09:00:00Z",
  provider: "openai",
  model: "m",
  messages: [
    { role: "system", text: "Be brief." },
    { role: "user", text: "When?" },
    { role: "assistant", text: "", calls: [{ name: "find", arguments: { day: 1 } }] },
    { role: "tool", call_id: "1", tool_name: "find", result: { at: 9 }, is_error: true },
  ],
  tools: [{ name: "find", description: "Finds", parameters: { type: "object" } }],
  tool_choice: "auto",
  temperature: 0.5,
  seed: null,
  text: "",
  finish: "tool-calls",
  calls: [{ id: "2", name: "find", arguments: {}, arguments_error: "Not JSON.", arguments_text: "{day" }],
  retries: [{ asked: "openai/m", because: "It is asked too often.", request_id: "r0" }],
  request_id: "r1",
  usage: null,
  warnings: [],
  error: null,
  first_part_ms: 1,
  duration_ms: 2,
};

test("a round reads from its instructions to the tools it offers", () => {
  expect(sentText(ROUND)).toBe(
    [
      "── instructions\nBe brief.",
      "── user\nWhen?",
      '── agent\ncalls find {"day":1}',
      '── result of find (failed)\n{\n  "at": 9\n}',
      '── tool offered: find\nFinds\n{\n  "type": "object"\n}',
      "── settings\ntool choice: auto\ntemperature: 0.5",
    ].join("\n\n"),
  );
});

test("what came of it names the request, each retry, and arguments that could not be read", () => {
  expect(Object.fromEntries(answerFacts(ROUND))).toMatchObject({
    "Finish reason": "tool-calls",
    "Request ID": "r1",
    Retries: "openai/m: It is asked too often.",
    "Broken arguments": "find: Not JSON. {day",
  });
});
