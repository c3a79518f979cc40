import { sql } from "kysely";
import type { Persons } from "../address-book/persons.ts";
import { purposeOf } from "../campaigns/reach-rules.ts";
import type { Outreach } from "../channels/outreach.ts";
import type { Tx } from "../db/database.ts";
import { countUses } from "../number-groups/number-uses.ts";
import { type ClaimedAttempt, LEASE_ms, newAttemptKey } from "../planning/attempt.ts";
import { FIRST_PHASE } from "../planning/attempt-state.ts";
import { stopQuestion } from "./cadences/stop-signs.ts";
import type { Candidate } from "./candidates.ts";
import type { DueBatch } from "./due-batches.ts";
import type { UsedNumber } from "./numbers/claim-numbers.ts";

/** A request that is about to be tried, with all that its sender needs. */
export type Start = {
  batch: DueBatch;
  candidate: Candidate;
  counts_on: string | null;
  outreach: Outreach;
  isOpenAt: ClaimedAttempt["isOpenAt"];
  /** Null: its number is in no group. */
  number: UsedNumber | null;
};

export const newStart = (
  batch: DueBatch,
  candidate: Candidate,
  decided: Pick<Start, "counts_on" | "isOpenAt" | "number">,
  now: Date,
): Start => ({
  batch,
  candidate,
  ...decided,
  outreach: newOutreach(batch, candidate, newAttemptKey(now)),
});

/** What a channel has to know to reach this person as the campaign does. The campaign has an agent and a source. */
export function newOutreach(
  { campaign, sender, sub_organization_id }: DueBatch,
  person: { target: string; request_variables: Record<string, string> },
  key: string,
): Outreach {
  const { channel_target_id, channel_id, address, mode, is_test } = sender as NonNullable<DueBatch["sender"]>;
  return {
    key,
    sub_organization_id,
    mode,
    campaign_id: campaign.id,
    agent_id: campaign.agent_id as number,
    channel_id,
    channel_target_id,
    source: address,
    caller_id: campaign.caller_id,
    target: person.target,
    variables: outreachVariables(campaign.campaign_variables, person.request_variables),
    voicemail_detection: campaign.voicemail_detection,
    sms_session_ttl: campaign.sms_session_ttl,
    is_test,
  };
}

/** Variables by their `vars.` names; those of the request override the campaign's. */
export const outreachVariables = (
  campaign: Record<string, string>,
  request: Record<string, string>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...campaign, ...request }).map(([name, value]) => [
      name.startsWith("vars.") ? name : `vars.${name}`,
      value,
    ]),
  );

/**
 * Inserts the attempts, marks their requests as under way and adds to the day's counts, in one statement. The unique
 * indexes leave out a reference or address to which another process has just started an attempt.
 */
export async function insertAttempts(
  tx: Tx,
  owner: string,
  starts: Start[],
  persons: Persons,
  now: Date,
): Promise<ClaimedAttempt[]> {
  if (starts.length === 0) return [];
  const at = now.toISOString();
  const rows = starts.map(({ batch, candidate, counts_on, outreach, number }) => ({
    ...outreach,
    organization_id: batch.organization_id,
    campaign_id: batch.campaign.id,
    batch_key: batch.batch_key,
    request_id: candidate.request_id,
    reference_id: candidate.reference_id,
    attempt_number: candidate.attempt_count + 1,
    step: candidate.step,
    counted_on: counts_on,
    number_group_id: number?.group_id ?? null,
    number_day: number?.day ?? null,
    number_choice: number?.choice ?? null,
  }));
  const inserted = await sql<{ key: string }>`
    with claimed as (
      insert into attempts (key, organization_id, sub_organization_id, campaign_id, batch_key, request_id, reference_id,
        attempt_number, mode, agent_id, channel_id, channel_target_id, source, caller_id, target, is_test, state,
        holds_slot, counted_on, channel_status, started_at, lease_owner, check_at, step, number_group_id,
        number_day, number_choice)
      select n.key, n.organization_id, n.sub_organization_id, n.campaign_id, n.batch_key, n.request_id, n.reference_id,
        n.attempt_number, n.mode, n.agent_id, n.channel_id, n.channel_target_id, n.source, n.caller_id, n.target,
        n.is_test, ${FIRST_PHASE}, true, n.counted_on, 'PENDING', ${at}::timestamptz, ${owner}::text,
        ${new Date(now.getTime() + LEASE_ms).toISOString()}::timestamptz, n.step,
        n.number_group_id, n.number_day, n.number_choice
      from json_populate_recordset(null::attempts, ${JSON.stringify(rows)}::json) as n
      on conflict do nothing
      returning key, campaign_id, batch_key, request_id, attempt_number, counted_on
    ),
    under_way as (
      update requests r set request_status = 'INITIATED', attempt_count = c.attempt_number, due_at = null
      from claimed c where r.batch_key = c.batch_key and r.id = c.request_id
    ),
    counted as (
      insert into campaign_days (campaign_id, day, first_attempts)
      select campaign_id, counted_on, count(*) from claimed where counted_on is not null group by 1, 2
      order by 1, 2
      on conflict (campaign_id, day) do update
        set first_attempts = campaign_days.first_attempts + excluded.first_attempts
    )
    select key from claimed`.execute(tx);
  const keys = new Set(inserted.rows.map(({ key }) => key));
  await countUses(
    tx,
    starts.flatMap(({ batch: { organization_id }, outreach, number }) =>
      number !== null && keys.has(outreach.key)
        ? [{ organization_id, mode: outreach.mode, number: outreach.source, day: number.day }]
        : [],
    ),
  );
  return starts.flatMap(({ outreach, batch, candidate, isOpenAt }) =>
    keys.has(outreach.key)
      ? [
          {
            outreach,
            purpose: purposeOf(batch.campaign.reach_rules),
            organization_id: batch.organization_id,
            batch_key: batch.batch_key,
            started_at: now,
            isOpenAt,
            stop_question: stopQuestion(batch, candidate, persons),
          },
        ]
      : [],
  );
}
