import { ensureSystemTools } from "../agents/system-tools.ts";
import type { Caller } from "../api/caller.ts";
import type { Clock } from "../base/clock.ts";
import { insertTarget } from "../channels/claim-target.ts";
import { json, type Tx } from "../db/database.ts";
import { ensureDefaultInsights } from "../insights/default-insights.ts";
import { DEMO_HOST, SERVICES } from "./demo-api.ts";

export const DEMO_TARGET = "demo-clinic";

const CONTEXT = `You are the receptionist of the Demo Clinic, friendly and brief.
Today is {{ vars.session.date }} ({{ vars.session.day_of_week }}). The clinic is open Monday to Friday, 9:00 to 16:15.

You help people book an appointment:
1. Ask which service they need (${SERVICES.join(", ")}) and for which day.
2. Look up free times with find_slots and offer them.
3. Ask for their name and phone number, then book with book_appointment.
4. Tell them the confirmation number.

Never invent a time or a confirmation number; only the tools know them.

The lines below are obeyed by the scripted offline model only; other models can ignore them.
\`\`\`script
on "opening hours" or /when are you open|open today/ -> say "We are open Monday to Friday, 9:00 to 16:15. May I book you an appointment?"
on /human|real person|robot/ -> say "I am a demo agent, answered by a scripted model that runs offline. I can book you an appointment."
after find_slots if result.slots.length == 0 -> say "Nothing is free that day, I am sorry. Which other day would suit you?"
after book_appointment if error -> say "That time was just taken. Which other time would suit you?"
after book_appointment -> say "Done, {result.name}: your {result.service} is booked for {result.date} at {result.time}. Your confirmation number is {result.confirmation}."
\`\`\`
`;

/** What a first start comes with: an agent that can be talked to, offline. In the transaction that makes the organization. */
export const seedDemo =
  (clock: Clock) =>
  async (tx: Tx, caller: Caller): Promise<void> => {
    const now = clock.now().toISOString();
    const { sub_organization_id } = caller;
    const stamp = { last_updated: now, last_updated_by: caller.email };
    await ensureSystemTools(tx, caller, clock.now());
    await ensureDefaultInsights(tx, caller, clock.now());

    const service = await tx
      .insertInto("services")
      .values({
        sub_organization_id,
        name: "Demo clinic calendar",
        description: "Served by this program",
        ...stamp,
      })
      .returning("id")
      .executeTakeFirstOrThrow();

    const tool_ids: number[] = [];
    for (const definition of [findSlots, bookAppointment]) {
      const { name } = definition.tool.function;
      const tool = await tx
        .insertInto("tools")
        .values({ sub_organization_id, service_id: service.id, name, definition: json(definition), ...stamp })
        .returning("id")
        .executeTakeFirstOrThrow();
      await tx
        .insertInto("tool_versions")
        .values({
          tool_id: tool.id,
          version_number: 1,
          created_at: now,
          updated_by: caller.email,
          operation: "create",
          service_id: service.id,
          service_name: "Demo clinic calendar",
          name,
          definition: json(definition),
        })
        .execute();
      tool_ids.push(tool.id);
    }
    const hangup = await tx
      .selectFrom("tools")
      .select("id")
      .where("sub_organization_id", "=", sub_organization_id)
      .where("name", "=", "hangup")
      .executeTakeFirstOrThrow();
    tool_ids.push(hangup.id);

    const llm_config = { provider: "openai", model: "gpt-4.1", temperature: 0.3 };
    const prompt = await tx
      .insertInto("prompts")
      .values({
        sub_organization_id,
        name: "Demo clinic receptionist",
        description: "Books appointments",
        type: "prompt_v1",
        context: CONTEXT,
        llm_config: json(llm_config),
        ...stamp,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    await tx
      .insertInto("prompt_tools")
      .values(tool_ids.map((tool_id, position) => ({ prompt_id: prompt.id, tool_id, position })))
      .execute();
    await tx
      .insertInto("prompt_versions")
      .values({
        prompt_id: prompt.id,
        version_number: 1,
        timestamp: now,
        prompt_name: "Demo clinic receptionist",
        prompt_description: "Books appointments",
        prompt_text: CONTEXT,
        llm_config: json(llm_config),
        session_end_enabled: false,
        tools: json(tool_ids.map((tool_id) => ({ tool_id, version_number: 1 }))),
        user_email: caller.email,
      })
      .execute();

    const message = await tx
      .insertInto("custom_messages")
      .values({
        sub_organization_id,
        name: "Demo clinic greeting",
        type: "greeting",
        text: "Hello, this is the Demo Clinic. I can book you a check-up, a cleaning or a vaccination. What do you need?",
        rules: json([]),
        updated_at: now,
        last_updated_by: caller.email,
      })
      .returning("id")
      .executeTakeFirstOrThrow();

    const agent = await tx
      .insertInto("agents")
      .values({
        sub_organization_id,
        name: "Demo clinic",
        description: "Books appointments at a clinic that does not exist",
        labels: ["demo"],
        type: "ca_v1",
        prompt_id: prompt.id,
        custom_message_id: message.id,
        timezone: "UTC",
        prompt_tool_defaults: json([]),
        variables: json({ "vars.clinic": "Demo Clinic" }),
        updated_at: now,
        last_updated_by: caller.email,
      })
      .returning("id")
      .executeTakeFirstOrThrow();

    const channel = await tx
      .insertInto("channels")
      .values({
        organization_id: caller.organization_id,
        name: "Web chat",
        channel_service: "webchat",
        supported_modes: "chat",
        config: json({ telephony: null, email: null, credentials: null }),
        updated_at: now,
        last_updated_by: caller.email,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    await insertTarget(tx, clock, caller, {
      agent_id: agent.id,
      channel_id: channel.id,
      target: DEMO_TARGET,
      target_mode: "chat",
      fallback_target: null,
      is_test: false,
    });
  };

const findSlots = {
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

const bookAppointment = {
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
