import { z } from "zod";
import { anyJson, boundedList, integer, name, recordId } from "../api/schema.ts";
import { patternFault } from "../base/pattern.ts";
import { compileExpression } from "../expressions/expression.ts";
import { TestPersona } from "./persona.ts";

/** A test of an agent, as its author writes it: who talks, what their services answer, and what is expected. */

const RE2 = z
  .string()
  .min(1)
  .max(1_000)
  .superRefine((source, context) => {
    const fault = patternFault(source);
    if (fault !== null) context.addIssue({ code: "custom", message: `Input should be a pattern: ${fault}` });
  })
  .describe("RE2, whatever the case.");

const CEL = z
  .string()
  .min(1)
  .max(2_048)
  .superRefine((expression, context) => {
    const compilation = compileExpression({ type: "cel", expression });
    if (!compilation.ok)
      context.addIssue({
        code: "custom",
        message: `Input should be a CEL expression: ${compilation.message}`,
      });
  });

const anyArguments = z.record(z.string(), anyJson());
const toolName = z.string().min(1).max(64);

const TestPersonLine = z
  .strictObject({
    say: z.string().max(20_000).describe("Empty: silence."),
    if: RE2.nullish().describe("Said only if the agent's last words match; otherwise left out."),
  })
  .meta({ id: "TestPersonLine" });

export const TestMock = z
  .strictObject({
    tool: toolName,
    match: anyArguments.nullish().describe("The call's arguments contain these. Omitted: any call."),
    result: anyJson().optional().describe("What the tool answers."),
    error: z.string().min(1).max(2_000).nullish().describe("The call fails with this text."),
    delay_ms: integer({ min: 0, max: 600_000 })
      .nullish()
      .describe(
        "How long the service would have taken. Nobody waits; past the tool's timeout it is a timeout.",
      ),
  })
  .meta({ id: "TestMock" });

export const TestExpectation = z
  .strictObject({
    called: boundedList(
      z.strictObject({
        tool: toolName,
        arguments: anyArguments.nullish().describe("A call's arguments contain these."),
        where: CEL.nullish().describe(
          "CEL of the call's `arguments`, such as `arguments.amount <= 50`: only calls of which it is true count.",
        ),
        times: integer({ min: 1, max: 1_000 })
          .nullish()
          .describe("Exactly as often. Omitted: at least once."),
      }),
    ).nullish(),
    not_called: boundedList(toolName).nullish(),
    order: boundedList(toolName).nullish().describe("These calls in this order; others may come between."),
    steps: boundedList(z.string().min(1).max(255))
      .nullish()
      .describe("Steps of workflows that were entered."),
    path: boundedList(z.string().min(1).max(255))
      .nullish()
      .describe("These steps were entered in this order; others may come between."),
    variables: anyArguments.nullish().describe("Variables at the end."),
    final: boundedList(
      z.strictObject({
        tool: toolName,
        arguments: anyArguments.nullish(),
        result: anyJson().optional().describe("The result contains this."),
        failed: z.boolean().nullish(),
      }),
    )
      .nullish()
      .describe("The last call of a tool."),
    said: boundedList(RE2).nullish().describe("Patterns that some words of the agent match."),
    not_said: boundedList(RE2).nullish().describe("Patterns that no words of the agent match."),
    language: z.string().min(2).max(35).nullish().describe("The language at the end, such as en-US."),
    ended_by: z
      .enum(["agent", "person"])
      .nullish()
      .describe("`person`: all lines were said, nobody hung up."),
    within_ms: integer({ min: 1, max: 600_000 })
      .nullish()
      .describe("No answer of the agent takes longer, without the time of tools."),
    max_cost_usd: z.number().min(0).nullish(),
  })
  .meta({ id: "TestExpectation" });
export type TestExpectation = z.infer<typeof TestExpectation>;

/** What a case expects: what is plain to see, and what judges say. */
export const TestCaseExpectation = TestExpectation.extend({
  judges: boundedList(name())
    .nullish()
    .describe("Judges, by name, that answer yes. One that is not calibrated informs, and fails nothing."),
}).meta({ id: "TestCaseExpectation" });
export type TestCaseExpectation = z.infer<typeof TestCaseExpectation>;

/** A person who says again what was said in a session. */
const TestRecording = z
  .strictObject({ session: recordId().describe("The session's number, in this installation.") })
  .meta({ id: "TestRecording" });

export const TestCase = z
  .strictObject({
    name: name(),
    channel: z
      .enum(["chat", "sms", "whatsapp", "email", "voice", "voice_audio"])
      .default("chat")
      .describe(
        "`voice`: a call held in text; nothing is heard or spoken. `voice_audio`: a call with sound, by the offline voice and ear of the machine; where it has none, the case is skipped.",
      ),
    clock: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/, { abort: true })
      .refine(isLocalTime, "Input should be a valid datetime")
      .nullish()
      .describe("The agent's wall clock, YYYY-MM-DDTHH:MM:SS without a zone. Omitted: now."),
    variables: z.record(z.string().min(1).max(255), z.string().max(10_000)).default({}),
    caller: z
      .strictObject({
        address: z.string().min(1).max(255).default("tester"),
        verified: z.boolean().default(true),
      })
      .prefault({}),
    person: z
      .union([boundedList(z.union([z.string().max(20_000), TestPersonLine])), TestRecording, TestPersona])
      .describe(
        "The person's lines, said in this order; a session whose lines are said again; or a persona, whom a model plays.",
      ),
    mocks: boundedList(TestMock).default([]).describe("The first one that matches a call answers it."),
    network: z
      .enum(["closed", "open"])
      .default("closed")
      .describe("`closed`: no call of a tool leaves the program; one that no mock answers fails."),
    expect: TestCaseExpectation.prefault({}),
  })
  .meta({ id: "TestCase" });
export type TestCase = z.infer<typeof TestCase>;

/** The case with other names for tools. Pure. */
export function withToolNames(one: TestCase, nameOf: (tool: string) => string): TestCase {
  const named = <T extends { tool: string }>(entries: T[]): T[] =>
    entries.map((entry) => ({ ...entry, tool: nameOf(entry.tool) }));
  const { called, not_called, order, final } = one.expect;
  return {
    ...one,
    mocks: named(one.mocks),
    expect: {
      ...one.expect,
      ...(called && { called: named(called) }),
      ...(not_called && { not_called: not_called.map(nameOf) }),
      ...(order && { order: order.map(nameOf) }),
      ...(final && { final: named(final) }),
    },
  };
}

/** The session whose lines the person says. */
export const recordedBy = ({ person }: Pick<TestCase, "person">): number | null =>
  !Array.isArray(person) && "session" in person ? person.session : null;

const MAX_CASES = 500;

export const TestSuiteInput = z
  .strictObject({
    name: name(),
    description: z.string().max(10_000).default(""),
    agent: name().describe("The agent's name."),
    cases: z.array(TestCase).max(MAX_CASES).superRefine(refuseTwins),
  })
  .meta({ id: "TestSuiteInput" });
export type TestSuiteInput = z.infer<typeof TestSuiteInput>;

function refuseTwins(cases: { name: string }[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [at, { name }] of cases.entries()) {
    if (seen.has(name))
      context.addIssue({ code: "custom", path: [at, "name"], message: "Two cases have this name" });
    seen.add(name);
  }
}

function isLocalTime(text: string): boolean {
  try {
    Temporal.PlainDateTime.from(text, { overflow: "reject" });
    return true;
  } catch {
    return false;
  }
}
