import { describe, expect, test } from "vitest";
import { ModelError, type ModelMessage, type ModelPart, type ModelRequest, readAnswer } from "../model.ts";
import { scriptedModel } from "./scripted.ts";

const model = scriptedModel("openai");

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [],
  tools: [],
  tool_choice: "auto",
  temperature: null,
  seed: null,
  signal: new AbortController().signal,
  ...more,
});

describe("what a request demands", () => {
  const messages: ModelMessage[] = [
    { role: "system", text: "Today is 2026-11-20." },
    { role: "user", text: "My name is Ann Lee, it hurts since yesterday." },
  ];
  const tool = (name: string, properties: Record<string, object>) => ({
    name,
    description: "",
    parameters: { type: "object", properties, required: Object.keys(properties) },
  });
  const tools = [
    tool("find_slots", {
      service: { enum: ["check-up", "cleaning"] },
      date: { type: "string", format: "date" },
    }),
    tool("book_appointment", {
      slot_id: { type: "string" },
      name: { type: "string" },
      phone: { type: "string" },
    }),
  ];

  test("a forced tool is called, with everything required filled in", async () => {
    const { calls, finish } = await readAnswer(
      model,
      request({ messages, tools, tool_choice: { tool: "book_appointment" } }),
    );
    expect(finish).toBe("tool-calls");
    expect(calls).toHaveLength(1);
    expect(calls[0]?.arguments).toMatchObject({ name: "Ann Lee" });
    expect(Object.keys(calls[0]?.arguments ?? {}).toSorted()).toEqual(["name", "phone", "slot_id"]);
  });

  test("required calls some tool, none calls no tool", async () => {
    const required = await readAnswer(model, request({ messages, tools, tool_choice: "required" }));
    expect(required.calls.map(({ name }) => name)).toEqual(["find_slots"]);
    const wish: ModelMessage[] = [messages[0]!, { role: "user", text: "book a check-up tomorrow" }];
    const none = await readAnswer(model, request({ messages: wish, tools, tool_choice: "none" }));
    expect(none.calls).toEqual([]);
    expect(none.warnings).toEqual(["find_slots was not called: no tool may be used now."]);
  });

  test("of a transcript in which the user is silent, the agent's words count, and no tool call", async () => {
    const text =
      '[0:00] (The agent called find({}) → {"ok":true})\n[0:01] Agent: Are you there?\n[0:05] User: ';
    const schema = { type: "object", properties: { summary: { type: "string" } } };
    const answer = await readAnswer(
      model,
      request({ messages: [{ role: "user", text }], output_schema: { name: "summary", schema } }),
    );
    expect(JSON.parse(answer.text)).toEqual({ summary: "Are you there?" });
  });

  test("an output schema gives JSON of that schema, from the transcript", async () => {
    const schema = {
      type: "object",
      properties: {
        rating: { enum: ["Good", "OK", "Bad"] },
        summary: { type: "string" },
        turns: { type: "integer" },
        wants_refund: { type: "boolean" },
        wants_parking: { type: "boolean" },
        topics: { type: "array", items: { type: "string" } },
      },
    };
    const transcript = "Agent: Hello.\nUser: I want my refund.\nAgent: Sure.\nUser: Thank you.";
    const { text } = await readAnswer(
      model,
      request({
        messages: [{ role: "user", text: transcript }],
        output_schema: { name: "insight", schema },
      }),
    );
    expect(JSON.parse(text)).toEqual({
      rating: "Good",
      summary: "I want my refund. Thank you.",
      turns: 2,
      wants_refund: true,
      wants_parking: false,
      topics: ["I want my refund. Thank you."],
    });
  });
});

