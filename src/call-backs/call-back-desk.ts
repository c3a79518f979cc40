import { sql } from "kysely";
import { readPersons } from "../address-book/persons.ts";
import { readOutreachRules } from "../campaigns/outreach-rules.ts";
import { purposeOf } from "../campaigns/reach-rules.ts";
import { normalisePhone } from "../channels/address.ts";
import type { BookedCallBack, CallBackDesk, CallBackPlan } from "../consent/call-back.ts";
import type { OutreachPurpose } from "../consent/consent.ts";
import type { Db, Tx } from "../db/database.ts";
import { type DueBatch, readBatchForStep, timeOf } from "../dialing/due-batches.ts";
import { readContacts } from "../dialing/known/read-contacts.ts";
import { wakeAt } from "../dialing/look-again.ts";
import { publish } from "../events/event.ts";
import { callBackText, callBackTime } from "../planning/call-backs/call-back-time.ts";
import type { Schedule } from "../planning/schedule.ts";
import { type AskingCaller, CALLERS_WINDOW, callerRequest, findCallersBatch } from "./callers-campaign.ts";

/** Who asks to be called: the person of a campaign's attempt, or somebody who called one of our numbers. */
type AskedBy =
  | {
      kind: "attempt";
      organization_id: number;
      sub_organization_id: number;
      batch_key: number;
      request_id: number;
      target: string;
      request_variables: Record<string, string>;
    }
  | ({ kind: "caller" } & AskingCaller);

const NOBODY =
  "This person's telephone number is not known here, or the call is a test, so no call can be booked.";

/** Books the calls that people ask for. What is booked is a request that waits, so every rule of the dialer holds for it. */
export function callBackDesk(db: Db): CallBackDesk {
  return {
    async plan(session_id, when, now): Promise<CallBackPlan> {
      const asked = await whoAsks(db, session_id);
      if (asked === null) return { kind: "refused", text: NOBODY };
      const { organization_id, target } = asked;
      const rules = await readOutreachRules(db, organization_id);
      const { sub_organization_id } = asked;
      const persons = await readPersons(db, [{ sub_organization_id, address: target }]);
      const addresses = persons.addressesOf(sub_organization_id, [target]);
      const contacts = await readContacts(
        db,
        addresses.map((address) => ({ organization_id, target: address, rules })),
        now,
      );
      const time = callBackTime(
        when,
        {
          ...(await hoursOf(db, asked)),
          target,
          request_variables: asked.kind === "attempt" ? asked.request_variables : {},
          rules,
          contact_timezone: persons.timezoneOf(sub_organization_id, [target]),
          past: addresses.flatMap((address) => [...contacts.with({ organization_id }, address)]),
        },
        now,
      );
      const text = callBackText(time, now);
      return time.kind === "possible"
        ? { kind: "planned", text, at: time.at, timezone: time.zone }
        : { kind: "refused", text };
    },

    async book(tx, session, call_back, now) {
      const asked = await whoAsks(tx, session.id);
      if (asked === null) return;
      const place =
        asked.kind === "attempt" ? asked : await callerRequest(tx, asked, { at: now, due_at: call_back.at });
      if (place !== null) await bookFor(tx, { ...place, target: asked.target }, session, call_back, now);
    },
  };
}

/** Indexes: attempts_session, then primary keys; calls_session. */
async function whoAsks(db: Db, session_id: number): Promise<AskedBy | null> {
  const { rows } = await sql<Omit<Extract<AskedBy, { kind: "attempt" }>, "kind">>`
    select o.organization_id, a.sub_organization_id, a.batch_key, a.request_id, a.target, r.request_variables
    from attempts a
    join sub_organizations o on o.id = a.sub_organization_id
    join requests r on r.batch_key = a.batch_key and r.id = a.request_id
    where a.session_id = ${session_id} and a.mode = 'voice'
    order by a.started_at desc limit 1`.execute(db);
  if (rows[0]) return { kind: "attempt", ...rows[0] };
  const called = await sql<AskingCaller & { person: string | null }>`
    select o.organization_id, s.sub_organization_id, s.agent_id, a.name as agent_name, a.timezone, c.number,
      s.source as person
    from calls c
    join sessions s on s.id = c.session_id
    join sub_organizations o on o.id = s.sub_organization_id
    join agents a on a.id = s.agent_id and a.deleted_at is null
    where c.session_id = ${session_id} and not c.is_outbound and not s.is_test
    limit 1`.execute(db);
  const [caller] = called.rows;
  const target = caller?.person == null ? null : normalisePhone(caller.person, null);
  return caller && target !== null ? { ...caller, kind: "caller", target } : null;
}

