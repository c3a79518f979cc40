import { insertAgent } from "../agents/agent-store.ts";
import { writePromptVersion } from "../agents/prompt-history.ts";
import { PromptLlmConfig } from "../agents/prompt-llm.ts";
import { linkTools, toolsOfPrompt } from "../agents/prompt-tools.ts";
import type { Caller } from "../api/caller.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { insertTarget } from "../channels/claim-target.ts";
import { json, type Tx } from "../db/database.ts";
import { insertSuite } from "../evaluations/suite-store.ts";
import { ensureDefaultInsights } from "../insights/default-insights.ts";
import { freezeJudges } from "../judges/judge-store.ts";
import { ensureSystemTools } from "../tools/system-tools.ts";
import { ToolDefinition } from "../tools/tool-definition.ts";
import { insertTool } from "../tools/tool-store.ts";
import { publishDraft } from "../versions/version-store.ts";
import { insertDemoCampaign } from "./campaign.ts";
import {
  bookAppointment,
  CLINIC_CONTEXT,
  cancelAppointment,
  findSlots,
  SHORT_CLINIC_CONTEXT,
} from "./clinic.ts";
import { clinicTests } from "./clinic-tests.ts";
import { CLINIC_GREETING, LANGUAGES, REMINDER_GREETING } from "./greetings.ts";
import { confirmVisit, REMINDER_CONTEXT } from "./reminder.ts";

export const DEMO_TARGET = "demo-clinic";
const REMINDER_TARGET = "demo-reminder";

/** What a first start comes with: two agents that can be talked to, offline. In the transaction that makes the organization. */
export const seedDemo =
  ({ clock, vault }: { clock: Clock; vault: Vault }) =>
  async (tx: Tx, caller: Caller): Promise<void> => {
    await ensureSystemTools(tx, caller, clock.now());
    await ensureDefaultInsights(tx, caller, clock.now());
    const demo = { tx, caller, now: clock.now() };

    const service_id = await insertService(demo);
    for (const definition of [findSlots, bookAppointment, cancelAppointment, confirmVisit]) {
      const parsed = ToolDefinition.parse(definition);
      await insertTool(tx, caller, demo.now, {
        name: parsed.tool.function.name,
        definition: parsed,
        service_id,
      });
    }
    const language_group_id = await insertLanguages(demo);
    const clinic = await insertDemoAgent(demo, {
      language_group_id,
      name: "Demo clinic",
      description: "Books appointments at a clinic that does not exist",
      prompt: {
        name: "Demo clinic receptionist",
        description: "Books appointments",
        context: CLINIC_CONTEXT,
      },
      tools: CLINIC_TOOLS,
      greeting: CLINIC_GREETING,
      variables: { "vars.clinic": "Demo Clinic" },
    });
    const reminder = await insertDemoAgent(demo, {
      language_group_id,
      name: "Demo reminder",
      description: "Reminds people of a visit, with a step workflow",
      prompt: {
        name: "Demo clinic reminder",
        description: "Confirms or moves a visit",
        context: REMINDER_CONTEXT,
      },
      tools: ["visit_workflow", "find_slots", "leave_voicemail", "hangup"],
      greeting: REMINDER_GREETING,
      variables: { "vars.name": "Sam", "vars.visit_date": "tomorrow" },
    });

    await insertSuite(tx, { clock, vault }, caller, await clinicTests());

    const channel_id = await insertWebChat(demo);
    const chat = { channel_id, target_mode: "chat", fallback_target: null, is_test: false } as const;
    const page = await insertTarget(tx, clock, caller, { ...chat, agent_id: clinic, target: DEMO_TARGET });
    await tx.updateTable("channel_targets").set({ browser_calls: true }).where("id", "=", page).execute();
    await insertTarget(tx, clock, caller, { ...chat, agent_id: reminder, target: REMINDER_TARGET });
    await insertDemoCampaign({ tx, caller, clock, vault }, { clinic, reminder });
    await insertClinicVersions(demo, clinic);
  };

const CLINIC_TOOLS = ["find_slots", "book_appointment", "cancel_appointment", "hangup"];

/**
 * Two versions of the clinic to compare: as it is, and with shorter answers. Neither is live, so what is saved reaches
 * people at once, as with any new agent.
 */
