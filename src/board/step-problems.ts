import { freezeSnapshot, type Snapshot } from "../agents/snapshot.ts";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { lanesOf } from "../dialing/cadences/lanes.ts";
import { type DueBatch, reachModeOf, readCampaignAsBatch } from "../dialing/due-batches.ts";
import { sessionTasks } from "../workflows/workflow-state.ts";

export type StepProblemKind = "no-sender" | "no-agent" | "no-template" | "no-words" | "no-approved-template";

/** Why a step can be sent to nobody, or not to all, and what to do. `step`: 1 is the campaign's own. */
export type StepProblem = { step: number; problem: StepProblemKind; agent_id: number | null; text: string };

type Agent = Pick<Snapshot, "agent" | "message" | "tools">;

export type LookedAtStep = {
  /** 1: the campaign's own. */
  step: number;
  mode: "voice" | "sms" | "whatsapp" | "email";
  /** Our number or address, as the campaign names it. */
  source: string;
  /** Whether an agent has it for this channel. */
  is_ours: boolean;
  /** As people reach it; null: it can't be talked to. */
  agent: Agent | null;
  agent_id: number | null;
  /** People whom WhatsApp would get words for that are no approved template. */
  without_template: number;
};

const CHANNELS = { voice: "calls", sms: "texts", whatsapp: "WhatsApp", email: "e-mails" };

/** What keeps a step from being sent, at its place. Pure. */
function stepProblems(steps: readonly LookedAtStep[]): StepProblem[] {
  return steps.flatMap(({ step, mode, source, is_ours, agent, agent_id, without_template }) => {
    const problem = (kind: StepProblemKind, text: string): StepProblem[] => [
      { step, problem: kind, agent_id, text: `Step ${step} (${CHANNELS[mode]} from ${source}): ${text}` },
    ];
    if (!is_ours)
      return problem(
        "no-sender",
        `no agent has this ${mode === "email" ? "address" : "number"} for ${CHANNELS[mode]}. Connect an agent under Channels, or choose another one ${step === 1 ? "in the campaign's settings" : "under Follow-up steps"}.`,
      );
    if (agent === null)
      return problem("no-agent", "its agent can't be reached. Publish it, or give it a prompt that exists.");
    const words = wordsMissing(mode, agent);
    const missing = words === null ? [] : problem(...words);
    if (mode !== "whatsapp" || without_template === 0) return missing;
    return [
      ...missing,
      ...problem(
        "no-approved-template",
        `${without_template.toLocaleString("en")} ${without_template === 1 ? "person has" : "people have"} no approved template, without which WhatsApp takes words only within 24 hours of the person's last. Name one in the variable whatsapp_template of the campaign or the list.`,
      ),
    ];
  });
}

/** What an agent lacks to speak first on a channel; null: nothing. An agent that calls may leave the first word to the person. */
function wordsMissing(
  mode: LookedAtStep["mode"],
  { agent, message, tools }: Agent,
): [StepProblemKind, string] | null {
  if (mode === "voice") return null;
  if (mode === "email") {
    if (message?.type !== "email_template")
      return [
        "no-template",
        `agent "${agent.name}" has no e-mail template. Choose one as its greeting on the agent's page.`,
      ];
    if (!message.subject?.trim())
      return [
        "no-template",
        `the e-mail template of agent "${agent.name}" has no subject. Write one under Messages.`,
      ];
    const texts = [message.text, message.preamble, ...message.rules.map(({ text }) => text)];
    return texts.some((text) => text?.trim())
      ? null
      : ["no-words", `the e-mail template of agent "${agent.name}" has no words. Write some under Messages.`];
  }
  const greets = message?.type === "greeting" && message.text.trim() !== "";
  // A workflow may speak first, too; what it says is known once it runs.
  if (greets || agent.agent_initiated || sessionTasks(tools).length > 0) return null;
  return [
    "no-words",
    `agent "${agent.name}" has no greeting and does not speak first, so its text would be empty. Give it a greeting on the agent's page.`,
  ];
}

/** The steps of a campaign with what sends each. `withoutTemplate`: by step, as in the request (0 is the campaign's own). */
export async function readStepProblems(
  db: Db,
  campaign_id: number,
  withoutTemplate: (step: number) => number,
): Promise<StepProblem[]> {
  const batch = await readCampaignAsBatch(db, campaign_id);
  const lanes = lanesOf(batch)
    .filter(({ step }) => step <= (batch.cadence?.length ?? 0))
    .toSorted((a, b) => a.step - b.step);
  const looked: LookedAtStep[] = [];
  for (const lane of lanes) looked.push(await lookAtStep(db, lane, withoutTemplate(lane.step)));
  return stepProblems(looked);
}

async function lookAtStep(db: Db, lane: DueBatch, without_template: number): Promise<LookedAtStep> {
  const { sender, campaign, cadence, step } = lane;
  const { agent_id } = campaign;
  const agent =
    agent_id === null
      ? null
      : await freezeSnapshot(db, lane.sub_organization_id, agent_id, "live").catch((error) => {
          if (error instanceof Fault) return null;
          throw error;
        });
  return {
    step: step + 1,
    mode: reachModeOf(lane),
    source: sender?.address ?? cadence?.[step - 1]?.source ?? "its number or address",
    // A group's numbers send in place of the campaign's own; the batch says when none of them can.
    is_ours: sender !== null || (step === 0 && campaign.number_group_id !== null),
    agent,
    agent_id,
    without_template,
  };
}
