import { sql } from "kysely";
import type { Caller, Stamp } from "../api/caller.ts";
import * as list from "../api/list.ts";
import type { ValidationIssue } from "../api/schema.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault, notFound } from "../base/errors.ts";
import { beyondDetection } from "../channels/voicemail-detection.ts";
import { type Db, json, jsonOrNull, type Tx } from "../db/database.ts";
import { senderModes } from "../planning/attempt.ts";
import type { OutboundCampaign } from "./campaign-schema.ts";
import type { Campaign, Webhook } from "./check-campaign.ts";
import { filterFindings } from "./filter-findings.ts";
import { NO_SECRETS, type StoredSecrets, secretsAfter } from "./webhook-secrets.ts";

export const campaignList: list.ListRules = {
  fields: {
    id: list.integer("c.id"),
    agent_id: list.anyOf("c.agent_id", "integer"),
    campaign_name: list.text("c.campaign_name"),
    campaign_variables: list.document("c.campaign_variables"),
    daily_start_time: list.text("c.daily_start_time"),
    daily_end_time: list.text("c.daily_end_time"),
    source: list.text("c.source"),
    mode: list.exact("c.mode"),
    caller_id: list.text("c.caller_id"),
    updated_at: list.time("c.updated_at"),
    label: list.text("c.label"),
    labels: list.document("c.labels"),
    voicemail_detection: list.document("c.voicemail_detection"),
  },
  time: "c.updated_at",
  order: [{ column: "c.id", direction: "asc" }],
};

/** A campaign as it is answered. One text for lists and single reads: naming its columns to the builder costs 0.1 ms. */
const ANSWERED = sql.raw(`
  select campaign.campaign_name, campaign.description, campaign.mode, campaign.sms_session_ttl,
    campaign.label, campaign.labels, campaign.campaign_variables, campaign.daily_start_time,
    campaign.daily_end_time, campaign.source, campaign.caller_id, campaign.hourly_rate, campaign.max_daily_calls,
    campaign.retry_count, campaign.retry_interval, campaign.active_days, campaign.outreach_override_rules,
    campaign.voicemail_detection, campaign.allowed_line_types, campaign.include_unknown_line_types,
    campaign.target_filters, (
      select coalesce(json_agg(json_build_object(
        'trigger_statuses', w.trigger_statuses,
        'url', w.url,
        'request_method', w.request_method,
        'id', w.id,
        'auth_value_keys', case when w.sealed_hmac_secret is not null then json_build_array('hmac_secret') end
      ) order by w.position), '[]')
      from campaign_webhooks w where w.campaign_id = campaign.id
    ) as webhooks, campaign.id, campaign.agent_id, campaign.created_at, campaign.updated_at, campaign.last_updated_by
  from campaigns campaign`);

const live = (caller: Caller) =>
  sql`campaign.sub_organization_id = ${caller.sub_organization_id} and campaign.deleted_at is null`;

export const selectCampaigns = (db: Db, caller: Caller) =>
  db.selectFrom(sql<OutboundCampaign>`(${ANSWERED} where ${live(caller)})`.as<"c">("c")).selectAll("c");

/** The specification's fields alone, unless there is something to tell. */
export function withFindings(campaign: OutboundCampaign): OutboundCampaign {
  const findings = [
    ...(campaign.source == null && campaign.caller_id === null ? [NO_SENDER] : []),
    ...beyondDetection(campaign.voicemail_detection ?? {}).map(longDetection),
    ...filterFindings(campaign),
  ];
  return findings.length > 0 ? { ...campaign, validation_issues: findings } : campaign;
}

const NO_SENDER: ValidationIssue = {
  id: "no-sender",
  severity: "warning",
  message: "Nobody is reached: set a source or a caller_id that belongs to an agent.",
  path: "$.source",
  value: null,
};

const longDetection = ({
  field,
  seconds,
  most,
}: ReturnType<typeof beyondDetection>[number]): ValidationIssue => ({
  id: "long-voicemail-detection",
  severity: "warning",
  message: `Times of voicemail detection are in seconds. ${seconds} is too long; ${most} counts.`,
  path: `$.voicemail_detection.${field}`,
  value: String(seconds),
});

export async function findCampaign(db: Db, caller: Caller, id: number): Promise<OutboundCampaign> {
  const { rows } =
    await sql<OutboundCampaign>`${ANSWERED} where campaign.id = ${id} and ${live(caller)}`.execute(db);
  const [found] = rows;
  if (!found) throw notFound("Campaign", id);
  return withFindings(found);
}

