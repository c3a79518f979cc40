import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import {
  AGENT_NAME,
  byDay,
  type DayCount,
  dayOf,
  type Figures,
  overall,
  type Period,
  percent,
  table,
  within,
} from "./figures.ts";

/** Newest first; more would be a list, which GET /api/v1/sessions/ is. */
const SESSIONS_SHOWN = 100;

/** Sessions of people, not of testers: the only ones any dashboard counts. */
const ofPeople = (period: Period) =>
  sql<boolean>`s.sub_organization_id = ${period.sub_organization_id} and not s.is_test and ${within("s.timestamp", period)}`;

export async function sessionSummary(db: Db, period: Period): Promise<Figures> {
  const [totals, days, channels, agents, prompts, embeddings] = await Promise.all([
    sql<{
      sessions: number;
      conversations: number;
      turns: number | null;
      seconds: number | null;
      outbound: number;
      left: number;
      ended: number;
    }>`
      select count(*) as sessions, count(distinct s.conversation_id) as conversations,
        round(avg(s.turn_count), 1) as turns, round(avg(s.duration) filter (where s.channel = 'voice')::numeric, 1) as seconds,
        count(*) filter (where s.is_outbound) as outbound,
        count(*) filter (where s.end_reason = 'user') as left, count(s.ended_at) as ended
      from sessions s where ${ofPeople(period)}`.execute(db),
    sql<DayCount>`
      select ${dayOf("s.timestamp", period)} as day, 'Sessions' as kind, count(*) as count
      from sessions s where ${ofPeople(period)} group by 1`.execute(db),
    sql<{ Channel: string; Sessions: number; "Turns each": number | null }>`
      select s.channel as "Channel", count(*) as "Sessions", round(avg(s.turn_count), 1) as "Turns each"
      from sessions s where ${ofPeople(period)} group by 1 order by 2 desc, 1`.execute(db),
    sql<{ Agent: string; Sessions: number; "Turns each": number | null }>`
      select ${AGENT_NAME} as "Agent", count(*) as "Sessions", round(avg(s.turn_count), 1) as "Turns each"
      from sessions s where ${ofPeople(period)} group by s.agent_id order by 2 desc, 1 limit 50`.execute(db),
    sql<{ Prompt: string; Version: number; Sessions: number; "Turns each": number | null }>`
      select s.prompt_name as "Prompt", s.prompt_version_number as "Version", count(*) as "Sessions",
        round(avg(s.turn_count), 1) as "Turns each"
      from sessions s where ${ofPeople(period)} group by 1, 2 order by 1, 2 desc limit 100`.execute(db),
    sql<{ Model: string; Of: string; Texts: number; Tokens: number }>`
      select u.model as "Model",
        case u.purpose when 'question' then 'Questions' else 'Parts of data sources' end as "Of",
        sum(u.texts) as "Texts", sum(u.tokens) as "Tokens"
      from embedding_usage u
      where u.sub_organization_id = ${period.sub_organization_id}
        and u.day between (${period.starts[0]?.toISOString()}::timestamptz at time zone 'utc')::date
          and (${period.to.toISOString()}::timestamptz at time zone 'utc')::date
      group by 1, 2 order by 4 desc, 1, 2`.execute(db),
  ]);
  const { sessions, conversations, turns, seconds, outbound, left, ended } = totals.rows[0]!;
  return {
    numbers: [
      { name: "Sessions", value: sessions, unit: "count" },
      { name: "Conversations", value: conversations, unit: "count" },
      { name: "Turns of a session", value: turns, unit: "count" },
      { name: "Length of a call", value: seconds, unit: "seconds" },
      { name: "Outbound", value: percent(outbound, sessions), unit: "percent" },
      { name: "Ended by the person", value: percent(left, ended), unit: "percent" },
    ],
    by_day: byDay(period, days.rows, ["Sessions"]),
    tables: [
      table("By channel", ["Channel", "Sessions", "Turns each"], channels.rows),
      table("By agent", ["Agent", "Sessions", "Turns each"], agents.rows),
      table("By prompt version", ["Prompt", "Version", "Sessions", "Turns each"], prompts.rows),
      table("Embeddings (days of UTC)", ["Model", "Of", "Texts", "Tokens"], embeddings.rows),
    ],
  };
}

export async function sessions(db: Db, period: Period): Promise<Figures> {
  const [totals, days, newest] = await Promise.all([
    sql<{ all: number; open: number }>`
      select count(*) as all, count(*) filter (where s.ended_at is null) as open
      from sessions s where ${ofPeople(period)}`.execute(db),
    sql<DayCount>`
      select ${dayOf("s.timestamp", period)} as day, s.channel as kind, count(*) as count
      from sessions s where ${ofPeople(period)} group by 1, 2`.execute(db),
    // Without the person's number or address: a dashboard is shown to more people than a session is.
    sql<Record<string, string | number | null>>`
      select s.timestamp as "Began",
        s.id as "Session", s.agent_name as "Agent", s.channel as "Channel", s.turn_count as "Turns",
        round(s.duration::numeric, 1) as "Seconds",
        coalesce(s.end_reason, case when s.ended_at is null then 'running' end) as "Ended by"
      from sessions s where ${ofPeople(period)}
      order by s.timestamp desc, s.id desc limit ${SESSIONS_SHOWN}`.execute(db),
  ]);
  const { all, open } = totals.rows[0]!;
  return {
    numbers: [
      { name: "Sessions", value: all, unit: "count" },
      { name: "Running now", value: open, unit: "count" },
    ],
    by_day: byDay(period, days.rows),
    tables: [
      table(
        "Newest sessions",
        ["Began", "Session", "Agent", "Channel", "Turns", "Seconds", "Ended by"],
        newest.rows,
      ),
    ],
  };
}

