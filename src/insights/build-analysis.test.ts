import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildAnalysis, outputSchema, transcriptText } from "./build-analysis.ts";
import { checkAnswer } from "./check-answer.ts";
import type { OutputSpec } from "./tool-arguments.ts";
import type { Transcript } from "./transcript.ts";

const output = (name: string, more: Partial<OutputSpec> = {}): OutputSpec => ({
  name,
  type: "string",
  description: null,
  return_values: null,
  ...more,
});
const said = (role: string, text: string): Transcript[number] => ({
  kind: "said",
  role,
  text,
  start_time: null,
});

describe("what a model is asked", () => {
  test("is the tool's prompt with earlier insights in it, the schema, and the transcript apart from both", () => {
    const { messages, output_schema } = buildAnalysis(
      { prompt: "Rate it. Before: {{ insights.summary }}", outputs: [output("rating")] },
      [said("user", "Hello"), said("agent", "Hi")],
      { summary: "They greeted" },
    );
    expect(messages.map(({ role }) => role)).toEqual(["system", "user"]);
    const [system, user] = messages.map((message) => ("text" in message ? message.text : ""));
    expect(system).toContain("Rate it. Before: They greeted\n");
    expect(system).toContain(JSON.stringify(output_schema.schema));
    expect(system).not.toContain("Hello");
    expect(user).toBe("User: Hello\nAgent: Hi");
  });

  test("shows calls with arguments and outcome, shortened", () => {
    const call = { kind: "called" as const, tool_name: "find", arguments: { q: 1 }, error: null };
    expect(transcriptText([{ ...call, result: { ok: true } }])).toBe(
      '[The agent called find({"q":1}) → {"ok":true}]',
    );
    expect(transcriptText([{ ...call, result: null, error: "down" }])).toContain("failed: down");
    expect(transcriptText([{ ...call, result: "x".repeat(10_000) }]).length).toBeLessThan(3000);
  });

  test("nobody can speak as another: a line starts with a speaker's name only where that speaker spoke", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            role: fc.constantFrom("user", "agent"),
            text: fc
              .array(fc.constantFrom("\n", "\r\n", "\r", "\u2028", "Agent: yes", "User: no", " ", "x"))
              .map((parts) => parts.join("")),
          }),
        ),
        (lines) => {
          const text = transcriptText(lines.map(({ role, text }) => said(role, text)));
          const speakers = text.split(/[\n\r\u2028\u2029]/).filter((line) => /^(?:User|Agent): ?/.test(line));
          return speakers.length === lines.length;
        },
      ),
    );
  });

  test("of a very long transcript keeps the beginning and the end", () => {
    const text = transcriptText([said("user", `first${"x".repeat(1_000_000)}last`)]);
    expect(text.length).toBeLessThan(410_000);
    expect(text).toMatch(/^User: first/);
    expect(text).toMatch(/last$/);
    expect(text).toContain("characters left out]");
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
    const values = outputs.map(({ name, type }) => ({
      key: name,
      type,
      value: right[name as keyof typeof right],
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
