import { sql } from "kysely";
import type { CarrierPrices } from "../base/prices/carrier-prices.ts";
import type { Tx } from "../db/database.ts";
import { costOf } from "../evaluations/observe.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import { hasError } from "../sessions/listed/session-error.ts";
import { configurationOf, knownConfigurations, spaced } from "./search-language.ts";
import { firstSentence } from "./sentence.ts";
import { storeFacts } from "./session-facts.ts";
import { carrierFees } from "./session-fees.ts";

/** What a tsvector has room for, with much to spare: 1 MB. What is said after it is not found. */
const MOST_CHARACTERS = 150_000;

/** A model's name for a tool is no longer than this; nor is anything else that facets are made of. */
const MOST_FACET_CHARACTERS = 200;
export const facet = (kind: string, value: string | number): string =>
  `${kind}:${String(value).slice(0, MOST_FACET_CHARACTERS)}`;

/** What a session is priced by: its models' prices, and the operator's of carriers. */
export type SessionPrices = { catalogue: readonly LlmEntry[]; carrier_prices: CarrierPrices };

type Said = { role: string; text: string; lang: string; aside: boolean };

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
  const { rows: sessions } = await sql<{
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
  }>`
    select id, sub_organization_id, timestamp, ended_at, channel, is_test, turn_count, agent_id, agent_version, prompt_version_number, end_reason,
      duration, hearing_ms, voice_cost_usd, state ->> 'language' as language,
      (select a.campaign_id from attempts a where a.session_id = sessions.id order by a.started_at desc limit 1) as campaign_id,
      coalesce(redaction ->> 'seals' = 'true', false) as is_sealed, ${hasError("sessions")} as is_error
    from sessions where id = any(${ids}::bigint[]) and ended_at is not null order by id for key share`.execute(
    tx,
  );
  const fees = await carrierFees(tx, carrier_prices, sessions);
  for (const session of sessions) {
    const carrier_usd = fees.get(session.id) ?? 0;
    const words = await tx
      .selectFrom("session_messages")
      .select(["role", "text", "lang", "aside"])
      .where("session_id", "=", session.id)
      .orderBy("seq")
      .execute();
    // Nothing of sealed words lies open in the index: such sessions are found by all but their words.
    const said = session.is_sealed ? words.map((one) => ({ ...one, text: "" })) : words;
    const calls = await tx
      .selectFrom("session_tool_calls")
      .select(["tool_name", sql<boolean>`error is not null`.as("has_failed")])
      .where("session_id", "=", session.id)
      .execute();
    const answers = await tx
      .selectFrom("session_trace")
      .select(["category", "metadata", "details", "duration_ms"])
      .where("session_id", "=", session.id)
      .where("category", "in", ["llm", "turn"])
      .execute();

    // Index: events_session.
    const events = await tx
      .selectFrom("events")
      .select(["category", "type"])
      .distinct()
      .where("sub_organization_id", "=", session.sub_organization_id)
      .where("session_id", "=", String(session.id))
      .execute();

    const configuration = configurationOf(session.language, known);
    const texts = textsByConfiguration(said, (lang) =>
      lang === "unset" ? configuration : configurationOf(lang, known),
    );
    const facets = [
      facet("org", session.sub_organization_id),
      ...[...texts.keys()].map((name) => facet("words", name)),
      facet("channel", session.channel),
      facet("agent", session.agent_id),
      ...(session.campaign_id === null ? [] : [facet("campaign", session.campaign_id)]),
      ...(session.agent_version === null
        ? []
        : [
            facet("version", session.agent_version),
            facet("version", `${session.agent_id}.${session.agent_version}`),
          ]),
      ...(session.end_reason === null ? [] : [facet("end", session.end_reason)]),
      ...(session.is_error ? ["error:any"] : []),
      facet("prompt", session.prompt_version_number),
      ...events.flatMap(({ category, type }) => [
        facet("events", category ?? "other"),
        facet("event", type ?? "other"),
      ]),
      ...calls.map(({ tool_name }) => facet("tool", tool_name)),
      ...calls.flatMap(({ tool_name, has_failed }) =>
        has_failed ? [facet("failed", tool_name), "failed:*"] : [],
      ),
    ];
    const models = costOf(
      catalogue,
      answers.filter(({ category }) => category === "llm"),
    );
    // What we neither heard nor spoke ourselves cost nothing; null: what we did has no price.
    const voice = session.voice_cost_usd ?? (session.hearing_ms === null ? 0 : null);
    const known_usd = (models ?? 0) + (voice ?? 0) + carrier_usd;
    const row = {
      facets: [...new Set(facets)],
      cost_usd: models === null || voice === null ? null : known_usd,
      opening: openingOf(said),
    };
    const vectors = [...texts].map(
      ([name, text]) => sql`to_tsvector(${name}::text::regconfig, ${text}::text)`,
    );
    await sql`
      insert into session_search (session_id, sub_organization_id, began_at, words, facets, configuration, duration_s, cost_usd, opening)
      values (${session.id}, ${session.sub_organization_id}, ${session.timestamp}::timestamptz, ${sql.join([sql`''::tsvector`, ...vectors], sql` || `)},
        ${row.facets}::text[], ${configuration}, ${session.duration}::double precision,
        ${row.cost_usd}::double precision, ${row.opening}::text)
      on conflict (session_id) do update set words = excluded.words, facets = excluded.facets,
        configuration = excluded.configuration, duration_s = excluded.duration_s, cost_usd = excluded.cost_usd,
        opening = excluded.opening`.execute(tx);
    await storeFacts(tx, {
      ...session,
      is_tool_failure: calls.some(({ has_failed }) => has_failed),
      cost_usd: row.cost_usd,
      known_usd,
      is_speech_unpriced: voice === null,
      carrier_usd,
      waits_ms: answers.flatMap(({ category, duration_ms }) =>
        category === "turn" && duration_ms !== null ? [duration_ms] : [],
      ),
    });
    await sql`
      insert into search_languages (sub_organization_id, configuration)
      select ${session.sub_organization_id}::bigint, name from unnest(${[...texts.keys()]}::text[]) as name
      on conflict do nothing`.execute(tx);
  }
  return sessions.length;
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
