import { sql } from "kysely";
import type { CarrierPrices } from "../base/prices/carrier-prices.ts";
import { spaced } from "../base/writing/words.ts";
import type { Tx } from "../db/database.ts";
import { costOf } from "../evaluations/observe.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import { hasError } from "../sessions/listed/session-error.ts";
import { facetsOf } from "./facets.ts";
import { configurationOf, knownConfigurations } from "./search-language.ts";
import { firstSentence } from "./sentence.ts";
import { storeFacts } from "./session-facts.ts";
import { carrierFees } from "./session-fees.ts";

/** What a tsvector has room for, with much to spare: 1 MB. What is said after it is not found. */
const MOST_CHARACTERS = 150_000;

/** What a session is priced by: its models' prices, and the operator's of carriers. */
export type SessionPrices = { catalogue: readonly LlmEntry[]; carrier_prices: CarrierPrices };

type Said = { role: string; text: string; lang: string; aside: boolean };

type Ended = {
  id: number;
  sub_organization_id: number;
  timestamp: string;
  ended_at: string;
  channel: string;
  is_test: boolean;
  turn_count: number;
  campaign_id: number | null;
  agent_id: number;
  agent_version: number | null;
  prompt_version_number: number;
  end_reason: string | null;
  duration: number | null;
  hearing_ms: number | null;
  voice_cost_usd: number | null;
  language: string | null;
  is_sealed: boolean;
  is_error: boolean;
};

/**
 * Writes the search rows of sessions that are over, in the caller's transaction; safe to repeat. Each session's row is
 * locked against deletion, so that no words outlive it.
 */
export async function indexSessions(
  tx: Tx,
  { catalogue, carrier_prices }: SessionPrices,
  ids: number[],
): Promise<number> {
  const known = await knownConfigurations(tx);
  const sessions = await readEnded(tx, ids);
  const fees = await carrierFees(tx, carrier_prices, sessions);
  for (const session of sessions) {
    const said = await readSaid(tx, session);
    const calls = await readCalls(tx, session.id);
    const answers = await readAnswers(tx, session.id);
    const events = await readEvents(tx, session);

    const configuration = configurationOf(session.language, known);
    const texts = textsByConfiguration(said, (lang) =>
      lang === "unset" ? configuration : configurationOf(lang, known),
    );
    const models = answers.filter(({ category }) => category === "llm");
    const cost = priceOf(session, costOf(catalogue, models), fees.get(session.id) ?? 0);
    await storeWords(tx, session, {
      texts,
      facets: facetsOf({ ...session, calls, events, configurations: [...texts.keys()] }),
      configuration,
      cost_usd: cost.cost_usd,
      opening: openingOf(said),
    });
    await storeFacts(tx, {
      ...session,
      ...cost,
      is_tool_failure: calls.some(({ has_failed }) => has_failed),
      waits_ms: answers.flatMap(({ category, duration_ms }) =>
        category === "turn" && duration_ms !== null ? [duration_ms] : [],
      ),
    });
    await storeLanguages(tx, session, [...texts.keys()]);
  }
  return sessions.length;
}

/** Those that are over, locked against deletion. */
async function readEnded(tx: Tx, ids: number[]): Promise<Ended[]> {
  const { rows } = await sql<Ended>`
    select id, sub_organization_id, timestamp, ended_at, channel, is_test, turn_count, agent_id, agent_version, prompt_version_number, end_reason,
      duration, hearing_ms, voice_cost_usd, state ->> 'language' as language,
      (select a.campaign_id from attempts a where a.session_id = sessions.id order by a.started_at desc limit 1) as campaign_id,
      coalesce(redaction ->> 'seals' = 'true', false) as is_sealed, ${hasError("sessions")} as is_error
    from sessions where id = any(${ids}::bigint[]) and ended_at is not null order by id for key share`.execute(
    tx,
  );
  return rows;
}

/** Nothing of sealed words lies open in the index: such sessions are found by all but their words. */
async function readSaid(tx: Tx, { id, is_sealed }: Ended): Promise<Said[]> {
  const words = await tx
    .selectFrom("session_messages")
    .select(["role", "text", "lang", "aside"])
    .where("session_id", "=", id)
    .orderBy("seq")
    .execute();
  return is_sealed ? words.map((one) => ({ ...one, text: "" })) : words;
}

