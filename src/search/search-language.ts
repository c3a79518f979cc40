import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/** PostgreSQL's text search configurations by language (ISO 639). Other languages have none. */
const CONFIGURATIONS: Record<string, string> = {
  ar: "arabic",
  hy: "armenian",
  eu: "basque",
  ca: "catalan",
  da: "danish",
  nl: "dutch",
  en: "english",
  et: "estonian",
  fi: "finnish",
  fr: "french",
  de: "german",
  el: "greek",
  hi: "hindi",
  hu: "hungarian",
  id: "indonesian",
  ga: "irish",
  it: "italian",
  lt: "lithuanian",
  ne: "nepali",
  no: "norwegian",
  nb: "norwegian",
  nn: "norwegian",
  pl: "polish",
  pt: "portuguese",
  ro: "romanian",
  ru: "russian",
  sr: "serbian",
  es: "spanish",
  sv: "swedish",
  ta: "tamil",
  tr: "turkish",
  yi: "yiddish",
};

/** Keeps words as they are, in lower case. */
export const NO_LANGUAGE = "simple";

/** The configuration of a language (BCP 47), or `simple`. `known`: those that this PostgreSQL has. Pure. */
export function configurationOf(language: string | null, known: ReadonlySet<string>): string {
  const [main = ""] = (language ?? "").toLowerCase().split(/[-_]/);
  const named = Object.hasOwn(CONFIGURATIONS, main) ? (CONFIGURATIONS[main] as string) : NO_LANGUAGE;
  return known.has(named) ? named : NO_LANGUAGE;
}

export async function knownConfigurations(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select cfgname::text as name from pg_ts_config where cfgnamespace = 'pg_catalog'::regnamespace`.execute(
    db,
  );
  return new Set(rows.map(({ name }) => name));
}
