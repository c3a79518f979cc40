import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { estimateTokens, messageTokens } from "../llm/estimate-tokens.ts";
import type { ModelMessage } from "../llm/model.ts";
import { fitHistory, historyBudget, lastResults } from "./fit-history.ts";

const text = fc.string({ maxLength: 400, unit: fc.constantFrom("a", " ", "7", "{", "é", "漢", "\n") });

/** Conversations as sessions have them: system text, then what people said, what was answered, and rounds of calls. */
const conversation = fc
  .array(
    fc.oneof(
      text.map((said) => ({ kind: "user" as const, said })),
      text.map((said) => ({ kind: "agent" as const, said })),
      fc
        .array(
          fc.record({ tool: fc.constantFrom("submit", "lookup", "go_to_step"), given: text, result: text }),
          {
            minLength: 1,
            maxLength: 3,
          },
        )
        .map((calls) => ({ kind: "round" as const, calls })),
    ),
    { maxLength: 40 },
  )
  .map((parts): ModelMessage[] => {
    let n = 0;
    const messages = parts.flatMap((part): ModelMessage[] => {
      if (part.kind === "user") return [{ role: "user", text: part.said }];
      if (part.kind === "agent") return [{ role: "assistant", text: part.said, calls: [] }];
      const calls = part.calls.map(({ tool, given }) => ({
        id: `c${n++}`,
        name: tool,
        arguments: { given },
      }));
      return [
        { role: "assistant", text: "", calls },
        ...calls.map(({ id, name }, index): ModelMessage => {
          const result = { text: part.calls[index]?.result };
          return { role: "tool", call_id: id, tool_name: name, result, is_error: false };
        }),
      ];
    });
    return [{ role: "system", text: "You are the clinic's agent." }, ...messages];
  });

const tokensOf = (messages: readonly ModelMessage[]) =>
  messages.reduce((sum, message) => sum + messageTokens(message), 0);

test("whatever the conversation and the window: it fits, system text and open steps stay, no call is without its result", () => {
  fc.assert(
    fc.property(
      conversation,
      fc.integer({ min: 0, max: 4_000 }),
      fc.boolean(),
      (messages, extra, hasStep) => {
        const pinned = lastResults(messages, hasStep ? ["submit", "go_to_step"] : []);
        // What must stay has to fit at all, with the word that the person's words were cut.
        const kept = messages.filter(
          (message) =>
            message.role === "system" ||
            (message.role === "tool" && pinned.has(message.call_id)) ||
            (message.role === "assistant" && message.calls.some(({ id }) => pinned.has(id))),
        );
        const budget = tokensOf(kept) + 32 + extra;
        const { messages: fitted, tokens, trimmed } = fitHistory(messages, budget, pinned);

        expect(tokensOf(fitted)).toBe(tokens);
        expect(tokens).toBeLessThanOrEqual(budget);
        expect(trimmed === null).toBe(tokensOf(messages) <= budget);
        if (trimmed) expect(trimmed.tokens_after).toBe(tokensOf(fitted));
        expect(fitted[0]).toEqual(messages[0]);

        const calls = fitted.flatMap((message) => (message.role === "assistant" ? message.calls : []));
        const results = fitted.flatMap((message) => (message.role === "tool" ? [message.call_id] : []));
        expect(results.toSorted()).toEqual(calls.map(({ id }) => id).toSorted());
        for (const id of pinned) {
          const before = messages.find((message) => message.role === "tool" && message.call_id === id);
          expect(fitted).toContainEqual(before);
        }
        // Nothing is put into another order.
        const place = (id: string) =>
          messages.findIndex((message) => message.role === "tool" && message.call_id === id);
        expect(results.map(place)).toEqual(results.map(place).toSorted((a, b) => a - b));
        // The person's last words are the last to go.
        const last = messages.findLast(({ role }) => role === "user");
        if (last?.role === "user" && !trimmed?.words_cut) expect(fitted).toContainEqual(last);
      },
    ),
    { numRuns: rounds(2_000) },
  );
});

test("oldest results go before turns, and those of the present turn after both", () => {
  const big = "word ".repeat(200);
  const round = (id: string): ModelMessage[] => [
    { role: "assistant", text: "", calls: [{ id, name: "lookup", arguments: {} }] },
    { role: "tool", call_id: id, tool_name: "lookup", result: big, is_error: false },
  ];
  const messages: ModelMessage[] = [
    { role: "user", text: "first" },
    ...round("a"),
    { role: "user", text: "second" },
    ...round("b"),
    { role: "user", text: "third" },
    ...round("c"),
  ];
  const all = tokensOf(messages);
  const shortened = (budget: number) =>
    fitHistory(messages, budget, new Set()).messages.flatMap((message) =>
      message.role === "tool" ? [`${message.call_id}${message.result === big ? "" : "-"}`] : [],
    );
  expect(shortened(all)).toEqual(["a", "b", "c"]);
  expect(shortened(all - 1)).toEqual(["a-", "b", "c"]);
  expect(shortened(all - estimateTokens(big))).toEqual(["a-", "b-", "c"]);
  expect(shortened(estimateTokens(big) + 60)).toEqual(["c"]);
  expect(shortened(60)).toEqual(["c-"]);
});

test("as few turns go as have to, the oldest first, and of the person's last words as much stays as fits", () => {
  const said = (n: number): ModelMessage[] => [
    { role: "user", text: `question ${n} ${"word ".repeat(50)}` },
    { role: "assistant", text: `answer ${n}`, calls: [] },
  ];
  const turns = [1, 2, 3, 4].map(said);
  const messages: ModelMessage[] = [...turns.flat(), { role: "user", text: "and now? ".repeat(100) }];
  const fitted = (budget: number) => fitHistory(messages, budget, new Set()).messages;
  for (const left of [4, 3, 2, 1, 0]) {
    const rest = messages.slice(2 * (4 - left));
    expect(fitted(tokensOf(rest))).toEqual(rest);
    if (left > 0) expect(fitted(tokensOf(rest) - 1)).toEqual(rest.slice(2));
  }
  const last = messages.slice(-1);
  for (let budget = tokensOf(last) - 1; budget > 20; budget--) {
    const [cut] = fitted(budget);
    expect(tokensOf([cut as ModelMessage])).toBe(budget);
  }
});

test("what the steps of workflows stand in is the last result of each tool that was asked about", () => {
  const result = (call_id: string, tool_name: string): ModelMessage => ({
    role: "tool",
    call_id,
    tool_name,
    result: {},
    is_error: false,
  });
  const messages = [result("a", "submit"), result("b", "lookup"), result("c", "submit"), result("d", "go")];
  expect(lastResults(messages, ["submit", "go"])).toEqual(new Set(["c", "d"]));
  expect(lastResults(messages, [])).toEqual(new Set());
});

test("a window leaves room for the answer and the tools", () => {
  const tools = [{ name: "lookup", description: "Looks up", parameters: {} }];
  expect(historyBudget(null, tools, 5)).toBe(5);
  expect(historyBudget(128_000, [], Number.POSITIVE_INFINITY)).toBe(112_000);
  expect(historyBudget(8_000, [], Number.POSITIVE_INFINITY)).toBe(6_000);
  expect(historyBudget(8_000, tools, Number.POSITIVE_INFINITY)).toBeLessThan(6_000);
  expect(historyBudget(100, tools.concat(tools, tools, tools), Number.POSITIVE_INFINITY)).toBe(0);
});