/** Events of sessions; what people did to the configuration is in the audit trail. */
const eventsOf = (period: Period) => sql`
  events e join sessions s on s.sub_organization_id = e.sub_organization_id
    and s.id = case when e.session_id ~ '^[0-9]{1,18}$' then e.session_id::bigint end
  where e.sub_organization_id = ${period.sub_organization_id} and not s.is_test and ${within("e.timestamp", period)}`;

type EventsOfVersion = { Agent: string; Prompt: string; Version: number; Events: number; Sessions: number };
type TransfersOfVersion = {
  Agent: string;
  Prompt: string;
  Version: number;
  Transfers: number;
  Succeeded: number;
};

export async function sessionEvents(db: Db, period: Period): Promise<Figures> {
  const [days, types, agents] = await Promise.all([
    sql<DayCount>`
      select ${dayOf("e.timestamp", period)} as day, coalesce(e.category, 'other') as kind, count(*) as count
      from ${eventsOf(period)} group by 1, 2`.execute(db),
    sql<{ Category: string; Type: string; Events: number; Sessions: number; events: number; kinds: number }>`
      select coalesce(e.category, 'other') as "Category", coalesce(e.type, 'other') as "Type",
        count(*) as "Events", count(distinct e.session_id) as "Sessions",
        ${overall(sql`count(*)`)} as events, count(*) over () as kinds
      from ${eventsOf(period)} group by 1, 2 order by 3 desc, 1, 2 limit 200`.execute(db),
    sql<EventsOfVersion>`
      select ${AGENT_NAME} as "Agent", s.prompt_name as "Prompt", s.prompt_version_number as "Version",
        count(*) as "Events", count(distinct e.session_id) as "Sessions"
      from ${eventsOf(period)} group by s.agent_id, 2, 3 order by 1, 2, 3 desc limit 200`.execute(db),
  ]);
  const { events, kinds } = types.rows[0] ?? { events: 0, kinds: 0 };
  return {
    numbers: [
      { name: "Events", value: events, unit: "count" },
      { name: "Kinds", value: kinds, unit: "count" },
    ],
    by_day: byDay(period, days.rows),
    tables: [
      table("By type", ["Category", "Type", "Events", "Sessions"], types.rows),
      table("By agent and prompt version", ["Agent", "Prompt", "Version", "Events", "Sessions"], agents.rows),
    ],
  };
}

const TRANSFER = "phone-transfer";
const SUCCEEDED = sql`count(*) filter (where e.attributes ->> 'outcome' = 'success')`;

export async function sessionTransfers(db: Db, period: Period): Promise<Figures> {
  const [days, destinations, agents, voicemail] = await Promise.all([
    sql<DayCount>`
      select ${dayOf("e.timestamp", period)} as day, coalesce(e.attributes ->> 'outcome', 'unknown') as kind,
        count(*) as count
      from ${eventsOf(period)} and e.type = ${TRANSFER} group by 1, 2`.execute(db),
    sql<{ Destination: string; Transfers: number; Succeeded: number; transfers: number; succeeded: number }>`
      select coalesce(e.attributes ->> 'name', 'A number') as "Destination", count(*) as "Transfers",
        ${SUCCEEDED} as "Succeeded", ${overall(sql`count(*)`)} as transfers, ${overall(SUCCEEDED)} as succeeded
      from ${eventsOf(period)} and e.type = ${TRANSFER} group by 1 order by 2 desc, 1 limit 200`.execute(db),
    sql<TransfersOfVersion>`
      select ${AGENT_NAME} as "Agent", s.prompt_name as "Prompt", s.prompt_version_number as "Version",
        count(*) as "Transfers", ${SUCCEEDED} as "Succeeded"
      from ${eventsOf(period)} and e.type = ${TRANSFER}
      group by s.agent_id, 2, 3 order by 1, 2, 3 desc limit 200`.execute(db),
    sql<{ count: number }>`
      select count(*) as count from sessions s
      where ${ofPeople(period)} and s.transfer_voicemail_detected`.execute(db),
  ]);
  const { transfers, succeeded } = destinations.rows[0] ?? { transfers: 0, succeeded: 0 };
  return {
    numbers: [
      { name: "Transfers", value: transfers, unit: "count" },
      { name: "Succeeded", value: percent(succeeded, transfers), unit: "percent" },
      { name: "Answered by voicemail", value: voicemail.rows[0]!.count, unit: "count" },
    ],
    by_day: byDay(period, days.rows),
    tables: [
      table("By destination", ["Destination", "Transfers", "Succeeded"], destinations.rows),
      table(
        "By agent and prompt version",
        ["Agent", "Prompt", "Version", "Transfers", "Succeeded"],
        agents.rows,
      ),
    ],
  };
}
