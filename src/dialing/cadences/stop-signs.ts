import { sql } from "kysely";
import type { Persons } from "../../address-book/persons.ts";
import type { Db } from "../../db/database.ts";
import { FOR_EACH } from "../../db/plans.ts";
import type { StopQuestion, StopSign } from "../../planning/cadences/stop-sign.ts";
import type { Candidate } from "../candidates.ts";
import type { DueBatch } from "../due-batches.ts";
import { addressesOfPerson } from "./candidate-addresses.ts";
import { laneName } from "./lanes.ts";

/** By `stopName`. */
export type StopSigns = ReadonlyMap<string, StopSign>;

export const stopName = ({ batch_key, request_id }: Pick<StopQuestion, "batch_key" | "request_id">): string =>
  `${batch_key}/${request_id}`;

/** Of campaigns with a cadence, for who was tried before or skipped a step; not for the call that somebody asked for. */
export const stopQuestions = (
  batches: DueBatch[],
  candidates: Map<string, Candidate[]>,
  persons: Persons,
): StopQuestion[] =>
  batches.flatMap((batch) =>
    (candidates.get(laneName(batch)) ?? []).flatMap(
      (candidate) => stopQuestion(batch, candidate, persons) ?? [],
    ),
  );

export function stopQuestion(batch: DueBatch, candidate: Candidate, persons: Persons): StopQuestion | null {
  const { attempt_count, step, call_back_after, batch_key, request_id, reference_id } = candidate;
  if (batch.cadence === null || call_back_after !== null || (attempt_count === 0 && step === 0)) return null;
  return {
    batch_key,
    request_id,
    reference_id,
    campaign_id: batch.campaign.id,
    sub_organization_id: batch.sub_organization_id,
    addresses: addressesOfPerson(batch, candidate, persons),
  };
}

type Row = Pick<StopQuestion, "batch_key" | "request_id"> & {
  opted_out: string | null;
  called: string | null;
  wrote: string | null;
};

/**
 * What these people have said since, on whichever channel: an opt-out since the request was added; a call, a text or a mail
 * of theirs since the first attempt. Indexes: `attempts_reference`, `suppressions_live`, `sessions_person`,
 * `session_messages_pkey`, each looked up for one person.
 */
export async function readStopSigns(db: Db, questions: StopQuestion[]): Promise<StopSigns> {
  if (questions.length === 0) return new Map();
  const { rows } = await sql<Row>`
    select w.batch_key, w.request_id, said.*
    from json_to_recordset(${JSON.stringify(questions)}::json) as w (batch_key bigint, request_id bigint,
      campaign_id bigint, sub_organization_id bigint, reference_id text, addresses text[])
    cross join lateral (
      select r.created_at, (
        select min(a.started_at) from attempts a
        where a.campaign_id = w.campaign_id and a.reference_id = w.reference_id and a.batch_key = w.batch_key
          and a.request_id = w.request_id
      ) as first_at
      from requests r where r.batch_key = w.batch_key and r.id = w.request_id ${FOR_EACH}
    ) since
    cross join lateral (
      select (
        select s.address from suppressions s
        where s.sub_organization_id = w.sub_organization_id and s.address = any(w.addresses)
          and s.lifted_at is null and s.created_at >= since.created_at
        limit 1
      ) as opted_out,
      (
        select s.source from sessions s
        where s.sub_organization_id = w.sub_organization_id and s.source = any(w.addresses) and s.channel = 'voice'
          and not s.is_outbound and s.timestamp >= since.first_at
        limit 1
      ) as called,
      (
        select s.source from sessions s
        where s.sub_organization_id = w.sub_organization_id and s.source = any(w.addresses) and s.channel <> 'voice'
          and s.last_activity_at >= since.first_at
          and exists (
            select from session_messages m
            where m.session_id = s.id and m.role = 'user' and m.timestamp >= since.first_at)
        limit 1
      ) as wrote
      ${FOR_EACH}
    ) said
    where said.opted_out is not null or said.called is not null or said.wrote is not null`.execute(db);
  return new Map(rows.map((row) => [stopName(row), signOf(row)]));
}

function signOf({ opted_out, called, wrote }: Row): StopSign {
  if (opted_out !== null) return { kind: "opted-out", text: `${opted_out} opted out` };
  if (called !== null) return { kind: "answered", text: `${called} called us` };
  return { kind: "answered", text: `${wrote} answered` };
}
