import { describe, expect, test } from "vitest";
import { ModelError, type ModelMessage, type ModelRequest, readAnswer } from "../model.ts";
import { scriptedModel } from "./scripted.ts";
import { parseScript, scriptIn } from "./scripted-rules.ts";

const TOOL = (name: string) => ({
  name,
  description: "",
  parameters: { type: "object", properties: { n: { type: "integer" }, slot_id: { type: "string" } } },
});

const request = (script: string, messages: ModelMessage[], tools: string[] = []): ModelRequest => ({
  messages: [
    { role: "system", text: `Be kind.\nToday is 2026-11-20.\n\`\`\`script\n${script}\n\`\`\`\n` },
    ...messages,
  ],
  tools: tools.map(TOOL),
  tool_choice: "auto",
  temperature: null,
  seed: null,
  signal: new AbortController().signal,
});

const answer = (script: string, messages: ModelMessage[], tools: string[] = []) =>
  readAnswer(scriptedModel("openai"), request(script, messages, tools));

const user = (text: string): ModelMessage => ({ role: "user", text });
const agent = (text: string, ...calls: string[]): ModelMessage => ({
  role: "assistant",
  text,
  calls: calls.map((name, index) => ({ id: `${name}-${index}`, name, arguments: {} })),
});
const result = (tool_name: string, value: unknown, is_error = false): ModelMessage => ({
  role: "tool",
  call_id: `${tool_name}-0`,
  tool_name,
  result: value,
  is_error,
});

const heard = async (script: string, messages: ModelMessage[]) => (await answer(script, messages)).text;

describe("triggers", () => {
  const SCRIPT = `
    # first match wins
    on start -> say "Hello."
    on silence → say "Still there?"
    on "opening hours" or /open (on|at) (?<day>\\w+)/ -> say "Nine to five."
    on /(?<what>cat|dog)s?/ -> say "A {what}: {1}."
    otherwise -> say "What is “{user.text}”?"`;

  test.each([
    [[], "Hello."],
    [[agent("Welcome to the clinic.")], "Hello."],
    [[user("  ")], "Still there?"],
    [[user("(silence)")], "Still there?"],
    [[user("What are your Opening-Hours?")], "Nine to five."],
    [[user("are you OPEN ON monday?")], "Nine to five."],
    [[user("two Dogs")], "A Dog: Dog."],
    [[user("opening a tin")], "What is “opening a tin”?"],
  ] as [ModelMessage[], string][])("%j", async (messages, text) => {
    expect(await heard(SCRIPT, messages)).toBe(text);
  });

  test("after a tool the first rule whose conditions hold answers", async () => {
    const script = `
      after find if error -> say "Broken: {result}."
      after find if result.slots.length == 0 -> say "Nothing."
      after find if result.slots.0.free != true if result.note -> say "Hm, {result.note}."
      after find -> say "Free: {{ result.slots.*.time }}. First: \${result.slots.0.time}; {results.other.x}."`;
    const afterFind = (value: unknown, error = false) =>
      heard(script, [
        user("x"),
        agent("", "other", "find"),
        result("other", { x: 1 }),
        result("find", value, error),
      ]);
    expect(await afterFind("boom", true)).toBe("Broken: boom.");
    expect(await afterFind({ slots: [] })).toBe("Nothing.");
    expect(await afterFind({ slots: [{ free: false }], note: "taken" })).toBe("Hm, taken.");
    expect(
      await afterFind({ slots: [{ time: "9:00", free: true }, { time: "10:00" }, { time: "11:00" }] }),
    ).toBe("Free: 9:00, 10:00 and 11:00. First: 9:00; 1.");
  });

  test("once answers one time in a conversation, also when it was interrupted", async () => {
    const script = 'once on "hi" -> say "Hello, I am the clinic."\notherwise -> say "Yes?"';
    expect(await heard(script, [user("hi")])).toBe("Hello, I am the clinic.");
    expect(await heard(script, [user("hi"), agent("Hello, I am the clinic."), user("hi")])).toBe("Yes?");
    expect(await heard(script, [user("hi"), agent("Hello, I"), user("hi")])).toBe("Yes?");
    expect(await heard(script, [user("hi"), agent("Something else"), user("hi")])).toBe(
      "Hello, I am the clinic.",
    );
  });
});

