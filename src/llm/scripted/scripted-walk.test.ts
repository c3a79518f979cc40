import { describe, expect, test } from "vitest";
import { errorText } from "../../base/errors.ts";
import { type ModelMessage, type ModelRequest, readAnswer, type ToolCall } from "../model.ts";
import { scriptedModel } from "./scripted.ts";

/** A conversation with tools that answer at once; the model gets nothing but the messages each time. */
type Executor = (name: string, given: Record<string, unknown>) => unknown;

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

function conversation(options: { system: string; tools?: ModelRequest["tools"]; execute?: Executor }) {
  const messages: ModelMessage[] = [{ role: "system", text: options.system }];
  const tools = options.tools ?? [];
  const execute = (call: ToolCall) => {
    try {
      return { result: options.execute?.(call.name, call.arguments) ?? {}, is_error: false };
    } catch (error) {
      return { result: errorText(error), is_error: true };
    }
  };
  /** One turn of the agent: until it no longer calls a tool. Returns what was heard and what was called. */
  const turn = async () => {
    const heard: string[] = [];
    const called: [string, Record<string, unknown>][] = [];
    for (let round = 0; round < 10; round += 1) {
      const { text, calls } = await readAnswer(model, request({ messages, tools }));
      messages.push({ role: "assistant", text, calls });
      if (text !== "") heard.push(text);
      if (calls.length === 0) break;
      for (const call of calls) {
        called.push([call.name, call.arguments]);
        messages.push({ role: "tool", call_id: call.id, tool_name: call.name, ...execute(call) });
      }
    }
    return { text: heard.join(" "), called };
  };
  return {
    messages,
    turn,
    say: (text: string) => {
      messages.push({ role: "user", text });
      return turn();
    },
  };
}

const CLINIC = "You answer the telephone of a clinic.\nToday is 2026-11-20, a Friday.";
const FIND_SLOTS = {
  name: "find_slots",
  description: "Find the free appointments for a service on a day.",
  parameters: {
    type: "object",
    properties: {
      service: {
        type: "string",
        enum: ["check-up", "cleaning", "vaccination"],
        description: "Kind of visit",
      },
      date: { type: "string", format: "date", description: "Date of the visit" },
    },
    required: ["service", "date"],
  },
};
const BOOK_APPOINTMENT = {
  name: "book_appointment",
  description: "Book one of the free slots.",
  parameters: {
    type: "object",
    properties: {
      slot_id: { type: "string", description: "Id of the slot" },
      name: { type: "string", description: "Name of the patient" },
      phone: { type: "string", description: "Phone number" },
    },
    required: ["slot_id", "name", "phone"],
  },
};
const HANGUP = {
  name: "hangup",
  description: "Ends the call.",
  parameters: { type: "object", properties: { reason: { type: "string" } } },
};

const clinic: Executor = (name, given) => {
  if (name === "find_slots") {
    return {
      date: given.date,
      slots: [
        { id: "s-0900", time: "09:00", doctor: "Dr. Ng" },
        { id: "s-1030", time: "10:30", doctor: "Dr. Roe" },
      ],
    };
  }
  return name === "book_appointment" ? { status: "booked", confirmation: "AB12" } : {};
};

