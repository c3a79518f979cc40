import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { providerModel } from "./provider-stream.ts";

const tokens = { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
const FINISH: LanguageModelV4StreamPart = {
  type: "finish",
  finishReason: { unified: "stop", raw: "stop" },
  usage: { inputTokens: tokens, outputTokens: { total: 1, text: undefined, reasoning: undefined } },
};

/** What is read of a model that writes these pieces, and whether each was an answer or a sign that one is made. */
async function read(pieces: (string | LanguageModelV4StreamPart)[]): Promise<string[]> {
  const told = pieces.map((piece) =>
    typeof piece === "string" ? ({ type: "text-delta", id: "1", delta: piece } as const) : piece,
  );
  const parts = [...told, FINISH];
  const model = providerModel({
    provider: "openai",
    model: "own",
    api_key: "",
    entry: null,
    connect: async () => ({ doStream: async () => ({ stream: ReadableStream.from(parts) }) }),
  });
  const seen: string[] = [];
  const stream = model.stream({
    messages: [],
    tools: [],
    tool_choice: "auto",
    temperature: null,
    seed: null,
    signal: new AbortController().signal,
    onActivity: () => seen.push("at work"),
  });
  for await (const part of stream) seen.push(part.type === "text" ? part.delta : part.type);
  return seen;
}

test("a model that thinks aloud is at work, and its answer is given out as it comes", async () => {
  expect(await read(["<think>", "They greet", " me.</think>", "Good", " day."])).toEqual([
    ...["at work", "at work", "at work"],
    ...["Good", " day.", "done"],
  ]);
});

test("a server that sends nothing, over and over, is no sign of an answer", async () => {
  expect(await read(["", "", "Good day."])).toEqual(["Good day.", "done"]);
});

test("what was held back for a tag is given out at the end", async () => {
  expect(await read(["<", "th"])).toEqual(["at work", "at work", "<th", "done"]);
});

test("the end of a text is told once, by the server's word or by the call that begins; words that were held back end none", async () => {
  const end = { type: "text-end", id: "1" } as const;
  const call = { type: "tool-input-start", id: "2", toolName: "find" } as const;
  expect(await read(["One moment.", end, call])).toEqual(["One moment.", "text_end", "at work", "done"]);
  expect(await read(["One moment.", call, call])).toEqual([
    ...["One moment.", "at work", "text_end", "at work", "done"],
  ]);
  expect(await read(["<", end])).toEqual(["at work", "<", "done"]);
});