const readCalls = (tx: Tx, session_id: number) =>
  tx
    .selectFrom("session_tool_calls")
    .select(["tool_name", sql<boolean>`error is not null`.as("has_failed")])
    .where("session_id", "=", session_id)
    .execute();

const readAnswers = (tx: Tx, session_id: number) =>
  tx
    .selectFrom("session_trace")
    .select(["category", "metadata", "details", "duration_ms"])
    .where("session_id", "=", session_id)
    .where("category", "in", ["llm", "turn"])
    .execute();

/** Index: events_session. */
const readEvents = (tx: Tx, { id, sub_organization_id }: Ended) =>
  tx
    .selectFrom("events")
    .select(["category", "type"])
    .distinct()
    .where("sub_organization_id", "=", sub_organization_id)
    .where("session_id", "=", String(id))
    .execute();

/** What it cost, as far as there are prices. `models_usd` null: a model has none. */
function priceOf({ voice_cost_usd, hearing_ms }: Ended, models_usd: number | null, carrier_usd: number) {
  // What we neither heard nor spoke ourselves cost nothing; null: what we did has no price.
  const voice_usd = voice_cost_usd ?? (hearing_ms === null ? 0 : null);
  const known_usd = (models_usd ?? 0) + (voice_usd ?? 0) + carrier_usd;
  return {
    cost_usd: models_usd === null || voice_usd === null ? null : known_usd,
    known_usd,
    carrier_usd,
    is_speech_unpriced: voice_usd === null,
  };
}

type Indexed = {
  /** By text search configuration. */
  texts: Map<string, string>;
  facets: string[];
  configuration: string;
  cost_usd: number | null;
  opening: string | null;
};

async function storeWords(tx: Tx, session: Ended, indexed: Indexed): Promise<void> {
  const { texts, facets, configuration, cost_usd, opening } = indexed;
  const vectors = [...texts].map(([name, text]) => sql`to_tsvector(${name}::text::regconfig, ${text}::text)`);
  await sql`
    insert into session_search (session_id, sub_organization_id, began_at, words, facets, configuration, duration_s, cost_usd, opening)
    values (${session.id}, ${session.sub_organization_id}, ${session.timestamp}::timestamptz, ${sql.join([sql`''::tsvector`, ...vectors], sql` || `)},
      ${facets}::text[], ${configuration}, ${session.duration}::double precision,
      ${cost_usd}::double precision, ${opening}::text)
    on conflict (session_id) do update set words = excluded.words, facets = excluded.facets,
      configuration = excluded.configuration, duration_s = excluded.duration_s, cost_usd = excluded.cost_usd,
      opening = excluded.opening`.execute(tx);
}

/** What an organization's sessions are spoken in, so that a search knows how to read its words. */
async function storeLanguages(tx: Tx, { sub_organization_id }: Ended, names: string[]): Promise<void> {
  await sql`
    insert into search_languages (sub_organization_id, configuration)
    select ${sub_organization_id}::bigint, name from unnest(${names}::text[]) as name
    on conflict do nothing`.execute(tx);
}

function textsByConfiguration(said: Said[], configurationFor: (lang: string) => string): Map<string, string> {
  const found = new Map<string, string>();
  let room = MOST_CHARACTERS;
  for (const { text, lang } of said) {
    if (room <= 0) break;
    const name = configurationFor(lang);
    const kept = spaced(text.slice(0, room));
    found.set(name, `${found.get(name) ?? ""}${kept}\n`);
    room -= kept.length;
  }
  return found;
}

const openingOf = (said: Said[]): string | null =>
  firstOf(said.filter(({ role }) => role === "user")) ??
  firstOf(said.filter(({ role, aside }) => role === "agent" && !aside));

function firstOf(said: Said[]): string | null {
  for (const { text } of said) {
    const sentence = firstSentence(text);
    if (sentence !== null) return sentence;
  }
  return null;
}
