import { z } from "zod";
import { anyJson, boundedList, integer } from "../api/schema.ts";
import { Expression } from "../expressions/expression.ts";
import { withEarlierSpelling } from "./earlier-spelling.ts";
import { kept } from "./kept-object.ts";

/*
 * What a task does at its events without asking the model. Every action may carry a condition; it is skipped while that
 * is not true. Which actions an event takes is checked apart from the shapes (`issues/task-issues.ts`), so that a `say` in the
 * wrong place is told as such and not as a list of the actions that would fit.
 */

const when = { if: Expression.nullish() };
const source = { value: anyJson().optional(), valueFrom: Expression.nullish() };
const someInputs = boundedList(z.string()).nullish();

/** Writes `value`, or what `valueFrom` gives, to the path `name`. */
const SetValueAction = withEarlierSpelling(
  kept({ action: z.literal("set"), name: z.string(), ...source, ...when }),
  { value_from: "valueFrom" },
).meta({ id: "SetValueAction" });

const IncrementAction = kept({
  action: z.literal("inc"),
  name: z.string(),
  by: integer().prefault(1),
  ...when,
}).meta({ id: "IncrementAction" });

/** Fills inputs of the step before the model does; all of them when `inputs` is null. */
const GetValueAction = withEarlierSpelling(
  kept({
    action: z.enum(["get", "load"]),
    inputs: someInputs,
    overwrite: z.boolean().default(false).describe("false fills only inputs that are empty."),
    ...source,
    ...when,
  }),
  { value_from: "valueFrom" },
).meta({ id: "GetValueAction" });

/** Keeps inputs as variables of the conversation; all collected ones when `inputs` is null. */
const SaveAction = kept({
  action: z.literal("save"),
  name: z.string().nullish(),
  inputs: someInputs,
  ...when,
}).meta({ id: "SaveAction" });

const CallResult = kept({
  save: z
    .array(
      kept({
        from: Expression.describe("Evaluated against the tool's parsed answer."),
        to: z.string().describe("The variable of the workflow that takes the value."),
      }).meta({ id: "CallResultSaveMapping" }),
    )
    .max(1_000)
    .optional(),
}).meta({ id: "CallResult" });

/** Calls a tool; its result is captured only when the call runs without the model (all required arguments given). */
const CallAction = kept({
  action: z.literal("call"),
  name: z.string(),
  arguments: z.record(z.string(), anyJson()).nullish(),
  result: CallResult.nullish(),
  wait: z
    .boolean()
    .nullish()
    .describe("Of a call that starts a steps task: waits until that task is completed, then continues."),
  ...when,
}).meta({ id: "CallAction" });

/** Text the agent says word for word, or that enters the conversation as the user's. */
const SayAction = kept({
  action: z.literal("say"),
  text: z.string(),
  role: z.enum(["user", "assistant"]).default("assistant"),
  ...when,
}).meta({ id: "SayAction" });

export const TaskAction = z.discriminatedUnion("action", [
  SetValueAction,
  IncrementAction,
  GetValueAction,
  SaveAction,
  CallAction,
  SayAction,
]);
export type TaskAction = z.infer<typeof TaskAction>;

export type TaskEvent = "start" | "enter" | "presubmit" | "submit";

/** What each event takes. Inputs exist from `enter` on, and are final only after `presubmit`. */
export const ACTIONS_OF_EVENT: Record<TaskEvent, readonly TaskAction["action"][]> = {
  start: ["set", "inc", "call", "say"],
  enter: ["get", "load", "set", "inc", "call", "say"],
  presubmit: ["get", "load", "set", "inc", "save"],
  submit: ["set", "inc", "save", "call", "say"],
};

const Actions = boundedList(TaskAction).nullish();

/** The actions of some events, in document order. */
export const eventActions = <E extends TaskEvent>(...events: E[]) =>
  kept(
    Object.fromEntries(
      events.map((event) => [event, Actions.describe(`Takes ${ACTIONS_OF_EVENT[event].join(", ")}.`)]),
    ) as Record<E, typeof Actions>,
  );
