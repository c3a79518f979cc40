import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { longestCap_ms, type PastContact } from "../../planning/contact-caps.ts";
import { type ContactChannel, contactChannelOf } from "../../planning/contact-hours.ts";
import type { OutreachRules } from "../../planning/person-hold.ts";

export type Contacted = { organization_id: number; target: string; rules: OutreachRules };
type Of = Pick<Contacted, "organization_id">;

/** Attempts to addresses over all campaigns of an organization. A claim adds each attempt that it starts. */
export class Contacts {
  #past: Map<string, PastContact[]>;

  constructor(past: Map<string, PastContact[]>) {
    this.#past = past;
  }

  with({ organization_id }: Of, target: string): readonly PastContact[] {
    return this.#past.get(`${organization_id} ${target}`) ?? [];
  }

  add({ organization_id }: Of, target: string, channel: ContactChannel, at: Date): void {
    const past = [...this.with({ organization_id }, target), { channel, at, talked_until: null }];
    this.#past.set(`${organization_id} ${target}`, past);
  }
}

/** Of one address: more than any cap allows within its days. */
const MOST_PAST = 1_000;

type Row = Of & {
  target: string;
  past: { mode: "voice" | "sms" | "whatsapp" | "email"; at: string; talked_until: string | null }[];
};

/**
 * Exact while the organization is locked (lines.ts), since no other process then starts one. What the carrier did not take
 * is not counted; a call that was hung up while it rang is. A conversation is a call that somebody other than a machine
 * answered; one that is not over has no end yet, and its address is busy. Index: `attempts_target`.
 */
export async function readContacts(db: Db, contacted: Contacted[], now: Date): Promise<Contacts> {
  const wanted = new Map(
    contacted.flatMap(({ organization_id, target, rules }) => {
      const longest_ms = longestCap_ms(rules);
      const since = new Date(now.getTime() - longest_ms).toISOString();
      return longest_ms === 0 ? [] : [[`${organization_id} ${target}`, { organization_id, target, since }]];
    }),
  );
  if (wanted.size === 0) return new Contacts(new Map());
  const { rows } = await sql<Row>`
    select w.organization_id, w.target, tried.past
    from json_to_recordset(${JSON.stringify([...wanted.values()])}::json)
      as w (organization_id bigint, target text, since timestamptz)
    cross join lateral (
      select json_agg(json_build_object('mode', a.mode, 'at', a.started_at, 'talked_until', case
          when a.mode = 'voice' and a.session_id is not null and a.answerer is distinct from 'MACHINE'
          then a.ended_at end)) as past
      from (
        select a.* from sub_organizations o join attempts a on a.sub_organization_id = o.id
        where o.organization_id = w.organization_id and a.target = w.target
          and a.started_at > w.since - interval '1 day' and (a.state <> 'ENDED' or a.channel_status <> 'PENDING')
        order by a.started_at desc limit ${MOST_PAST}
      ) a
    ) tried
    where tried.past is not null`.execute(db);
  return new Contacts(
    new Map(
      rows.map(({ organization_id, target, past }) => [
        `${organization_id} ${target}`,
        past.map(({ mode, at, talked_until }) => ({
          channel: contactChannelOf(mode),
          at: new Date(at),
          talked_until: talked_until === null ? null : new Date(talked_until),
        })),
      ]),
    ),
  );
}