describe("filling forms by asking", () => {
  const clinicCall = () =>
    conversation({ system: CLINIC, tools: [FIND_SLOTS, BOOK_APPOINTMENT, HANGUP], execute: clinic });

  test("an appointment is booked from a wish, over a choice of slots, to a confirmation", async () => {
    const { say } = clinicCall();
    const wish = await say("I'd like to book a check-up tomorrow");
    expect(wish.called).toEqual([["find_slots", { service: "check-up", date: "2026-11-21" }]]);
    expect(wish.text).toBe(
      "I found 2 slots: (1) 09:00, Dr. Ng and (2) 10:30, Dr. Roe. Which slot would you like?",
    );
    expect((await say("The second one, please.")).text).toBe("What is the name of the patient?");
    expect((await say("Ann Lee")).text).toBe("What is the phone number?");
    const booked = await say("It's +1 555 010 0199.");
    expect(booked.called).toEqual([
      ["book_appointment", { slot_id: "s-1030", name: "Ann Lee", phone: "+15550100199" }],
    ]);
    expect(booked.text).toBe("Done. Status: booked. Confirmation: AB12.");
    const bye = await say("Thanks, bye!");
    expect(bye.called).toEqual([["hangup", { reason: "The user said goodbye." }]]);
    expect(bye.text).toMatch(/^Goodbye\./);
  });

  test("what was said before it was asked for is not asked for again", async () => {
    const { say } = clinicCall();
    await say("Hi, I'm Ann Lee, I need a vaccination on Monday");
    const booked = await say("at half past ten; my phone is 555-0100");
    expect(booked.called).toEqual([
      ["book_appointment", { slot_id: "s-1030", name: "Ann Lee", phone: "5550100" }],
    ]);
  });

  test("an answer that fits nothing is asked for again, with the choices", async () => {
    const { say } = clinicCall();
    await say("I want to book");
    expect((await say("the usual")).text).toBe(
      "I did not understand that. What is the kind of visit? Please choose check-up, cleaning or vaccination.",
    );
    expect((await say("cleaning")).text).toBe("What is the date of the visit?");
    expect((await say("31 April")).text).toBe("I did not understand that. What is the date of the visit?");
    await say("1 December");
    expect((await say("with my usual doctor")).text).toBe(
      "I did not understand that. Which slot would you like? I have (1) 09:00, Dr. Ng and (2) 10:30, Dr. Roe.",
    );
  });

  test("when nothing is free another day is asked for, and when a slot is gone another slot", async () => {
    let booked = 0;
    const { say } = conversation({
      system: CLINIC,
      tools: [FIND_SLOTS, BOOK_APPOINTMENT],
      execute: (name, given) => {
        if (given.date === "2026-11-21") return { slots: [] };
        if (name !== "book_appointment") return clinic(name, given);
        booked += 1;
        if (booked === 1) throw new Error("just taken");
        return { status: "booked" };
      },
    });
    expect((await say("Book a check-up for Ann tomorrow")).text).toBe(
      "I found no slots. What is the date of the visit?",
    );
    expect((await say("Then on Monday")).text).toContain("Which slot would you like?");
    await say("the first one");
    await say("Ann Lee");
    expect((await say("555-0100")).text).toBe(
      "I am sorry, book appointment did not work: just taken. Which slot would you like?",
    );
    expect((await say("10:30 then")).called).toEqual([
      ["book_appointment", { slot_id: "s-1030", name: "Ann Lee", phone: "5550100" }],
    ]);
  });

  test("a form given up leaves nothing behind", async () => {
    const { say } = clinicCall();
    await say("book a cleaning tomorrow");
    expect((await say("never mind")).text).toBe("All right. Is there anything else?");
    expect((await say("I want to book")).text).toContain("What is the kind of visit?");
  });

  test("silence repeats the open question", async () => {
    const { say } = clinicCall();
    await say("book a cleaning");
    expect((await say("")).text).toBe("Are you still there? What is the date of the visit?");
  });

  test("who breaks off what is said into their silence answers the question before it", async () => {
    const { say, messages } = clinicCall();
    await say("Book a check-up on Monday");
    await say("");
    const last = messages.at(-1);
    if (last?.role === "assistant") last.text = "Are you still";
    expect((await say("The first one, please.")).text).toBe("What is the name of the patient?");
  });

  test("who interrupts a list before its question has chosen from it", async () => {
    const { say, messages } = clinicCall();
    await say("Book a check-up on Monday");
    const last = messages.at(-1);
    if (last?.role === "assistant") last.text = "I found 2 slots: (1) 09:00,";
    expect((await say("The first one, please.")).text).toBe("What is the name of the patient?");
  });

  test("with nothing to do it says what it is", async () => {
    const { say } = clinicCall();
    expect((await say("Sing me a song")).text).toBe(
      "I am the scripted offline model. I can help with: find slots and book appointment.",
    );
    expect((await conversation({ system: "" }).turn()).text).toBe(
      "Hello. I am the scripted offline model. I have no tools to help with.",
    );
  });

  test("a failed tool is named, with its reason", async () => {
    const answered = async (result: unknown) => {
      const messages: ModelMessage[] = [
        { role: "user", text: "book a cleaning tomorrow" },
        { role: "assistant", text: "", calls: [{ id: "1", name: "find_slots", arguments: {} }] },
        { role: "tool", call_id: "1", tool_name: "find_slots", result, is_error: true },
      ];
      return readAnswer(model, request({ messages, tools: [FIND_SLOTS] }));
    };
    const { text, calls } = await answered("timeout after 20 s");
    expect(text).toBe("I am sorry, find slots did not work: timeout after 20 s.");
    expect(calls).toEqual([]);
    // As the engine hands on what went wrong on the way to a service.
    expect((await answered({ error: { message: "no way there" } })).text).toBe(
      "I am sorry, find slots did not work: no way there.",
    );
  });
});

