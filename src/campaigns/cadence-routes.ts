import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { write } from "../api/resource.ts";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { type InputIssue, InvalidInput } from "../base/errors.ts";
import { CHANNEL_STATUSES } from "../channels/channel-status.ts";
import type { Db, Tx } from "../db/database.ts";
import { type CadenceStep, LEADS_ON, MOST_STEPS } from "../planning/cadences/cadence.ts";
import { RETRY_INTERVAL } from "../planning/retry-interval.ts";
import { findCampaign, lockCampaign } from "./campaign-store.ts";

const Step = z
  .strictObject({
    mode: z.enum(["voice", "sms", "email"]).describe("The channel of the step."),
    source: z
      .string()
      .trim()
      .min(1)
      .max(320)
      .describe("Our number or address that it is sent from; an agent must have it."),
    address: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .nullable()
      .default(null)
      .describe(
        "The request's column with the person's address. Null: the request's target where that fits the channel, else the column `phone` or `email`.",
      ),
    wait: z
      .string()
      .regex(RETRY_INTERVAL, { error: "Write a number and a unit, such as 10m, 4h or 1d" })
      .describe(
        "From the outcome of the step before, such as 10m or 1d. It still waits for the hours and the pace.",
      ),
    after: z
      .array(z.enum([...CHANNEL_STATUSES, "VOICEMAIL_LEFT"]))
      .min(1)
      .max(30)
      .nullable()
      .default(null)
      .describe(
        "Outcomes of the step before after which it comes. Null: all in which nobody talked, answered or opted out; of a text or a mail, delivery among them.",
      ),
  })
  .meta({ id: "CadenceStep" });

const CadenceSetting = z
  .strictObject({
    steps: z.array(Step).max(MOST_STEPS).describe("After the campaign's own step, in their order."),
  })
  .meta({ id: "CampaignCadence" });

/** Those after the campaign's own. */
export async function readCadence(db: Db, campaign_id: number): Promise<CadenceStep[]> {
  const { rows } = await sql<{ steps: CadenceStep[] | null }>`
    select cadence -> 'steps' as steps from campaigns where id = ${campaign_id}`.execute(db);
  return rows[0]?.steps ?? [];
}

type Deps = {
  db: Db;
  clock: Clock;
  /** Has the dialer look at the batches of the campaign, in the transaction of the change. */
  wakeBatches(tx: Tx, campaign_id: number, at: Date): Promise<void>;
};

const ONE = "/api/v1/outbound/campaigns/:campaign_id/cadence";

/** The steps of a campaign after its own; beside the record of the specification, as its retry rules are. */
export function cadenceRoutes(api: Api, { db, clock, wakeBatches }: Deps): void {
  const tag = "outbound";
  const params = z.object({ campaign_id: recordId() });

  api.get(
    ONE,
    {
      summary: "Get the further steps of a campaign",
      description: "Without steps, a person is reached by the campaign's own mode alone.",
      tag,
      permission: "outbound_read",
      params,
      response: CadenceSetting,
    },
    async ({ caller, params }) => {
      const { id } = await findCampaign(db, caller, params.campaign_id);
      return { steps: await readCadence(db, id) };
    },
  );

  api.put(
    ONE,
    {
      summary: "Set the further steps of a campaign",
      description:
        "Whoever is not reached by the campaign's own step and its retries is reached by these, one after the other, until they answer, call, or opt out. Each step is tried once, by its own channel's rules: consent, lists, caps, contact hours, number rules. A step that its person may not be reached by, or has no address for, is skipped with the reason. They apply from the next outcome on; who waits for a step that is taken out goes on with the next one.",
      tag,
      permission: "outbound_write",
      params,
      body: CadenceSetting,
      response: CadenceSetting,
    },
    ({ caller, params, body }) =>
      write(db, "Campaign", (tx) => replace(tx, caller, params.campaign_id, body.steps)),
  );

  async function replace(tx: Tx, caller: Caller, id: number, steps: CadenceStep[]) {
    const { mode } = await lockCampaign(tx, caller, id);
    const before = { steps: await readCadence(tx, id) };
    await requireSound(tx, caller, (mode ?? "voice") as CadenceStep["mode"], steps);
    const after = { steps };
    // Null means that there never were any: people may still wait for steps that were taken out.
    const stored = steps.length === 0 && before.steps.length === 0 ? null : JSON.stringify(after);
    await sql`
      update campaigns set cadence = coalesce(${stored}::json, case when cadence is not null then '{"steps": []}'::json end)
      where id = ${id}`.execute(tx);
    await wakeBatches(tx, id, clock.now());
    await api.audit(tx, caller, {
      action: "update",
      resource: "campaign-cadence",
      resource_id: id,
      before,
      after,
    });
    return after;
  }
}

/** All that is wrong with the steps, at once. */
async function requireSound(
  tx: Tx,
  { sub_organization_id }: Caller,
  mode: CadenceStep["mode"],
  steps: CadenceStep[],
): Promise<void> {
  const issues: InputIssue[] = [];
  const fault = (index: number, field: string, msg: string) =>
    issues.push({ loc: ["body", "steps", index, field], msg, type: "value_error" });
  const known = await sendersOf(tx, sub_organization_id);
  for (const [index, step] of steps.entries()) {
    const before = steps[index - 1]?.mode ?? mode;
    const strange = (step.after ?? []).filter((outcome) => !LEADS_ON[before].includes(outcome));
    if (strange.length > 0)
      fault(index, "after", `No step can follow ${strange.join(", ")} of the step before it (${before})`);
    if (!known.has(senderName(step.mode, step.source)))
      fault(index, "source", `No agent with assign number ${step.source} found`);
  }
  if (issues.length > 0) throw new InvalidInput(issues);
}

/** What steps may be sent from: as the dialer finds it (due-batches.ts). */
async function sendersOf(tx: Tx, sub_organization_id: number): Promise<Set<string>> {
  const { rows } = await sql<{ target: string; target_mode: string }>`
    select t.target, t.target_mode from channel_targets t join agents a on a.id = t.agent_id and a.deleted_at is null
    where t.sub_organization_id = ${sub_organization_id}`.execute(tx);
  return new Set(
    rows.map(({ target, target_mode }) =>
      senderName(target_mode === "whatsapp" ? "sms" : target_mode, target),
    ),
  );
}

const senderName = (mode: string, source: string): string =>
  `${mode} ${source.toLowerCase().replace(/^\+/, "")}`;
