import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkAnswer } from "../insights/check-answer.ts";
import type { OutputSpec } from "../insights/tool-arguments.ts";
import { buildAnalysis, buildSummary, outputSchema } from "./build-analysis.ts";

const output = (name: string, more: Partial<OutputSpec> = {}): OutputSpec => ({
  name,
  type: "string",
  description: null,
  return_values: null,
  ...more,
});
describe("what a model is asked", () => {
  const tool = { prompt: "Rate it. Before: {{ insights.summary }}", outputs: [output("rating")] };
  const texts = (messages: ReturnType<typeof buildAnalysis>["messages"]) =>
    messages.map((message) => ("text" in message ? message.text : ""));

  test("is the tool's prompt with earlier insights in it, the schema, and the transcript apart from both", () => {
    const { messages, output_schema } = buildAnalysis(tool, "User: Hello\nAgent: Hi", {
      summary: "They greeted",
    });
    expect(messages.map(({ role }) => role)).toEqual(["system", "user"]);
    const [system, user] = texts(messages);
    expect(system).toContain('Rate it. Before: "They greeted"\n');
    expect(system).toContain(JSON.stringify(output_schema.schema));
    expect(system).not.toContain("Hello");
    expect(user).toBe("User: Hello\nAgent: Hi");
  });

  test("about a part is told which, and about the answers for parts gets these as material", () => {
    const [part] = texts(buildAnalysis(tool, "x", {}, { number: 2, of: 3 }).messages);
    expect(part).toContain("part 2 of 3");
    const [whole, material] = texts(buildSummary(tool, [{ rating: "a" }, { rating: "b" }], {}).messages);
    expect(whole).toContain("one answer for each of its 2 parts");
    expect(material).toBe('{"rating":"a"}\n{"rating":"b"}');
  });
});

describe("an answer", () => {
  const outputs = [
    output("summary"),
    output("rating", { return_values: ["Good", "Bad"] }),
    output("count", { type: "integer" }),
    output("score", { type: "number" }),
    output("done", { type: "boolean" }),
    output("topics", { type: "array", return_values: ["price", "time"] }),
  ];
  const right = { summary: "s", rating: "Good", count: 2, score: 0.5, done: false, topics: ["price"] };

  test("that fits comes back key by key, in the order asked for, in a fence or not", () => {
    const values = outputs.map(({ name, type, return_values }) => ({
      key: name,
      type,
      value: right[name as keyof typeof right],
      ...(return_values !== null && { is_choice: true }),
    }));
    expect(checkAnswer(outputs, JSON.stringify({ extra: 1, ...right }))).toEqual({ ok: true, values });
    expect(checkAnswer(outputs, `\`\`\`json\n${JSON.stringify(right)}\n\`\`\``)).toEqual({
      ok: true,
      values,
    });
  });

  test.each([
    ["so it was good", "not valid JSON"],
    ["[1]", "not a JSON object"],
    ["null", "not a JSON object"],
    [JSON.stringify({ ...right, rating: "Fair" }), 'rating has to be one of "Good", "Bad", not "Fair"'],
    [JSON.stringify({ ...right, count: "2" }), "count has to be an integer"],
    [JSON.stringify({ ...right, count: 2.5 }), "count has to be an integer"],
    [JSON.stringify({ ...right, done: "false" }), "done has to be true or false"],
    [JSON.stringify({ ...right, topics: ["price", "weather"] }), 'not "weather"'],
    [JSON.stringify({ ...right, topics: "price" }), "an array of strings"],
    [JSON.stringify({ ...right, summary: undefined }), "summary is missing"],
  ])("that does not fit is told what is wrong: %s", (text, problem) => {
    expect(checkAnswer(outputs, text)).toMatchObject({
      ok: false,
      problem: expect.stringContaining(problem),
    });
  });

  test("can always be stored: NUL and halves of pairs are dropped from texts", () => {
    const checked = checkAnswer([output("a")], '{"a": "x\\u0000y\\ud800z"}');
    expect(checked).toEqual({ ok: true, values: [{ key: "a", type: "string", value: "xy\ufffdz" }] });
  });

  test("any words at all are judged, never thrown at", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        checkAnswer(outputs, text);
      }),
    );
  });

  test("the schema names every output, requires all and allows nothing else", () => {
    expect(outputSchema(outputs)).toEqual({
      type: "object",
      properties: {
        summary: { type: "string" },
        rating: { type: "string", enum: ["Good", "Bad"] },
        count: { type: "integer" },
        score: { type: "number" },
        done: { type: "boolean" },
        topics: { type: "array", items: { type: "string", enum: ["price", "time"] } },
      },
      required: ["summary", "rating", "count", "score", "done", "topics"],
      additionalProperties: false,
    });
  });
});