type CampaignHours = {
  schedule: Schedule;
  purpose: OutreachPurpose;
  agent_zone: string;
  expires_on: Date | null;
};

async function hoursOf(db: Db, asked: AskedBy): Promise<CampaignHours> {
  const key = asked.kind === "attempt" ? asked.batch_key : await findCallersBatch(db, asked.agent_id);
  if (key !== null) {
    const batch: DueBatch = await readBatchForStep(db, key);
    return {
      schedule: batch.campaign,
      purpose: purposeOf(batch.campaign.reach_rules),
      agent_zone: batch.timezone ?? "UTC",
      expires_on: timeOf(batch.expires_on),
    };
  }
  const agent_zone = asked.kind === "caller" ? asked.timezone : "UTC";
  const schedule = { ...CALLERS_WINDOW, outreach_override_rules: null };
  return { schedule, purpose: purposeOf(null), agent_zone, expires_on: null };
}

/**
 * Locks in the order of a settlement: batch (shared), attempts, request, pacing. While the conversation goes on, its
 * attempt's end opens the request again (`settle`); after it, this does.
 */
async function bookFor(
  tx: Tx,
  of: { batch_key: number; request_id: number; target: string },
  session: { id: number; sub_organization_id: number },
  { at, timezone }: BookedCallBack,
  now: Date,
): Promise<void> {
  const { batch_key, request_id, target } = of;
  await sql`select key from batches where key = ${batch_key} for share`.execute(tx);
  await sql`
    select key from attempts where session_id = ${session.id} and batch_key = ${batch_key} order by key
    for no key update`.execute(tx);
  await sql`
    select id from requests where batch_key = ${batch_key} and id = ${request_id} for no key update`.execute(
    tx,
  );
  const { rows } = await sql<{
    campaign_id: number;
    batch_id: string;
    reference_id: string;
    is_live: boolean;
  }>`
    with request as (
      select r.attempt_count, r.reference_id, r.request_status, b.campaign_id, b.batch_id,
        r.request_status in ('INITIATED', 'CONNECTED') as is_live,
        b.status in ('ACTIVE', 'PAUSED') and c.deleted_at is null
          and coalesce(b.expires_on > ${now.toISOString()}::timestamptz, true) as goes_on
      from requests r join batches b on b.key = r.batch_key join campaigns c on c.id = b.campaign_id
      where r.batch_key = ${batch_key} and r.id = ${request_id}
    ),
    asked as (
      insert into call_backs (sub_organization_id, campaign_id, batch_key, request_id, after_attempt, session_id, target,
        due_at, timezone, asked_at)
      select ${session.sub_organization_id}, campaign_id, ${batch_key}, ${request_id}, attempt_count, ${session.id},
        ${target}, ${at.toISOString()}::timestamptz, ${timezone}, ${now.toISOString()}::timestamptz
      from request where goes_on
      on conflict (batch_key, request_id, after_attempt) do update
        set due_at = excluded.due_at, timezone = excluded.timezone, session_id = excluded.session_id,
          moved = call_backs.moved + 1
      returning after_attempt
    ),
    opened as (
      update requests r set request_status = 'PENDING', due_at = ${at.toISOString()}::timestamptz,
        call_back_after = r.attempt_count, refusals = 0, skip_reason = null
      from request, asked
      where r.batch_key = ${batch_key} and r.id = ${request_id} and not request.is_live
    )
    select campaign_id, batch_id, reference_id, is_live from request, asked`.execute(tx);
  const [booked] = rows;
  if (!booked) return;
  const { campaign_id, batch_id, reference_id } = booked;
  if (!booked.is_live) await wakeAt(tx, [{ batch_key, at: at.toISOString() }]);
  await publish(tx, session.sub_organization_id, [
    {
      at: now,
      source: "tool-call",
      source_id: null,
      category: "outbound",
      type: "call-back-booked",
      description: `${target} asked to be called at ${at.toISOString()}`,
      session_id: session.id,
      user_id: target,
      attributes: { campaign_id, batch_id, reference_id, due_at: at.toISOString() },
    },
  ]);
}
