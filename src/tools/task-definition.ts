import { z } from "zod";
import { anyJson, boundedList, integer } from "../api/schema.ts";
import { Expression } from "../expressions/expression.ts";
import { withEarlierSpelling } from "./earlier-spelling.ts";
import { kept } from "./kept-object.ts";
import { eventActions } from "./task-action.ts";

/*
 * The tasks of a context tool. A steps task leads the model through a conversation step by step; an expression task is
 * a tool that computes; an event task only reacts. A task's `tool` is what the model sees of it, under that name.
 */

const ValueType = z.enum(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** What a variable and an input of a task have in common: a value's name and what may stand in it. */
const described = {
  name: z.string(),
  type: ValueType.nullish(),
  description: z.string().nullish(),
  title: z.string().nullish(),
  format: z.string().nullish(),
  pattern: z.string().nullish(),
  enum: boundedList(z.string()).nullish(),
  examples: boundedList(anyJson()).nullish(),
};

/** A value set when the task becomes active. */
const Variable = withEarlierSpelling(
  kept({
    ...described,
    value: anyJson().optional(),
    valueFrom: Expression.nullish(),
    if: Expression.nullish(),
  }),
  { value_from: "valueFrom" },
).meta({ id: "Variable" });

/** A value the model is asked to collect. */
export const InputParameter = kept({ ...described, required: z.boolean().default(true) }).meta({
  id: "InputParameter",
});
export type InputParameter = z.infer<typeof InputParameter>;

const ConditionalText = kept({ if: Expression.nullish(), text: z.string() }).meta({ id: "ConditionalText" });

const NextStep = kept({
  if: Expression.nullish(),
  id: z.string(),
  requires: boundedList(z.string()).nullish().describe("Inputs to collect before this transition."),
}).meta({ id: "NextStep" });

const StepTools = withEarlierSpelling(
  kept({
    call: z.boolean().nullish().describe("Forces a tool call at once, without waiting for the user."),
    allow: boundedList(z.string()).nullish().describe("The only tools offered in this step."),
    allowGoToStep: z.boolean().nullish().describe("Offers go_to_step."),
  }),
  { allow_go_to_step: "allowGoToStep" },
).meta({ id: "StepTools" });

/** One text was once written without its list. */
const instructions = z.preprocess(
  (value) => (typeof value === "string" ? [value] : value),
  boundedList(z.union([z.string(), ConditionalText])),
);

export const Step = kept({
  id: z.string(),
  goal: z.string(),
  instructions: instructions.optional(),
  tools: StepTools.optional(),
  inputs: boundedList(InputParameter).optional(),
  on: eventActions("start", "enter", "presubmit", "submit").meta({ id: "StepEventActions" }).optional(),
  next: boundedList(z.union([z.string(), NextStep])).optional(),
}).meta({ id: "Step" });
export type Step = z.infer<typeof Step>;

const common = {
  id: z.string().nullish().describe("Keeps the state of this task apart from others'."),
  config: z.record(z.string(), anyJson()).nullish(),
  variables: boundedList(Variable).nullish(),
  metadata: kept({ priority: integer().nullish() }).meta({ id: "ContextTaskMetadata" }).nullish(),
  tool: kept({ name: z.string().nullish(), description: z.string().nullish() })
    .meta({ id: "ContextToolInfo" })
    .nullish(),
  tools: boundedList(z.string())
    .nullish()
    .describe(
      "Tools that only this task's calls use, and the model only in steps whose tools.allow names them.",
    ),
  version: z.literal("v1alpha").default("v1alpha"),
};

export const StepsTask = kept({
  ...common,
  type: z.literal("steps"),
  start: z
    .enum(["auto", "manual"])
    .default("auto")
    .describe("auto: active from the start of the session; manual: from the first call."),
  steps: boundedList(Step).default([]),
}).meta({ id: "StepsTask" });
export type StepsTask = z.infer<typeof StepsTask>;

export const ExpressionTask = kept({
  ...common,
  type: z.literal("expression"),
  inputs: boundedList(InputParameter).optional(),
  expression: Expression.nullish(),
  output: anyJson().optional(),
  on: eventActions("start", "submit").meta({ id: "ExpressionTaskEvents" }).optional(),
}).meta({ id: "ExpressionTask" });
export type ExpressionTask = z.infer<typeof ExpressionTask>;

export const EventTask = kept({
  ...common,
  type: z.literal("event"),
  on: eventActions("start").meta({ id: "EventTaskEvents" }).optional(),
}).meta({ id: "EventTask" });
export type EventTask = z.infer<typeof EventTask>;

/** Reads tasks from files beside the program: for those who develop workflows, refused elsewhere. */
const LoadToolFromFileTask = kept({
  ...common,
  type: z.literal("import"),
  file: z.union([z.string(), boundedList(z.string())]),
}).meta({ id: "LoadToolFromFileTask" });

export const Task = z.discriminatedUnion("type", [
  StepsTask,
  ExpressionTask,
  EventTask,
  LoadToolFromFileTask,
]);
export type Task = z.infer<typeof Task>;