/** Who a campaign's batches send as; deleted or not. */
export const findSender = (db: Db, id: number) =>
  db
    .selectFrom("campaigns")
    .select(["mode", "source", "caller_id"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();

/**
 * The campaign as it stands, its row locked until the transaction ends: writers of one campaign go one after the
 * other, each seeing what the one before left, webhooks included (they are only written under this lock). Not the
 * lock of a deletion: the first attempt of a day refers to the row (`campaign_days`), under locks that writers wait for.
 */
export async function lockCampaign(tx: Tx, caller: Caller, id: number): Promise<OutboundCampaign> {
  await tx
    .selectFrom("campaigns")
    .select("id")
    .where("id", "=", id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .forNoKeyUpdate()
    .execute();
  return findCampaign(tx, caller, id);
}

export async function insertCampaign(
  tx: Tx,
  vault: Vault,
  stamp: Stamp,
  campaign: Campaign,
): Promise<OutboundCampaign> {
  const { id } = await tx
    .insertInto("campaigns")
    .values({
      ...(await columns(tx, stamp, campaign)),
      sub_organization_id: stamp.caller.sub_organization_id,
      created_at: stamp.at.toISOString(),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await replaceWebhooks(tx, vault, stamp, id, campaign.webhooks);
  return findCampaign(tx, stamp.caller, id);
}

/** Under `lockCampaign`. */
export async function replaceCampaign(
  tx: Tx,
  vault: Vault,
  stamp: Stamp,
  id: number,
  campaign: Campaign,
): Promise<OutboundCampaign> {
  await tx
    .updateTable("campaigns")
    .set(await columns(tx, stamp, campaign))
    .where("id", "=", id)
    .execute();
  await replaceWebhooks(tx, vault, stamp, id, campaign.webhooks);
  return findCampaign(tx, stamp.caller, id);
}

/** Under `lockCampaign`. The row stays for the results of its requests. */
export async function removeCampaign(tx: Tx, { caller, at }: Stamp, id: number): Promise<void> {
  await tx
    .updateTable("campaigns")
    .set({ deleted_at: at.toISOString(), updated_at: at.toISOString(), last_updated_by: caller.email })
    .where("id", "=", id)
    .execute();
}

async function columns(tx: Tx, { caller, at }: Stamp, { webhooks: _, ...campaign }: Campaign) {
  return {
    ...campaign,
    campaign_variables: json(campaign.campaign_variables),
    outreach_override_rules: jsonOrNull(campaign.outreach_override_rules),
    voicemail_detection: jsonOrNull(campaign.voicemail_detection),
    target_filters: jsonOrNull(campaign.target_filters),
    agent_id: await agentBehind(tx, caller, campaign),
    updated_at: at.toISOString(),
    last_updated_by: caller.email,
  };
}

type SendsFrom = Pick<Campaign, "mode" | "source" | "caller_id">;

/** The agent of the number or address that sends, else of the one that is shown; null where none is named. */
async function agentBehind(
  tx: Tx,
  caller: Caller,
  { mode, source, caller_id }: SendsFrom,
): Promise<number | null> {
  // Legal by the specification: the campaign waits, and says so, until it names what it sends from.
  if (source === null && caller_id === null) return null;
  for (const address of [source, caller_id]) {
    if (address === null) continue;
    const targets = tx
      .selectFrom("channel_targets as t")
      .where("t.sub_organization_id", "=", caller.sub_organization_id)
      .where("t.target_mode", "in", senderModes(mode ?? "voice"))
      .where(sql<string>`lower(t.target)`, "in", spellings(address));
    // The locks keep the target from being given to another agent, and the agent from being deleted, meanwhile. Targets
    // first: a statement that waits for one and joins its agent finds nothing where it was given to another.
    await targets.select("t.id").orderBy("t.id").forShare().execute();
    const found = await targets
      .innerJoin("agents as a", "a.id", "t.agent_id")
      .select("t.agent_id")
      .where("a.deleted_at", "is", null)
      .orderBy(sql`t.target_mode = 'whatsapp'`)
      .orderBy("t.id")
      .limit(1)
      .forShare("a")
      .executeTakeFirst();
    if (found) return found.agent_id;
  }
  throw new Fault("refused", `No agent with assign number ${source ?? caller_id} found`);
}

/** A number is one with and without its `+`; an e-mail address in any case of letters. */
function spellings(address: string): string[] {
  const text = address.toLowerCase();
  return /^\+?\d+$/.test(text) ? [text, text.startsWith("+") ? text.slice(1) : `+${text}`] : [text];
}

/** Entries with an id keep their row, entries without get one, rows that no entry names go. */
async function replaceWebhooks(
  tx: Tx,
  vault: Vault,
  { at }: Stamp,
  campaign_id: number,
  webhooks: Webhook[],
): Promise<void> {
  const rows = await tx
    .selectFrom("campaign_webhooks")
    .select(["id", "url", "sealed_hmac_secret", "sealed_previous_hmac_secret", "overlap_until"])
    .where("campaign_id", "=", campaign_id)
    // Deliverers note how webhooks fare, several at a time, in this order too.
    .orderBy("id")
    .forUpdate()
    .execute();
  const stored = new Map<number | null, StoredSecrets & { url: string }>(
    rows.map(({ id, ...webhook }) => [id, webhook]),
  );
  const unknown = webhooks.find(({ id }) => id !== null && !stored.has(id));
  if (unknown?.id != null) throw notFound("Webhook", unknown.id);

  const kept = new Set(webhooks.map(({ id }) => id));
  const gone = rows.map(({ id }) => id).filter((id) => !kept.has(id));
  if (gone.length > 0) await tx.deleteFrom("campaign_webhooks").where("id", "in", gone).execute();

  const created = [];
  for (const [position, webhook] of webhooks.entries()) {
    const { url, ...secrets } = stored.get(webhook.id) ?? { ...NO_SECRETS, url: null };
    const row = {
      position,
      trigger_statuses: webhook.trigger_statuses,
      url: webhook.url,
      request_method: webhook.request_method,
      ...secretsAfter(vault, webhook, secrets, at),
      // Nothing is known of the receiver at a new URL.
      ...(url !== webhook.url && { failing_since: null, failed_tries: 0 }),
      updated_at: at.toISOString(),
    };
    if (webhook.id === null) created.push({ ...row, campaign_id, created_at: row.updated_at });
    else await tx.updateTable("campaign_webhooks").set(row).where("id", "=", webhook.id).execute();
  }
  if (created.length > 0) await tx.insertInto("campaign_webhooks").values(created).execute();
}