describe("actions", () => {
  test("what then joins is said and called at once, arguments in the tool's types", async () => {
    const script = `
      on /(\\d+) seats/
        -> say "One moment." then call count {"n": "{1}", "slot_id": "{last_result.id}", "who": {"said": "{user.text}"}}
        then call ping`;
    const messages = [user("x"), agent("", "ping"), result("ping", { id: 7 }), agent("ok"), user("12 seats")];
    const { text, calls, finish } = await answer(script, messages, ["count", "ping"]);
    expect(text).toBe("One moment.");
    expect(finish).toBe("tool-calls");
    expect(calls.map((call) => [call.name, call.arguments])).toEqual([
      ["count", { n: 12, slot_id: "7", who: { said: "12 seats" } }],
      ["ping", {}],
    ]);
    expect(calls[0]?.id).not.toBe(calls[1]?.id);
  });

  test("a tool that is not offered is not called, and the answer says so", async () => {
    const { text, calls, warnings } = await answer('on "x" -> call gone', [user("x")], ["count"]);
    expect(calls).toEqual([]);
    expect(text).toBe("I would use gone now, but it is not offered.");
    expect(warnings).toEqual(["gone was not called: it is not offered."]);
  });

  test("fail is a model's failure, to be tried again when its status says so", async () => {
    const fails = (script: string) =>
      answer(script, [user("x")]).then(
        () => null,
        (error: unknown) => error,
      );
    const refused = await fails('on "x" -> fail "No such model."');
    expect(refused).toBeInstanceOf(ModelError);
    expect(refused).toMatchObject({
      message: "No such model.",
      kind: "refused",
      retryable: false,
      status: null,
    });
    expect(await fails('on "x" -> fail 503 "Down."')).toMatchObject({ kind: "unavailable", retryable: true });
    expect(await fails('on "x" -> wait 1ms then fail 429 "Slow."')).toMatchObject({ kind: "rate-limited" });
  });

  test("text may hold anything, and braces that are no path stay", async () => {
    const script =
      'otherwise -> say "A \\"quote\\", {\\"json\\": true}, {nobody}, # no comment\nand a second line"';
    expect(await heard(script, [user("x")])).toBe(
      'A "quote", {"json": true}, {nobody}, # no comment\nand a second line',
    );
  });

  test("no path reaches what JavaScript hangs on objects", async () => {
    const script = 'otherwise -> say "[{user.constructor.name}][{result.__proto__}]"';
    expect(await heard(script, [user("x")])).toBe("[][]");
  });
});

describe("faults", () => {
  test("a prompt without a script has none", () => {
    expect(scriptIn("```json\n{}\n```")).toBeNull();
  });

  test("every fault is reported with its line, and later rules are still read", () => {
    const script = parseScript(
      [
        'on "a"',
        'on "b" -> shout "x"',
        "after find -> say 5",
        'on /(/ -> say "x"',
        'on "c" -> call x {"a": }',
        'on "d" -> say "fine"',
        "whatever",
      ].join("\n"),
    );
    expect(script.rules).toHaveLength(1);
    expect(script.faults).toEqual([
      'line 1: expected "->" before “on "b" -> shout "x"”',
      'line 2: expected say, call, wait or fail, not “shout "x"”',
      "line 3: expected a text in quotes, not “5”",
      expect.stringMatching(/^line 4: \/\(\/ can't be used as a pattern: a \( is never closed/),
      'line 5: {"a": } is not valid JSON',
      "line 7: a rule begins with on, after or otherwise, not with “whatever”",
    ]);
  });

  test("the model says plainly that its script is wrong", async () => {
    const { text, warnings } = await answer('on "a" say "b"', [user("a")]);
    expect(text).toBe('The script in my prompt has a mistake: line 1: expected "->" before “say "b"”.');
    expect(warnings).toHaveLength(1);
  });
});

test("the booking of an appointment by explicit rules alone", async () => {
  const script = `
    on start -> say "This is the clinic. What can I do for you?"
    on /book a (?<service>check-up|cleaning|vaccination) (for|on) (?<date>\\d{4}-\\d{2}-\\d{2})/
      -> say "Let me look." then call find_slots {"service": "{service}", "date": "{date}"}
    after find_slots if result.slots.length == 0 -> say "Nothing is free that day."
    after find_slots -> say "I have {result.slots.*.time}. Which one?"
    on /the (first|earliest)/ -> call book_appointment {"slot_id": "{results.find_slots.slots.0.id}", "name": "Ann Lee"}
    after book_appointment if error -> say "That did not work."
    after book_appointment -> say "Booked, your code is {result.code}. Goodbye." then call hangup
    otherwise -> say "Please say which visit you want, and when."`;
  const tools = ["find_slots", "book_appointment", "hangup"];
  const messages: ModelMessage[] = [];
  const turn = async (...more: ModelMessage[]) => {
    messages.push(...more);
    const { text, calls } = await answer(script, messages, tools);
    messages.push({ role: "assistant", text, calls });
    return { text, calls: calls.map((call) => [call.name, call.arguments]) };
  };
  expect((await turn()).text).toBe("This is the clinic. What can I do for you?");
  expect((await turn(user("hm"))).text).toBe("Please say which visit you want, and when.");
  expect(await turn(user("Book a check-up for 2026-11-21 please"))).toEqual({
    text: "Let me look.",
    calls: [["find_slots", { service: "check-up", date: "2026-11-21" }]],
  });
  const slots = [
    { id: "s-0900", time: "09:00" },
    { id: "s-1030", time: "10:30" },
  ];
  expect((await turn(result("find_slots", { slots }))).text).toBe("I have 09:00 and 10:30. Which one?");
  expect((await turn(user("the earliest"))).calls).toEqual([
    ["book_appointment", { slot_id: "s-0900", name: "Ann Lee" }],
  ]);
  expect(await turn(result("book_appointment", { code: "AB12" }))).toEqual({
    text: "Booked, your code is AB12. Goodbye.",
    calls: [["hangup", {}]],
  });
});
