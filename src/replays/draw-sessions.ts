import { type RawBuilder, sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import type { Db } from "../db/database.ts";
import type { ReplayFilter, ReplayRequest } from "./replay-request.ts";

export type DrawnSession = {
  id: number;
  stratum: string;
  channel: string;
  is_outbound: boolean;
  has_start: boolean;
};

/** Among no more than these, the newest, is drawn: an agent may have millions. */
const MAX_LOOKED_AT = 20_000;

const STRATUM: Record<ReplayRequest["stratify_by"], RawBuilder<string>> = {
  none: sql`''`,
  end_reason: sql`coalesce(s.end_reason, '')`,
  channel: sql`s.channel`,
  day: sql`(s.timestamp at time zone s.agent_timezone)::date::text`,
  version: sql`coalesce(s.agent_version::text, 'draft')`,
};

/**
 * Real sessions of an agent that are over and in which the person said something, in an order that the seed shuffles.
 * Index: sessions_agent.
 */
export async function matchingSessions(
  db: Db,
  { sub_organization_id }: Pick<Caller, "sub_organization_id">,
  agent_id: number,
  { filter, stratify_by, seed }: Pick<ReplayRequest, "filter" | "stratify_by" | "seed">,
  now: Date,
): Promise<DrawnSession[]> {
  const { rows } = await sql<DrawnSession>`
    select s.id, ${STRATUM[stratify_by]} as stratum, s.channel, s.is_outbound, s.start_variables is not null as has_start
    from (
      select * from sessions s
      where s.sub_organization_id = ${sub_organization_id} and s.agent_id = ${agent_id}
        and not s.is_test and s.ended_at is not null and s.timestamp >= ${since(filter, now)}::timestamptz
        and ${conditions(filter, sub_organization_id)}
        and exists (select from session_messages m where m.session_id = s.id and m.role = 'user')
      order by s.timestamp desc limit ${MAX_LOOKED_AT}
    ) s
    order by md5(${String(seed)}::text || ':' || s.id), s.id`.execute(db);
  return rows;
}

const DAY_MS = 24 * 3_600_000;
const since = ({ days }: ReplayFilter, now: Date): string =>
  new Date(now.getTime() - days * DAY_MS).toISOString();

function conditions(
  { version, channel, end_reason, label, called }: ReplayFilter,
  sub_organization_id: number,
): RawBuilder<boolean> {
  const all = [
    ...(version == null ? [] : [sql`s.agent_version = ${version}`]),
    ...(channel == null ? [] : [sql`s.channel = ${channel}`]),
    ...(end_reason == null ? [] : [sql`s.end_reason = ${end_reason}`]),
    ...(label == null
      ? []
      : [sql`exists (select from session_labels l where l.session_id = s.id and l.code = ${label})`]),
    ...(called == null
      ? []
      : [
          // Or as the same tool was called before it had this name.
          sql`exists (select from session_tool_calls c where c.session_id = s.id and (c.tool_name = ${called}
            or c.tool_id = (select id from tools t
              where t.sub_organization_id = ${sub_organization_id} and t.name = ${called} and t.deleted_at is null)))`,
        ]),
  ];
  return all.length === 0 ? sql`true` : (sql.join(all, sql` and `) as RawBuilder<boolean>);
}

/**
 * So many of the sessions, from each stratum in proportion to its size and at least one, as long as there is room. Pure:
 * the shares are rounded by the largest remainder.
 */
export function drawStratified<T extends { stratum: string }>(sessions: readonly T[], wanted: number): T[] {
  const strata = [...Map.groupBy(sessions, ({ stratum }) => stratum).values()].toSorted(
    (a, b) => b.length - a.length,
  );
  const room = Math.min(wanted, sessions.length);
  if (room === sessions.length) return [...sessions];
  // The largest come first: with less room than strata, the rarest are left out.
  const shares = strata.map((own, at) => {
    const share = (room * own.length) / sessions.length;
    return { own, share, taken: at < room ? Math.max(1, Math.floor(share)) : 0 };
  });
  const taken = () => shares.reduce((sum, each) => sum + each.taken, 0);
  const short = (each: (typeof shares)[number]) => each.share - each.taken;
  while (taken() > room) {
    const most = shares.filter((each) => each.taken > 1).toSorted((a, b) => short(a) - short(b))[0];
    if (!most) break;
    most.taken--;
  }
  while (taken() < room) {
    const least = shares
      .filter((each) => each.taken < each.own.length)
      .toSorted((a, b) => short(b) - short(a))[0];
    if (!least) break;
    least.taken++;
  }
  return shares.flatMap((each) => each.own.slice(0, each.taken));
}
