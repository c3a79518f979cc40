import { describe, expect, test } from "vitest";
import { dateIn, timeIn, todayIn } from "./scripted-dates.ts";
import { valueIn } from "./scripted-extract.ts";
import { parametersOf, questionFor } from "./scripted-parameters.ts";

/** 2026-11-20 is a Friday. */
const TODAY = "2026-11-20";

test.each([
  ["on 2026-12-01 please", "2026-12-01"],
  ["1.12.2026", "2026-12-01"],
  ["12/1/2026", "2026-12-01"],
  ["13/1/2026", "2026-01-13"],
  ["the 1st of December", "2026-12-01"],
  ["Dec. 1", "2026-12-01"],
  ["December 1st, 2027", "2027-12-01"],
  ["March 3", "2027-03-03"],
  ["today", "2026-11-20"],
  ["Tomorrow morning", "2026-11-21"],
  ["the day after tomorrow", "2026-11-22"],
  ["in two weeks", "2026-12-04"],
  ["in a week", "2026-11-27"],
  ["in 3 days", "2026-11-23"],
  ["next Monday", "2026-11-23"],
  ["Friday", "2026-11-27"],
  ["31 April", null],
  ["2026-02-30", null],
  ["I may come", null],
  ["whenever", null],
])("a date in “%s” is %s", (text, date) => {
  expect(dateIn(text, TODAY)).toBe(date);
});

test("a relative day means nothing where the prompt names no day", () => {
  expect(dateIn("tomorrow", null)).toBeNull();
  expect(dateIn("1 December", null)).toBeNull();
  expect(dateIn("1 December 2026", null)).toBe("2026-12-01");
});

test("the day is read from the prompt's line about it", () => {
  expect(todayIn("Founded 1999-01-01.\nToday is Friday, 2026-11-20.")).toBe(TODAY);
  expect(todayIn("Current date: 2026-11-20 10:00")).toBe(TODAY);
  expect(todayIn("Founded 1999-01-01.")).toBeNull();
  expect(todayIn("Today is 2026-99-99.")).toBeNull();
});

test.each([
  ["9:30", "09:30"],
  ["at 9.30 pm", "21:30"],
  ["9am", "09:00"],
  ["12 a.m.", "00:00"],
  ["at 9", "09:00"],
  ["nine o'clock", "09:00"],
  ["9 o'clock", "09:00"],
  ["half past nine", "09:30"],
  ["quarter to one", "12:45"],
  ["noon", "12:00"],
  ["25:00", null],
  ["1.12.2026", null],
])("a time in “%s” is %s", (text, time) => {
  expect(timeIn(text)).toBe(time);
});

