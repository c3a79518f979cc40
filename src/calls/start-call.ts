import { sql } from "kysely";
import type { AttemptReports } from "../channels/outreach.ts";
import { type Db, jsonOrNull } from "../db/database.ts";
import type { Engine } from "../sessions/engine.ts";
import { startSession } from "../turns/start-session.ts";
import { screeningOf } from "./call-settings.ts";
import { OPENING_MS, until } from "./call-store.ts";
import { callerIsProven, type IncomingCall } from "./voice-calls.ts";
import type { WantedCall } from "./wanted-call.ts";

/** Finds the agent of a call: by our key for an attempt, else by the called number; null: no agent of this channel. */
export async function wantedCall(
  db: Db,
  attempts: Pick<AttemptReports, "find">,
  call: IncomingCall,
): Promise<WantedCall | null> {
  if (call.key === null) {
    const target = await targetOf(db, call);
    if (!target) return null;
    return {
      ...target,
      is_outbound: false,
      person: call.from,
      number: call.to,
      caller_id: null,
      variables: {},
      voicemail_detection: null,
    };
  }
  const outreach = await attempts.find(call.key);
  if (outreach?.mode !== "voice" || (call.channel_id ?? outreach.channel_id) !== outreach.channel_id)
    return null;
  const target = await findTarget(db).where("t.id", "=", outreach.channel_target_id).executeTakeFirst();
  const channel_service = target?.channel_service ?? "twilio";
  return {
    sub_organization_id: outreach.sub_organization_id,
    agent_id: outreach.agent_id,
    channel_id: outreach.channel_id,
    channel_service,
    is_streamed: target?.is_streamed ?? false,
    channel_target_id: outreach.channel_target_id,
    fallback_target: target?.fallback_target ?? null,
    is_test: outreach.is_test,
    is_outbound: true,
    campaign_id: outreach.campaign_id,
    person: outreach.target,
    number: outreach.source,
    caller_id: outreach.caller_id,
    variables: outreach.variables,
    voicemail_detection: outreach.voicemail_detection,
  };
}

const findTarget = (db: Db) =>
  db
    .selectFrom("channel_targets as t")
    .innerJoin("channels as c", "c.id", "t.channel_id")
    .leftJoin("agents as a", (join) => join.onRef("a.id", "=", "t.agent_id").on("a.deleted_at", "is", null))
    .select([
      "t.sub_organization_id",
      "a.id as agent_id",
      "t.channel_id",
      "c.channel_service",
      // Carriers of SIP channels neither hear nor speak for us.
      sql<boolean>`c.channel_service = 'sip' or coalesce(c.config -> 'telephony' ->> 'audio' = 'stream', false)`.as(
        "is_streamed",
      ),
      "t.id as channel_target_id",
      "t.fallback_target",
      "t.is_test",
    ]);

/** Without a channel, a number claimed several times belongs to the first claim. */
const targetOf = (db: Db, call: IncomingCall) =>
  findTarget(db)
    .where("t.target", "=", call.to)
    .where("t.target_mode", "=", "voice")
    .$if(call.channel_id != null, (query) => query.where("t.channel_id", "=", call.channel_id as number))
    .orderBy("t.id")
    .limit(1)
    .executeTakeFirst();

/** Creates the session, its call and the attempt's event in one transaction. Fails when the call was started before. */
export async function startCall(
  engine: Engine,
  attempts: Pick<AttemptReports, "sessionStarted">,
  call: IncomingCall,
  wanted: WantedCall & { is_recorded: boolean },
): Promise<void> {
  if (wanted.agent_id === null) throw new Error("nobody answers this call");
  await startSession(
    engine,
    {
      sub_organization_id: wanted.sub_organization_id,
      agent_id: wanted.agent_id,
      ...(wanted.held_with && { held_with: wanted.held_with }),
      language: wanted.language,
      channel: "voice",
      service: "voice",
      type: `voice_${wanted.channel_service}_v1`,
      sid: call.sid,
      channel_target_id: wanted.channel_target_id,
      source: wanted.person,
      target: wanted.number,
      is_test: wanted.is_test,
      is_outbound: wanted.is_outbound,
      campaign_id: wanted.campaign_id ?? null,
      // On our own calls, whoever picks up is the person.
      verified: wanted.is_outbound || callerIsProven(call),
      ...wanted.visitor,
      variables: wanted.variables,
      is_recorded: wanted.is_recorded,
      greets: "later",
      // Mode v2 greets by this tool alone; an agent without it could greet nobody.
      adds_tools: screeningOf(wanted.voicemail_detection)?.version === 2 ? ["deliver_greeting"] : [],
    },
    async (tx, { session_id, conversation_id }) => {
      const now = engine.clock.now();
      await tx
        .insertInto("calls")
        .values({
          sub_organization_id: wanted.sub_organization_id,
          session_id,
          channel_id: wanted.channel_id,
          carrier: call.carrier,
          sid: call.sid,
          key: call.key,
          is_outbound: wanted.is_outbound,
          is_streamed: wanted.is_streamed,
          number: wanted.number,
          caller_id: wanted.caller_id,
          voicemail_detection: jsonOrNull(wanted.voicemail_detection),
          fallback_target: wanted.fallback_target,
          state: "answered",
          answered_at: now.toISOString(),
          lease_expires_at: until(now, OPENING_MS),
        })
        .execute();
      if (call.key !== null) await attempts.sessionStarted(tx, call.key, { session_id, conversation_id });
    },
  );
}
