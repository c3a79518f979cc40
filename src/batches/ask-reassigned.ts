import { sql } from "kysely";
import { errorText } from "../base/errors.ts";
import { CarrierFault, type NumberLookup } from "../channels/carrier.ts";
import type { Db } from "../db/database.ts";
import type { ReassignedAnswer } from "../planning/numbers/reassigned-number.ts";
import { type EnrichmentParts, lookupOf } from "./enrichment.ts";

type Question = { number: string; since: string };
type ToAsk = {
  organization_id: number;
  /** Whose carrier is asked first. */
  channel_id: number | null;
  questions: Question[];
};
type Learned = Question & { answer: ReassignedAnswer; error_code: string | null; cost: number | null };

/** At once, of one call. */
const CONCURRENCY = 20;
/** After this many failures in a row the carrier is asked about no further number in this call. */
const FAILURES_TO_STOP = 20;

/**
 * Asks the carrier whether these numbers were given to somebody else, and stores the answer with the number. A failure is
 * stored, too, and asked again a minute later; until then the number is not called. Call it with no transaction open.
 */
export async function askReassigned(parts: EnrichmentParts, work: ToAsk): Promise<void> {
  const { organization_id, channel_id, questions } = work;
  if (questions.length === 0) return;
  const found = await lookupOf(
    parts,
    organization_id,
    channel_id,
    ({ reassigned }) => reassigned !== undefined,
  );
  const learned =
    found === null
      ? questions.map((each) => ({ ...each, answer: "not-offered" as const, error_code: null, cost: null }))
      : await askAll(parts, questions, (question) => askOne(found, question));
  await storeReassigned(parts.db, organization_id, learned, parts.clock.now());
}

type ReassignedCarrier = NonNullable<Awaited<ReturnType<typeof lookupOf>>>;

async function askOne({ lookup, account }: ReassignedCarrier, question: Question): Promise<Learned> {
  const ask = lookup.reassigned as NonNullable<NumberLookup["reassigned"]>;
  try {
    return { ...question, ...(await ask(account, question.number, question.since)) };
  } catch (error) {
    const text = error instanceof CarrierFault ? error.message : "the carrier's answer was not understood";
    // Of this number only, and the same whenever it is asked.
    const answer = error instanceof CarrierFault && error.status === "INVALID" ? "unknown" : "failed";
    return { ...question, answer, error_code: text, cost: null };
  }
}

async function askAll(
  { log }: EnrichmentParts,
  questions: Question[],
  ask: (question: Question) => Promise<Learned>,
): Promise<Learned[]> {
  const learned: Learned[] = [];
  const waiting = questions.values();
  let failures = 0;
  const work = async () => {
    for (const question of waiting) {
      const answer = await ask(question);
      learned.push(answer);
      failures = answer.answer === "failed" ? failures + 1 : 0;
      if (answer.answer === "failed")
        log.warn({ err: errorText(answer.error_code) }, "a number could not be checked for reassignment");
      if (failures >= FAILURES_TO_STOP) return;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return learned;
}

/** Beside what else is known of the numbers, in their order; costs add up. */
async function storeReassigned(db: Db, organization_id: number, learned: Learned[], at: Date): Promise<void> {
  const now = at.toISOString();
  await sql`
    insert into number_lookups as known (organization_id, number, fields, facts, looked_up_at, cost, reassigned_since,
      reassigned, reassigned_error, reassigned_at)
    select ${organization_id}::bigint, number, '{}', '{}', ${now}::timestamptz, cost, since, answer, error_code,
      ${now}::timestamptz
    from json_to_recordset(${JSON.stringify(learned)}::json)
      as l (number text, since date, answer text, error_code text, cost double precision)
    order by number
    on conflict (organization_id, number) do update set
      reassigned_since = excluded.reassigned_since, reassigned = excluded.reassigned,
      reassigned_error = excluded.reassigned_error, reassigned_at = excluded.reassigned_at,
      cost = case when known.cost is null and excluded.cost is null then null
        else coalesce(known.cost, 0) + coalesce(excluded.cost, 0) end`.execute(db);
}