describe("a parameter's answer", () => {
  const answer = (schema: object, text: string, more: { name?: string; asked?: boolean } = {}) => {
    const name = more.name ?? "thing";
    const tool = { name: "t", description: "", parameters: { properties: { [name]: schema } } };
    const [parameter] = parametersOf(tool);
    return valueIn(parameter!, { text, today: TODAY, asked: more.asked ?? true });
  };

  test.each([
    [{ enum: ["x-ray", "x-ray of the knee"] }, "An X-ray of the knee, please", "x-ray of the knee"],
    [{ enum: ["Cleaning", "Check-up"] }, "a checkup", "Check-up"],
    [{ enum: ["red", "green"] }, "the second", "green"],
    [{ enum: [1, 2, 3] }, "2", 2],
    [{ enum: [1, 2, 3, 10] }, "3 out of 10", 3],
    [{ enum: [1, 2, 3] }, "three", 3],
    [{ enum: [1, 2, 3] }, "-1", undefined],
    [{ enum: [1, 2, 3] }, "42", undefined],
    [{ enum: [1, 2, 3] }, "the second", 2],
    [{ enum: ["red"] }, "blue", undefined],
    [{ type: "boolean" }, "Yes, please do", true],
    [{ type: "boolean" }, "No, not really", false],
    [{ type: "boolean" }, "perhaps", undefined],
    [{ type: "integer" }, "we are 4 people", 4],
    [{ type: "integer" }, "twenty five of us", 25],
    [{ type: "integer" }, "2.5", undefined],
    [{ type: "integer", maximum: 10 }, "11", undefined],
    [{ type: "number" }, "1,250.50 dollars", 1250.5],
    [{ type: "string", format: "email" }, "it is Ann.Lee@example.co.uk.", "Ann.Lee@example.co.uk"],
    [
      { type: "string", format: "phone" },
      "It is five one two five five five zero one four two.",
      "5125550142",
    ],
    [
      { type: "string", format: "phone" },
      "that is five one two five five five and zero one four two",
      "5125550142",
    ],
    [{ type: "string", format: "phone" }, "+1 five one two 555 0142", "+15125550142"],
    [{ type: "string", format: "phone" }, "the one on the two of May", undefined],
    [{ type: "string", format: "date-time" }, "tomorrow at 9:30", "2026-11-21T09:30:00"],
    [{ type: "string", pattern: "^[A-Z]{2}\\d+$" }, "my code is AB12", "AB12"],
    [{ type: "string", pattern: "^[A-Z]{2}\\d+$" }, "no idea", undefined],
    [{ type: "string", pattern: "(" }, "anything", "anything"],
    [{ type: "array", items: { enum: ["ham", "egg", "jam"] } }, "egg and ham", ["ham", "egg"]],
    [{ type: "array", items: { type: "string" } }, "milk, tea and bread", ["milk", "tea", "bread"]],
    [{ type: ["null", "string"] }, "It's a toothache.", "a toothache"],
    [{ type: "object" }, '{"a":1}', { a: 1 }],
  ])("to %j in “%s” is %j", (schema, text, value) => {
    expect(answer(schema, text)).toEqual(value);
  });

  test("names give the kind away where no format does", () => {
    expect(answer({ type: "string" }, "+1 (555) 010-0199 works", { name: "phone" })).toBe("+15550100199");
    expect(answer({ type: "string" }, "none", { name: "phone" })).toBe("none");
    expect(answer({ type: "string", format: "phone" }, "none", { name: "phone" })).toBeUndefined();
    expect(answer({ type: "string" }, "Hello, my name is Ann Lee and I am ill", { name: "name" })).toBe(
      "Ann Lee",
    );
  });

  test("only what can be nothing else is taken unasked", () => {
    const unasked = { asked: false };
    expect(answer({ type: "string" }, "I want to book", unasked)).toBeUndefined();
    expect(answer({ type: "integer" }, "I have 2 dogs", unasked)).toBeUndefined();
    expect(answer({ type: "string" }, "I am interested", { name: "name", asked: false })).toBeUndefined();
    expect(answer({ type: "string", format: "date" }, "book me for tomorrow", unasked)).toBe("2026-11-21");
  });
});

test.each([
  ["date", { description: "Date of the visit." }, "What is the date of the visit?"],
  ["size", { description: "Your size. In cm.", type: "integer" }, "What is your size?"],
  ["phone", { description: "A phone number" }, "What is the phone number?"],
  ["url", { description: "URL of the page" }, "What is the URL of the page?"],
  ["party_size", {}, "What is the party size?"],
  ["why", { description: "What brings you here?" }, "What brings you here?"],
  ["when", { description: "When the pain began" }, "When the pain began?"],
  [
    "new",
    { type: "boolean", description: "Whether this is a first visit" },
    "Yes or no: is it so that this is a first visit?",
  ],
  ["color", { enum: ["red", "green", "blue"] }, "What is the color? Please choose red, green or blue."],
  ["slot_id", { description: "Id of the slot" }, "Which slot would you like?"],
])("%s %j is asked for as “%s”", (name, schema, question) => {
  const [parameter] = parametersOf({
    name: "t",
    description: "",
    parameters: { properties: { [name]: schema } },
  });
  expect(questionFor(parameter!)).toBe(question);
});
