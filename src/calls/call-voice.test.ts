import { expect, test } from "vitest";
import type { Snapshot } from "../agents/snapshot.ts";
import { expectedTexts } from "./call-voice.ts";

test("an ear of our own expects what the agent says and offers: instructions, greetings, choices of its tools", () => {
  const snapshot = {
    agent: { name: "Clinic" },
    prompt: { context: "We are open from eight to five." },
    message: { text: "Hello.", rules: [{ text: "We are closed today." }] },
    tools: [
      {
        name: "book",
        definition: {
          tool: {
            function: {
              name: "book",
              description: "Books a visit",
              parameters: { properties: { service: { type: "string", enum: ["cleaning", "vaccination"] } } },
            },
          },
          endpoint: { url: "https://clinic.example/book" },
        },
      },
    ],
  } as unknown as Snapshot;
  expect(expectedTexts(snapshot)).toEqual([
    "Clinic",
    "We are open from eight to five.",
    "Hello.",
    "We are closed today.",
    "Books a visit",
    "cleaning",
    "vaccination",
  ]);
});
