import { AgentFile } from "../agent-files/agent-file.ts";
import type { AgentTemplate } from "../agent-files/routes.ts";
import { bookAppointment, CLINIC_CONTEXT, cancelAppointment, findSlots } from "./clinic.ts";
import { CLINIC_GREETING, LANGUAGES, REMINDER_GREETING } from "./greetings.ts";
import { confirmVisit, REMINDER_CONTEXT } from "./reminder.ts";
import { SURVEY_CONTEXT, SURVEY_GREETING, survey } from "./survey.ts";

const CALENDAR = { name: "Demo clinic calendar", description: "Served by this program" };

const tool = (definition: { tool: { function: { name: string } } }) => ({
  name: definition.tool.function.name,
  service: CALENDAR.name,
  definition,
});

const COMMON = { format: "parley-agent-1", timezone: "UTC", variables: {}, languages: null };
const MODEL = { provider: "openai", model: "gpt-6-luna" };
const spoken = { ...LANGUAGES, skip_current_language_in_message: true };

const FAQ_CONTEXT = `You answer questions about {{ vars.company }}, in one or two sentences.

What you know:
- Opening hours: Monday to Friday, 9 to 17.
- Address: write yours here.
- Returns: within 30 days, with the receipt.

If you don't know something, say so, and say how to reach a person.

The lines below are obeyed by the scripted offline model only; other models can ignore them.
\`\`\`script
on /open|hours/ -> say "We are open Monday to Friday, 9 to 17."
on /return|refund/ -> say "You can return anything within 30 days, with the receipt."
otherwise -> say "I don't know that. Please ask us by e-mail."
\`\`\`
`;

const file = (input: object): AgentFile => AgentFile.parse({ ...COMMON, ...input });

/** Agents to begin with. Each can be talked with at once, offline. */
export const agentTemplates = (): AgentTemplate[] => [
  {
    key: "faq",
    title: "Answer questions",
    description: "Answers from what you write down. The simplest agent: instructions and a greeting.",
    file: file({
      name: "Questions",
      variables: { "vars.company": "our company" },
      prompt: { name: "Questions", context: FAQ_CONTEXT, llm_config: MODEL, tools: ["hangup"] },
      greeting: { name: "Questions greeting", text: "Hello! What would you like to know?" },
    }),
  },
  {
    key: "clinic",
    title: "Book appointments",
    description:
      "A clinic's receptionist: finds free times, books and cancels, by tools that call a calendar.",
    file: file({
      name: "Receptionist",
      variables: { "vars.clinic": "Demo Clinic" },
      prompt: {
        name: "Receptionist",
        context: CLINIC_CONTEXT,
        llm_config: MODEL,
        tools: ["find_slots", "book_appointment", "cancel_appointment", "hangup"],
      },
      greeting: CLINIC_GREETING,
      languages: spoken,
      services: [CALENDAR],
      tools: [findSlots, bookAppointment, cancelAppointment].map(tool),
    }),
  },
  {
    key: "reminder",
    title: "Remind of a visit",
    description:
      "Calls people before their visit, and finds another day for who can't come: a step workflow.",
    file: file({
      name: "Reminder",
      variables: { "vars.name": "Sam", "vars.visit_date": "tomorrow" },
      prompt: {
        name: "Reminder",
        context: REMINDER_CONTEXT,
        llm_config: MODEL,
        tools: ["visit_workflow", "find_slots", "leave_voicemail", "hangup"],
      },
      greeting: REMINDER_GREETING,
      languages: spoken,
      services: [CALENDAR],
      tools: [findSlots, confirmVisit].map(tool),
    }),
  },
  {
    key: "survey",
    title: "Ask a survey",
    description: "Two questions, the second depending on the first answer: a step workflow to build on.",
    file: file({
      name: "Survey",
      variables: { "vars.company": "our company" },
      prompt: {
        name: "Survey",
        context: SURVEY_CONTEXT,
        llm_config: MODEL,
        tools: ["survey_workflow", "hangup"],
      },
      greeting: SURVEY_GREETING,
      services: [CALENDAR],
      tools: [tool(survey)],
    }),
  },
];