describe("step workflows", () => {
  const step = (properties: Record<string, unknown>) => ({
    name: "submit_contact",
    description: "Collect the contact.",
    parameters: { type: "object", properties, required: Object.keys(properties) },
  });
  const EMAIL = { email: { type: "string", format: "email", description: "E-mail address" } };

  test("the step's inputs are asked for, errors are repeated, and what the engine spoke is not said twice", async () => {
    const messages: ModelMessage[] = [
      { role: "assistant", text: "", calls: [{ id: "1", name: "submit_contact", arguments: {} }] },
      {
        role: "tool",
        call_id: "1",
        tool_name: "submit_contact",
        result: {
          status: "active",
          step: "ASK",
          goal: "Get the e-mail",
          instructions: [],
          say: ["Welcome."],
        },
        is_error: false,
      },
      { role: "assistant", text: "Welcome.", calls: [] },
    ];
    const tools = [step(EMAIL)];
    expect((await readAnswer(model, request({ messages, tools }))).text).toBe("What is the e-mail address?");

    messages.push({ role: "assistant", text: "What is the e-mail address?", calls: [] });
    messages.push({ role: "user", text: "it's ann@example.com" });
    const submitted = await readAnswer(model, request({ messages, tools }));
    expect(submitted.calls[0]).toMatchObject({
      name: "submit_contact",
      arguments: { email: "ann@example.com" },
    });

    messages.push({ role: "assistant", text: "", calls: submitted.calls });
    messages.push({
      role: "tool",
      call_id: submitted.calls[0]?.id ?? "",
      tool_name: "submit_contact",
      result: {
        status: "error",
        step: "ASK",
        errors: [{ input: "email", message: "This address is unknown" }],
        instructions: [],
      },
      is_error: false,
    });
    const refused = await readAnswer(model, request({ messages, tools }));
    expect(refused.text).toBe("I am sorry: This address is unknown. What is the e-mail address?");
    expect(refused.calls).toEqual([]);
  });

  test("a step without inputs is told about first and submitted after the user's next words", async () => {
    const { messages, say, turn } = conversation({
      system: "",
      tools: [step({})],
      execute: () => ({ status: "completed", step: "END", instructions: [] }),
    });
    messages.push({
      role: "assistant",
      text: "",
      calls: [{ id: "1", name: "submit_contact", arguments: {} }],
    });
    const result = { status: "active", step: "TELL", instructions: ["Park behind the house."], inputs: [] };
    messages.push({ role: "tool", call_id: "1", tool_name: "submit_contact", result, is_error: false });
    expect(await turn()).toEqual({ text: "Park behind the house.", called: [] });
    const next = await say("fine");
    expect(next.called).toEqual([["submit_contact", {}]]);
    expect(next.text).toBe("Thank you, that is all I need.");
  });
});