describe("streaming", () => {
  const messages: ModelMessage[] = [
    {
      role: "system",
      text: '```script\non "slow" -> say "one two" then wait 10s then say "three"\notherwise -> say "a  b\\nc"\n```',
    },
  ];

  test("text comes a word at a time and adds up to itself", async () => {
    const parts: ModelPart[] = [];
    const said: ModelMessage = { role: "user", text: "x" };
    for await (const part of model.stream(request({ messages: [...messages, said] }))) parts.push(part);
    expect(parts).toEqual([
      { type: "text", delta: "a  " },
      { type: "text", delta: "b\n" },
      { type: "text", delta: "c" },
      { type: "text_end" },
      {
        type: "done",
        finish: "stop",
        usage: { input_tokens: null, output_tokens: null, cached_input_tokens: null },
        warnings: [],
      },
    ]);
  });

  test("a raised signal ends a wait at once", async () => {
    const abort = new AbortController();
    let heard = "";
    const read = async () => {
      const said: ModelMessage = { role: "user", text: "slow" };
      for await (const part of model.stream(
        request({ messages: [...messages, said], signal: abort.signal }),
      )) {
        if (part.type === "text") heard += part.delta;
        setTimeout(() => abort.abort(), 5);
      }
    };
    await expect(read()).rejects.toThrow(ModelError);
    expect(heard).toBe("one two");
  });
});

describe("nothing that is said or written keeps it busy", () => {
  const MOST_MS = 500;
  const cpuOf = async (asked: ModelRequest) => {
    const before = process.threadCpuUsage();
    const { text } = await readAnswer(model, asked);
    const { user, system } = process.threadCpuUsage(before);
    return { text, cpu_ms: (user + system) / 1_000 };
  };
  const strings = ["name", "email", "phone", "date", "time", "note"].map((name) => [
    name,
    { type: "string" },
  ]);
  const properties = Object.fromEntries(strings);
  const tool = { name: "book_visit", description: "", parameters: { type: "object", properties } };

  test.each([
    ["letters", "a"],
    ["blanks before a word", " "],
    ["dots", "."],
    ["exclamation marks", "!"],
    ["digits and dashes", "1-"],
    ["capitals", "A"],
    ["at signs", "a@"],
  ])("100,000 times %s", async (_what, piece) => {
    const text = `${piece.repeat(100_000)}x`;
    const messages: ModelMessage[] = [
      { role: "user", text: `book a visit, ${text}` },
      { role: "user", text },
    ];
    const { cpu_ms } = await cpuOf(request({ messages, tools: [tool], tool_choice: { tool: tool.name } }));
    expect(cpu_ms).toBeLessThan(MOST_MS);
  });

  test.each<[string, string, RegExp]>([
    ["openings of scripts", "```script".repeat(200_000), /offline model/],
    ["rules that are none", `\`\`\`script\n${"on x\n".repeat(9_000)}\`\`\``, /line 20: /],
    ["lines without a rule", `\`\`\`script\non x\n${"x\n".repeat(24_000)}\`\`\``, /line 1: /],
    ["quotes", `\`\`\`script\non "a" -> call x {"${'\\"'.repeat(24_000)}\`\`\``, /never closed/],
    [
      "a script",
      `\`\`\`script\n${'on "x" -> say "y"\n'.repeat(10_000)}\`\`\``,
      /longer than 50000 characters/,
    ],
  ])("a prompt of too many %s", async (_what, prompt, expected) => {
    const messages: ModelMessage[] = [
      { role: "system", text: prompt },
      { role: "user", text: "hello" },
    ];
    const { text, cpu_ms } = await cpuOf(request({ messages }));
    expect(text).toMatch(expected);
    expect(cpu_ms).toBeLessThan(MOST_MS);
  });

  test("a long result named over and over is said until it is long enough", async () => {
    const messages: ModelMessage[] = [
      { role: "system", text: `\`\`\`script\nafter find -> say "${"{result}".repeat(5_000)}"\n\`\`\`` },
      { role: "tool", call_id: "1", tool_name: "find", result: "x".repeat(50_000), is_error: false },
    ];
    const { text, cpu_ms } = await cpuOf(request({ messages }));
    expect(text).toBe("x".repeat(200_000) + "{result}".repeat(4_996));
    expect(cpu_ms).toBeLessThan(MOST_MS);
  });
});
