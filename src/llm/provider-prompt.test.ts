import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModelMessage } from "./model.ts";
import { calledTools, fitsStrictMode, providerPrompt } from "./provider-prompt.ts";

const user = (text: string): ModelMessage => ({ role: "user", text });
const system = (text: string): ModelMessage => ({ role: "system", text });
const agent = (text: string, ...ids: string[]): ModelMessage => ({
  role: "assistant",
  text,
  calls: ids.map((id) => ({ id, name: "find", arguments: {} })),
});
const result = (call_id: string): ModelMessage => ({
  role: "tool",
  call_id,
  tool_name: "find",
  result: { ok: true },
  is_error: false,
});

const roles = (messages: ModelMessage[], provider: "openai" | "anthropic" | "google") =>
  providerPrompt(messages, provider).map(({ role }) => role);
const sent = (messages: ModelMessage[], provider: "openai" | "anthropic" | "google") =>
  JSON.stringify(providerPrompt(messages, provider));

describe("the conversation a provider accepts", () => {
  test("a silent user says so, because an empty message is refused", () => {
    expect(sent([user("  ")], "openai")).toContain("(silence)");
  });

  test("Anthropic and Google get a user's message first and last, OpenAI the conversation as it is", () => {
    const greeting = [system("Be kind."), agent("Hello!")];
    expect(roles(greeting, "openai")).toEqual(["system", "assistant"]);
    for (const provider of ["anthropic", "google"] as const) {
      expect(roles(greeting, provider)).toEqual(["system", "user", "assistant", "user"]);
      expect(roles([system("Be kind.")], provider)).toEqual(["system", "user"]);
      expect(roles([user("hi"), agent("", "1"), result("1")], provider)).toEqual([
        "user",
        "assistant",
        "tool",
      ]);
    }
  });

  test("a note in the middle stays a system message where that is allowed, else it is marked as the operator's", () => {
    const messages = [system("Be kind."), user("hi"), system("Answer in French."), user("so?")];
    expect(roles(messages, "openai")).toEqual(["system", "user", "system", "user"]);
    expect(roles(messages, "anthropic")).toEqual(["system", "user", "user", "user"]);
    expect(sent(messages, "google")).toContain(
      "(Note from the operator, not from the user) Answer in French.",
    );
  });

  test("a call nobody answered is answered as interrupted, and an answer nobody called for is left out", () => {
    const prompt = sent([user("x"), agent("", "1", "2"), result("1"), result("gone")], "openai");
    expect(prompt).toContain("interrupted");
    expect(prompt).not.toContain("gone");
  });

  test("a server of one's own gets one system message, then both sides in turn, and loses no word", () => {
    const said = fc.integer({ min: 0, max: 999 }).map((n) => `word ${n}`);
    const part = fc.oneof(
      said.map((text) => [user(text)]),
      said.map((text) => [agent(text)]),
      said.map((text) => [system(text)]),
      fc.tuple(said, fc.uuid()).map(([text, id]) => [agent(text, id), result(id)]),
      fc.uuid().map((id) => [agent("", id), result(id)]),
      // Nobody answered it.
      fc.uuid().map((id) => [agent("", id)]),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const messages = [system("Be kind."), ...parts.flat()];
        const prompt = providerPrompt(messages, "openai", { own_server: true });
        expect(prompt.map(({ role }) => role).lastIndexOf("system")).toBe(0);
        // As the templates of Mistral and Gemma count: calls and their results stand between the two sides.
        const sides = prompt.filter(
          ({ role, content }) =>
            role === "user" ||
            (role === "assistant" && (content as { type: string }[]).every(({ type }) => type === "text")),
        );
        expect(sides.map(({ role }) => role)).toEqual(
          sides.map((_, at) => (at % 2 === 0 ? "user" : "assistant")),
        );
        expect(["user", "tool"]).toContain(prompt.at(-1)?.role);
        const ids = prompt.flatMap(({ role, content }) =>
          role === "tool" || role === "assistant"
            ? content.map((part) => ("toolCallId" in part ? part.toolCallId : null))
            : [],
        );
        for (const id of ids) if (id !== null) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
        const all = JSON.stringify(prompt);
        for (const message of messages) if ("text" in message) expect(all).toContain(message.text);
      }),
    );
  });

  test("tools that were called stay known after they are no longer offered", () => {
    expect(calledTools([agent("", "1", "2")]).map(({ name }) => name)).toEqual(["find"]);
  });
});

test("strict output is asked for only where the schema allows it", () => {
  const inner = { type: "object", properties: { b: {} }, required: ["b"], additionalProperties: false };
  const strict = { ...inner, properties: { b: inner } };
  expect(fitsStrictMode(strict)).toBe(true);
  expect(fitsStrictMode({ ...strict, required: [] })).toBe(false);
  expect(fitsStrictMode({ ...strict, properties: { b: { type: "object" } } })).toBe(false);
});
