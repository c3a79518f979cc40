import type { InputParameter, Step, ToolDefinition } from "../api-types.ts";

/** A workflow to begin with. Each is complete: it can be played, published and talked with as it is. */
export type WorkflowTemplate = {
  key: string;
  title: string;
  description: string;
  steps: Step[];
};

const text = (name: string, description: string, more: Partial<InputParameter> = {}): InputParameter => ({
  name,
  type: "string",
  description,
  required: true,
  ...more,
});
const yesNo = (name: string, description: string): InputParameter => ({
  name,
  type: "boolean",
  description,
  required: true,
});
const SAVE = { submit: [{ action: "save" as const }] };
const goodbye = (id: string, say: string): Step => ({
  id,
  goal: "Say goodbye",
  instructions: [say],
  next: [],
});

export const EMPTY: WorkflowTemplate = {
  key: "empty",
  title: "Empty workflow",
  description: "One step. Add the rest yourself.",
  steps: [
    { id: "STEP_1", goal: "Greet the person", instructions: ["Ask how you can help."], inputs: [], next: [] },
  ],
};

export const WORKFLOW_TEMPLATES: readonly WorkflowTemplate[] = [
  {
    key: "appointment",
    title: "Book an appointment",
    description: "Asks for a service, a day and a name, reads them back, and corrects mistakes.",
    steps: [
      {
        id: "ASK_SERVICE",
        goal: "Find out which appointment the person wants, and for which day",
        instructions: ["Ask which service they need and which day suits them."],
        inputs: [
          text("service", "Which service do you need?", { enum: ["check-up", "consultation", "other"] }),
          text("date", "Which day suits you?", { format: "date" }),
        ],
        on: SAVE,
        next: [{ id: "ASK_CONTACT", requires: ["service", "date"] }],
      },
      {
        id: "ASK_CONTACT",
        goal: "Find out who the person is",
        instructions: ["Ask for their name and telephone number."],
        inputs: [text("name", "Your name, please?"), text("phone", "Your telephone number?")],
        on: SAVE,
        next: [{ id: "CONFIRM", requires: ["name", "phone"] }],
      },
      {
        id: "CONFIRM",
        goal: "Have the appointment confirmed",
        instructions: [
          "Read back: {{ service }} on {{ date }} for {{ name }}, {{ phone }}. Ask whether that is right.",
        ],
        inputs: [yesNo("is_right", "Is that right?")],
        next: [{ id: "BOOKED", if: "is_right == `true`", requires: ["is_right"] }, "ASK_SERVICE"],
      },
      goodbye("BOOKED", "Say that the appointment is noted, and say goodbye."),
    ],
  },
  {
    key: "survey",
    title: "Ask a survey",
    description: "Asks for a score from 0 to 10, and then a question that depends on the answer.",
    steps: [
      {
        id: "ASK_SCORE",
        goal: "Find out how likely they are to recommend us",
        instructions: ["Ask how likely they are to recommend us, from 0 to 10."],
        inputs: [
          {
            name: "score",
            type: "integer",
            description: "From 0 to 10, how likely are you to recommend us?",
            enum: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"],
            required: true,
          },
        ],
        on: SAVE,
        next: [{ id: "ASK_LIKED", if: "score >= `9`", requires: ["score"] }, "ASK_BETTER"],
      },
      {
        id: "ASK_LIKED",
        goal: "Find out what they like",
        instructions: ["Thank them, and ask what they like best."],
        inputs: [text("liked", "What do you like best?")],
        on: SAVE,
        next: ["THANKS"],
      },
      {
        id: "ASK_BETTER",
        goal: "Find out what to do better",
        instructions: ["Ask what we should do better."],
        inputs: [text("better", "What should we do better?")],
        on: SAVE,
        next: ["THANKS"],
      },
      goodbye("THANKS", "Thank them for their time, and say goodbye."),
    ],
  },
  {
    key: "routing",
    title: "Answer or route",
    description: "Finds out what callers want, answers questions, and takes messages for your staff.",
    steps: [
      {
        id: "ASK_TOPIC",
        goal: "Find out what the person wants",
        instructions: ["Ask how you can help."],
        inputs: [text("topic", "What is it about?", { enum: ["question", "complaint", "something else"] })],
        on: SAVE,
        next: [
          { id: "ANSWER", if: "topic == 'question'", requires: ["topic"] },
          { id: "TAKE_DOWN", if: "topic == 'complaint' || topic == 'something else'" },
          "ASK_TOPIC",
        ],
      },
      {
        id: "ANSWER",
        goal: "Answer the question",
        instructions: ["Answer in one or two sentences from what you know. Ask whether that was all."],
        inputs: [yesNo("is_answered", "Was that all?")],
        next: [{ id: "GOODBYE", if: "is_answered == `true`", requires: ["is_answered"] }, "TAKE_DOWN"],
      },
      {
        id: "TAKE_DOWN",
        goal: "Take a message for the staff",
        instructions: [
          "Say that a colleague will call back. Ask what it is about and for a telephone number.",
        ],
        inputs: [text("matter", "What is it about?"), text("phone", "Under which number can we reach you?")],
        on: SAVE,
        next: [{ id: "GOODBYE", requires: ["matter", "phone"] }],
      },
      goodbye("GOODBYE", "Thank them, and say goodbye."),
    ],
  },
  {
    key: "reminder",
    title: "Remind and confirm",
    description: "Confirms a visit, or finds another day in at most three tries.",
    steps: [
      {
        id: "ASK_COMING",
        goal: "Find out whether the person is coming",
        instructions: ["Remind them of their visit, and ask whether they can come."],
        inputs: [yesNo("coming", "Can you come to your visit?")],
        on: { start: [{ action: "set", name: "local.tries", value: 0 }], ...SAVE },
        next: [{ id: "CONFIRMED", if: "coming == `true`", requires: ["coming"] }, "ASK_OTHER_DAY"],
      },
      {
        id: "ASK_OTHER_DAY",
        goal: "Find a day that suits",
        instructions: [
          "Ask which other day would suit them.",
          { if: "local.tries > `0`", text: "Suggest tomorrow." },
        ],
        inputs: [text("other_day", "Which other day would suit you?", { format: "date", required: false })],
        on: { submit: [{ action: "inc", name: "local.tries", by: 1 }, { action: "save" }] },
        next: [
          { id: "MOVED", if: "other_day != `null`" },
          { id: "CALL_BACK", if: "local.tries >= `3`" },
          "ASK_OTHER_DAY",
        ],
      },
      goodbye("CONFIRMED", "Thank them, say you look forward to seeing them, and say goodbye."),
      goodbye("MOVED", "Say that the visit is moved to {{ other_day }}, and say goodbye."),
      goodbye("CALL_BACK", "Say that somebody will call back to find a day, and say goodbye."),
    ],
  },
];

/** The definition of a new workflow. The task's tool is called like the record, so nothing has to be named twice. */
export const newWorkflow = (
  name: string,
  description: string,
  { steps }: WorkflowTemplate,
): ToolDefinition => ({
  type: "context",
  tool: {
    type: "function",
    function: { name, description, parameters: { type: "object", properties: {}, required: [] } },
  },
  context: { task: { type: "steps", version: "v1alpha", start: "auto", tool: { description }, steps } },
});

/** What somebody calls a workflow, as a tool may be called: letters, digits, underscores and hyphens. */
export const toolNameOf = (title: string): string =>
  title
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 64);
