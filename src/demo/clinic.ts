import { DEMO_HOST, SERVICES } from "./demo-api.ts";

/** The first agent of the demo: it books appointments with tools that call the clinic's calendar (`demo-api.ts`). */
export const CLINIC_CONTEXT = `You are the receptionist of the Demo Clinic, friendly and brief.
Today is {{ vars.session.date }} ({{ vars.session.day_of_week }}). The clinic is open Monday to Friday, 9:00 to 16:15.

You help people book an appointment:
1. Ask which service they need (${SERVICES.join(", ")}) and for which day.
2. Look up free times with find_slots and offer them.
3. Ask for their name and phone number, then book with book_appointment.
4. Tell them the confirmation number.
Whoever wants to cancel gives that number; cancel_appointment needs nothing else.

Never invent a time or a confirmation number; only the tools know them.

The lines below are obeyed by the scripted offline model only; other models can ignore them.
\`\`\`script
on "opening hours" or /when are you open|open today/ -> say "We are open Monday to Friday, 9:00 to 16:15. May I book you an appointment?"
on /human|real person|robot/ -> say "I am a demo agent, answered by a scripted model that runs offline. I can book you an appointment."
after find_slots if result.slots.length == 0 -> say "Nothing is free that day, I am sorry. Which other day would suit you?"
after book_appointment if error -> say "That time was just taken." then call find_slots {"service": "{results.find_slots.slots.0.service}", "date": "{results.find_slots.slots.0.date}"}
after book_appointment -> say "Done, {result.name}: your {result.service} is booked for {result.date} at {result.time}. Your confirmation number is {result.confirmation}."
after cancel_appointment if error -> say "I know no appointment of that number."
after cancel_appointment -> say "Your {result.service} on {result.date} at {result.time} is cancelled."
\`\`\`
`;

/**
 * The instructions of the demo's second version: shorter, and without the confirmation number, which the suite of tests
 * finds before anybody does.
 */
export const SHORT_CLINIC_CONTEXT = CLINIC_CONTEXT.replace("friendly and brief", "very brief")
  .replace("4. Tell them the confirmation number.\n", "")
  .replace(
    "We are open Monday to Friday, 9:00 to 16:15. May I book you an appointment?",
    "Weekdays, 9 to 16.",
  )
  .replace(
    "Done, {result.name}: your {result.service} is booked for {result.date} at {result.time}. Your confirmation number is {result.confirmation}.",
    "Done. See you on {result.date} at {result.time}.",
  );

export const findSlots = {
  type: "endpoint",
  tool: {
    type: "function",
    function: {
      name: "find_slots",
      description: "Free times for an appointment at the clinic on one day",
      parameters: {
        type: "object",
        properties: {
          service: { type: "string", enum: [...SERVICES], description: "The service" },
          date: { type: "string", format: "date", description: "The day of the appointment" },
        },
        required: ["service", "date"],
      },
    },
  },
  // The demo's visitors may look at what the tools answer.
  options: { propagate_tool_result: true },
  endpoint: { url: `http://${DEMO_HOST}/demo/slots`, method: "get", argument_location: "query", timeout: 10 },
};

export const bookAppointment = {
  type: "endpoint",
  tool: {
    type: "function",
    function: {
      name: "book_appointment",
      description: "Books a free time that find_slots offered",
      parameters: {
        type: "object",
        properties: {
          slot_id: { type: "string", description: "The slot_id of the chosen time, from find_slots" },
          name: { type: "string", description: "Your full name" },
          phone: { type: "string", format: "phone", description: "Your phone number" },
        },
        required: ["slot_id", "name", "phone"],
      },
    },
  },
  options: { propagate_tool_result: true },
  endpoint: {
    url: `http://${DEMO_HOST}/demo/appointments`,
    method: "post",
    argument_location: "body",
    timeout: 10,
  },
};

export const cancelAppointment = {
  type: "endpoint",
  tool: {
    type: "function",
    function: {
      name: "cancel_appointment",
      description: "Cancels a booked appointment",
      parameters: {
        type: "object",
        properties: {
          confirmation: {
            type: "string",
            pattern: "^DC-[0-9A-Z]{4}$",
            description: "The confirmation number, such as DC-1A2B",
          },
        },
        required: ["confirmation"],
      },
    },
  },
  options: { propagate_tool_result: true },
  endpoint: {
    url: `http://${DEMO_HOST}/demo/cancellations`,
    method: "post",
    argument_location: "body",
    timeout: 10,
  },
};