async function insertClinicVersions(demo: Demo, agent_id: number): Promise<void> {
  const { tx, caller, now: at } = demo;
  const choose = (values: { prompt_id?: number; published_version?: null }) =>
    tx.updateTable("agents").set(values).where("id", "=", agent_id).execute();
  const { prompt_id } = await tx
    .selectFrom("agents")
    .select("prompt_id")
    .where("id", "=", agent_id)
    .executeTakeFirstOrThrow();
  await publishDraft(tx, { caller, at, freezeJudges }, agent_id, { note: "As the demo begins" });
  const short = {
    name: "Shorter answers at the clinic",
    description: "Books appointments in fewer words",
    context: SHORT_CLINIC_CONTEXT,
  };
  await choose({ prompt_id: await insertPrompt(demo, { prompt: short, tools: CLINIC_TOOLS }) });
  await publishDraft(tx, { caller, at, freezeJudges }, agent_id, {
    note: "Shorter answers",
    take_live: false,
  });
  await choose({ prompt_id, published_version: null });
}

type Demo = { tx: Tx; caller: Caller; now: Date };

const stamp = ({ caller, now }: Demo) => ({ last_updated: now.toISOString(), last_updated_by: caller.email });
const written = ({ caller, now }: Demo) => ({
  sub_organization_id: caller.sub_organization_id,
  updated_at: now.toISOString(),
  last_updated_by: caller.email,
});

async function insertService(demo: Demo): Promise<number> {
  const { id } = await demo.tx
    .insertInto("services")
    .values({
      sub_organization_id: demo.caller.sub_organization_id,
      name: "Demo clinic calendar",
      description: "Served by this program",
      ...stamp(demo),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

async function insertLanguages(demo: Demo): Promise<number> {
  const { id } = await demo.tx
    .insertInto("language_groups")
    .values({
      ...LANGUAGES,
      language_configs: json(
        LANGUAGES.language_configs.map((config) => ({
          ...config,
          voice_speed: null,
          voice_pitch: null,
          skip_current_language_in_message: true,
        })),
      ),
      skip_current_language_in_message: true,
      ...written(demo),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

type DemoAgent = {
  name: string;
  description: string;
  prompt: { name: string; description: string; context: string };
  /** By name. */
  tools: string[];
  greeting: { name: string; text: string; rules: unknown[] };
  language_group_id: number;
  variables: Record<string, string>;
};

/** An agent with a prompt and a greeting of its own. */
async function insertDemoAgent(demo: Demo, wanted: DemoAgent): Promise<number> {
  const { tx, caller, now } = demo;
  const message = await tx
    .insertInto("custom_messages")
    .values({
      name: wanted.greeting.name,
      type: "greeting",
      text: wanted.greeting.text,
      rules: json(wanted.greeting.rules),
      ...written(demo),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return insertAgent(tx, caller, now, {
    name: wanted.name,
    description: wanted.description,
    labels: ["demo"],
    type: "ca_v1",
    prompt_id: await insertPrompt(demo, wanted),
    custom_message_id: message.id,
    language_group_id: wanted.language_group_id,
    timezone: "UTC",
    prompt_tool_defaults: [],
    languages: [],
    variables: wanted.variables,
    tool_headers: null,
    agent_initiated: false,
    enable_verbal_language_change: false,
  });
}

async function insertPrompt(
  demo: Demo,
  { prompt, tools }: Pick<DemoAgent, "prompt" | "tools">,
): Promise<number> {
  const { tx, caller } = demo;
  const { id } = await tx
    .insertInto("prompts")
    .values({
      sub_organization_id: caller.sub_organization_id,
      ...prompt,
      type: "prompt_v1",
      llm_config: json(PromptLlmConfig.parse({ provider: "openai", model: "gpt-6-luna" })),
      ...stamp(demo),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await linkTools(tx, id, await toolsOfPrompt(tx, caller, { tools, include_default_tools: false }, null));
  await writePromptVersion(tx, id);
  return id;
}

async function insertWebChat(demo: Demo): Promise<number> {
  const { id } = await demo.tx
    .insertInto("channels")
    .values({
      organization_id: demo.caller.organization_id,
      name: "Web chat",
      channel_service: "webchat",
      supported_modes: "chat",
      config: json({ telephony: null, email: null, credentials: null }),
      updated_at: demo.now.toISOString(),
      last_updated_by: demo.caller.email,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}
