/**
 * The second agent of the demo: it calls people the day before their visit. Its conversation is a step workflow, so that
 * there is one to look at, and it is whom the demo campaign dials for.
 */
export const REMINDER_CONTEXT = `You call patients of the Demo Clinic the day before their visit, in English or Spanish.
You are talking with {{ vars.name }}, whose visit is {{ vars.visit_date }}.
Today is {{ vars.session.date }} ({{ vars.session.day_of_week }}).

Follow the steps that confirm_visit gives you; say what a step tells you and nothing about steps.
Whoever asks not to be called again is told that they won't be. A mailbox is left a short message.

The lines below are obeyed by the scripted offline model only; other models can ignore them.
\`\`\`script
after confirm_visit if result.step == "ASK_COMING" -> call leave_voicemail {"message": "Hello, this is the Demo Clinic about your visit. Please call us back."}
after leave_voicemail if error -> say "Can you come to your visit?"
on /check-up/ -> call confirm_visit {"needs": "nothing"}
after confirm_visit if result.step == "ASK_OTHER_DAY" -> say "Which other day would suit you?"
after confirm_visit if result.step == "CONFIRMED" -> say "Thank you, we look forward to seeing you. Goodbye." then call hangup
after confirm_visit if result.step == "MOVED" -> say "Your visit is moved to that day. Goodbye." then call hangup
after confirm_visit if result.step == "CALL_BACK" -> say "We will call you back to find a day. Goodbye." then call hangup
after hangup -> say ""
\`\`\`
`;

/** Written out: clients made from the public types know an expression by its object form only. */
const jp = (expression: string) => ({ type: "jp", expression }) as const;

/** Asked, answered, and branched by what was answered: coming → anything to prepare; not coming → another day. */
export const confirmVisit = {
  type: "context",
  tool: {
    type: "function",
    function: {
      name: "visit_workflow",
      description: "Confirms or moves a visit",
      parameters: { type: "object", properties: {}, required: [] },
    },
  },
  context: {
    task: {
      type: "steps",
      version: "v1alpha",
      id: "confirm-visit",
      tool: { name: "confirm_visit", description: "Takes down whether the patient is coming" },
      variables: [{ name: "local.refusals", value: 0 }],
      steps: [
        {
          id: "ASK_COMING",
          goal: "Find out whether the patient is coming",
          instructions: ["Ask whether they can come {{ vars.visit_date }}."],
          inputs: [{ name: "coming", type: "boolean", description: "Can you come to your visit?" }],
          on: { submit: [{ action: "save" }] },
          next: [
            { id: "ASK_NEEDS", if: jp("coming == `true`"), requires: ["coming"] },
            { id: "ASK_OTHER_DAY" },
          ],
        },
        {
          id: "ASK_NEEDS",
          goal: "Find out what the clinic should prepare",
          instructions: ["Ask whether they need anything prepared."],
          inputs: [
            {
              name: "needs",
              type: "string",
              enum: ["nothing", "wheelchair", "interpreter"],
              description: "Do you need a wheelchair, an interpreter or nothing?",
            },
          ],
          on: { submit: [{ action: "save" }] },
          next: ["CONFIRMED"],
        },
        {
          id: "ASK_OTHER_DAY",
          goal: "Find a day that suits",
          instructions: [
            { if: jp("local.refusals == `0`"), text: "Ask which other day would suit them." },
            {
              if: jp("local.refusals > `0`"),
              text: "The clinic is closed at weekends: ask for another day.",
            },
          ],
          inputs: [
            {
              name: "other_day",
              type: "string",
              format: "date",
              description: "Which other day would suit you?",
            },
          ],
          on: {
            submit: [
              {
                action: "call",
                name: "find_slots",
                arguments: { service: "check-up", date: "{{ inputs.other_day }}" },
                result: { save: [{ from: jp("length(slots)"), to: "free" }] },
              },
              { action: "inc", name: "local.refusals", if: jp("local.free == `0`") },
              {
                action: "say",
                text: "Nothing is free that day, I am sorry.",
                if: jp("local.free == `0` && local.refusals < `3`"),
              },
              { action: "save", if: jp("local.free > `0`") },
            ],
          },
          next: [
            { id: "MOVED", if: jp("local.free > `0`") },
            { id: "CALL_BACK", if: jp("local.refusals >= `3`") },
            "ASK_OTHER_DAY",
          ],
        },
        {
          id: "CONFIRMED",
          goal: "Say goodbye",
          instructions: [
            "Thank them, say you look forward to seeing them {{ vars.visit_date }}, and hang up.",
          ],
        },
        {
          id: "MOVED",
          goal: "Say goodbye",
          instructions: ["Say the visit is moved to {{ other_day }}, and hang up."],
        },
        {
          id: "CALL_BACK",
          goal: "Say goodbye",
          instructions: ["Say that the clinic will call back to find a day, and hang up."],
        },
      ],
    },
  },
};
