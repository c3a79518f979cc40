import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { configurationOf, knownConfigurations, NO_LANGUAGE } from "./search-language.ts";
import { bestSentence, type Mark, wordsOf } from "./sentence.ts";

/** The sentence of a session that a search found, by the message it stands in. */
type FoundWords = {
  session_id: string;
  timestamp: string;
  source: string;
  text: string;
  marks: Mark[];
};

/** Sessions of one page whose sentences are shown; their messages are read. */
const MOST_SESSIONS = 100;
/** Read of each session. */
const MOST_MESSAGES = 500;

/**
 * The sentence with the most of the words that were searched for, for each session. Which words of a message those are is
 * PostgreSQL's decision, by the configuration of the message: "bookings" is found in "I booked".
 */
export async function foundWords(
  db: Db,
  tenant: number,
  session_ids: number[],
  any: string,
): Promise<Map<string, FoundWords>> {
  const known = await knownConfigurations(db);
  const { rows } = await sql<{
    session_id: string;
    timestamp: string;
    source: string;
    text: string;
    lang: string;
    configuration: string;
  }>`
    select x.session_id::text as session_id, m.timestamp, m.role as source, m.text, m.lang, x.configuration
    from session_search x
    cross join lateral (select * from session_messages m where m.session_id = x.session_id
      order by m.seq limit ${MOST_MESSAGES}::int) m
    where x.session_id = any(${session_ids.slice(0, MOST_SESSIONS)}::bigint[]) and x.sub_organization_id = ${tenant}::bigint
    order by x.session_id, m.seq`.execute(db);
  const messages = rows.map(({ lang, configuration, ...message }) => ({
    ...message,
    configuration:
      lang !== "unset"
        ? configurationOf(lang, known)
        : known.has(configuration)
          ? configuration
          : NO_LANGUAGE,
  }));
  const searched = await searchedAmong(db, messages, any);
  const best = new Map<string, FoundWords & { different: number }>();
  for (const { configuration, ...message } of messages) {
    const found = bestSentence(message.text, (word) => searched.has(keyOf(configuration, word)));
    const before = best.get(message.session_id);
    if (found && (!before || found.different > before.different))
      best.set(message.session_id, { ...message, ...found });
  }
  return new Map([...best].map(([id, { different: _, ...found }]) => [id, found]));
}

const keyOf = (configuration: string, word: string): string => `${configuration} ${word.toLowerCase()}`;

/** Those of the words in these messages that the query looks for, each asked about once. */
async function searchedAmong(
  db: Db,
  messages: { text: string; configuration: string }[],
  any: string,
): Promise<Set<string>> {
  const asked = new Map<string, { word: string; configuration: string }>();
  for (const { text, configuration } of messages)
    for (const { word } of wordsOf(text)) asked.set(keyOf(configuration, word), { word, configuration });
  const words = [...asked.values()];
  const { rows } = await sql<{ word: string; configuration: string }>`
    select word, configuration
    from unnest(${words.map(({ word }) => word)}::text[], ${words.map((one) => one.configuration)}::text[])
      as asked (word, configuration)
    where to_tsvector(configuration::regconfig, word) @@ ${any}::tsquery`.execute(db);
  return new Set(rows.map(({ word, configuration }) => keyOf(configuration, word)));
}
