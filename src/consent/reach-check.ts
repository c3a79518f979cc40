import { type RawBuilder, sql } from "kysely";
import { type Persons, readPersons } from "../address-book/persons.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import type { Db } from "../db/database.ts";
import { FOR_EACH } from "../db/plans.ts";
import { type ConsentChannel, type ConsentPurpose, neededConsent, type OutreachPurpose } from "./consent.ts";
import {
  OPT_OUT_REASONS,
  priorStatus,
  type ReachMode,
  SAID_PATHS,
  SUPPRESSION_REASONS,
  type SuppressionReason,
} from "./suppression.ts";

/** A start, as far as the person's own will is concerned. */
export type ReachQuestion = {
  sub_organization_id: number;
  mode: ReachMode;
  purpose: OutreachPurpose;
  /** Normalised (address.ts). */
  address: string;
};

/** Why an address must not be reached for this. The gravest, where several hold. */
export type ReachIssue =
  /** `address`: the one that opted out, which may be another one of the same contact. */
  | { kind: "suppressed"; status: ChannelStatus; address: string }
  | { kind: "do-not-call"; list: string }
  | { kind: "no-consent"; purpose: ConsentPurpose; channel: ConsentChannel };

type HeldBy = { reason: SuppressionReason; address: string };
type Row = { n: number; suppression: HeldBy | null; list: string | null; lacks_consent: boolean };

/**
 * What stands against each of these starts, in their order; null: nothing. One statement for all of them, which looks each
 * address up by index: `suppressions_live`, `do_not_call_numbers_pkey` in each list of the sub-organization, `consents_live`.
 * What a person asked for at one address holds for the others of their contact (`persons`; read here where it is left out).
 */
export async function readReachIssues(
  db: Db,
  questions: readonly ReachQuestion[],
  persons?: Persons,
): Promise<(ReachIssue | null)[]> {
  if (questions.length === 0) return [];
  const { rows } = await reachStatement(questions, persons ?? (await readPersons(db, questions))).execute(db);
  const found = new Map(rows.map((row) => [row.n, row]));
  return questions.map((question, n) => {
    const row = found.get(n);
    return row === undefined ? null : issueOf(question, row);
  });
}

function issueOf(
  { purpose, mode }: ReachQuestion,
  { suppression, list, lacks_consent }: Row,
): ReachIssue | null {
  if (suppression !== null)
    return { kind: "suppressed", status: priorStatus(suppression.reason), address: suppression.address };
  if (list !== null) return { kind: "do-not-call", list };
  const needed = neededConsent(purpose);
  return lacks_consent && needed !== null
    ? { kind: "no-consent", purpose: needed, channel: channelOfMode(mode) }
    : null;
}

/** Rows only where something stands against a start. For tests of its plan, too. */
export const reachStatement = (questions: readonly ReachQuestion[], persons: Persons) => {
  const given = questions.map(({ sub_organization_id, mode, purpose, address }, n) => ({
    n,
    others: persons.othersOf({ sub_organization_id, address }),
    tenant: sub_organization_id,
    mode,
    channel: channelOfMode(mode),
    purpose,
    needed: neededConsent(purpose),
    address,
  }));
  return sql<Row>`
    select w.n, found.suppression, found.list, found.lacks_consent
    from json_to_recordset(${JSON.stringify(given)}::json)
      as w (n integer, tenant bigint, mode text, channel text, purpose text, needed text, address text,
        others text[])
    cross join lateral (
      select (
        select json_build_object('reason', s.reason, 'address', s.address) from (
          select s.reason, s.address from suppressions s
          where s.sub_organization_id = w.tenant and s.address = w.address and s.lifted_at is null
            and s.scope in ('all', w.mode)
          ${persons.isEmpty ? sql`` : OF_OTHERS}
        ) s
        order by array_position(${SUPPRESSION_REASONS}::text[], s.reason), s.address <> w.address limit 1
      ) as suppression,
      (
        select l.name from do_not_call_lists l
        where l.sub_organization_id = w.tenant and l.deleted_at is null
          and w.purpose = any(l.purposes) and w.channel = any(l.channels)
          and exists (select from do_not_call_numbers d where d.list_id = l.id and d.address = w.address)
          and not (l.consent_overrides and exists (
            select from consents c
            where c.sub_organization_id = w.tenant and c.address = w.address and c.purpose = w.purpose
              and c.channel = w.channel and c.revoked_at is null))
        order by l.id limit 1
      ) as list,
      w.needed is not null and (
        select true from consents c
        where c.sub_organization_id = w.tenant and c.address = w.address and c.purpose = w.needed
          and c.channel = w.channel and c.revoked_at is null
        limit 1
      ) is null as lacks_consent
      ${FOR_EACH}
    ) found
    where found.suppression is not null or found.list is not null or found.lacks_consent`;
};

/**
 * Of a suppression `s`: whether it holds for the person's other addresses, too. What was asked for on all channels does, and
 * what the person said themselves does for its channel. A bounce, or a number that somebody here put on the list, is about
 * that address alone.
 */
export const holdsForPerson = (mode: RawBuilder<unknown>): RawBuilder<boolean> => sql`(
  s.reason = any(${OPT_OUT_REASONS}::text[])
  and (s.scope = 'all' or (s.scope = ${mode} and s.through = any(${SAID_PATHS}::text[]))))`;

/** Left out where no contact of them has several addresses, so that it costs nothing there. */
const OF_OTHERS = sql`
  union all
  select s.reason, s.address from unnest(w.others) o (address)
  cross join lateral (
    select s.reason, s.address from suppressions s
    where s.sub_organization_id = w.tenant and s.address = o.address collate "C" and s.lifted_at is null
      and ${holdsForPerson(sql`w.mode`)} ${FOR_EACH}
  ) s`;

export const channelOfMode = (mode: ReachMode): ConsentChannel =>
  mode === "voice" ? "call" : mode === "email" ? "email" : "text";

const BY: Record<ConsentChannel, string> = { call: "calls", text: "texts", email: "e-mails" };

/** The reason as people read it, in the request's trace. */
export function reachIssueText(target: string, issue: ReachIssue): string {
  switch (issue.kind) {
    case "suppressed":
      return `Skipped: ${target} ${issue.address === target ? "is" : `is of one contact with ${issue.address}, which is`} on the list of those who must not be reached (${issue.status}).`;
    case "do-not-call":
      return `Skipped: ${target} is on the do-not-call list "${issue.list}".`;
    case "no-consent":
      return `Skipped: no consent of ${target} to ${issue.purpose} ${BY[issue.channel]} is on record.`;
  }
}

/** What a request that is skipped for it shows. */
export const reachIssueStatus = (issue: ReachIssue): ChannelStatus =>
  issue.kind === "suppressed" ? issue.status : "CANCELED";
