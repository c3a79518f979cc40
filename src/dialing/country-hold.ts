import { sql } from "kysely";
import { countryOf } from "../base/destination.ts";
import { cutTo } from "../base/storable.ts";
import type { Db, Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import type { Mode } from "../planning/attempt.ts";
import type { CountryHold } from "../planning/steps/request-step.ts";
import { organizationsSendingFrom, type Source } from "./source-health.ts";

/**
 * Carriers grant permissions by country. When our account may not reach a country, only requests for that country wait.
 * The refused attempts don't count; after a pause, which doubles each time, one request is tried as a probe.
 */
export type RefusedCountry = Source & { mode: Mode; target: string; why: string };

const FIRST_PAUSE_s = 60;
/** The longest pause: a permission that was granted is noticed within this time. */
const LONGEST_PAUSE_s = 3600;
/** After this long without an attempt, earlier refusals are ignored. */
const FORGOTTEN_s = 6 * 3600;

type Row = Source & { mode: Mode; country: string; closed_until: string; trips: number; reason: string };

/** Holds the countries of refused attempts and writes events. Attempts started before the hold don't prolong it. */
export async function holdCountries(tx: Tx, refused: RefusedCountry[], now: Date): Promise<void> {
  if (refused.length === 0) return;
  const rows = refused.map(({ organization_id, source, mode, target, why }) => ({
    organization_id,
    source,
    mode,
    country: countryOf(target),
    reason: cutTo(why, 500),
  }));
  const at = now.toISOString();
  const { rows: held } = await sql<Row>`
    insert into dial_countries as d (organization_id, source, mode, country, closed_until, trips, reason)
    select distinct on (organization_id, source, mode, country) organization_id, source, mode, country,
      ${at}::timestamptz + ${FIRST_PAUSE_s} * interval '1 second', 1, reason
    from json_populate_recordset(null::dial_countries, ${JSON.stringify(rows)}::json)
    order by organization_id, source, mode, country
    on conflict (organization_id, source, mode, country) do update set
      trips = ${tripsAfter(at)},
      closed_until = ${at}::timestamptz
        + least(${FIRST_PAUSE_s} * 2 ^ (${tripsAfter(at)} - 1), ${LONGEST_PAUSE_s}) * interval '1 second',
      reason = excluded.reason
    where d.closed_until <= ${at}::timestamptz
    returning *`.execute(tx);
  for (const row of held) await tellOfHold(tx, row, now);
}

/** Capped where the pause has already reached its maximum. */
const tripsAfter = (at: string) => sql`(case
  when d.closed_until < ${at}::timestamptz - ${FORGOTTEN_s} * interval '1 second' then 1
  else least(d.trips + 1, 20) end)`;

async function tellOfHold(tx: Tx, row: Row, at: Date): Promise<void> {
  const { source, mode, country, reason, trips } = row;
  const until = new Date(row.closed_until).toISOString();
  for (const id of await organizationsSendingFrom(tx, row)) {
    await publish(tx, id, [
      {
        at,
        source: "outbound",
        source_id: null,
        category: "outbound",
        type: "country-paused",
        description: `The carrier does not let ${source} reach ${nameOf(country)}: ${reason}; nobody there is tried until ${until}, all others are`,
        attributes: { source, mode, country, until, trips, reason },
      },
    ]);
  }
}

const names = new Intl.DisplayNames("en", { type: "region" });
const nameOf = (country: string): string =>
  /^[A-Z]{2}$/.test(country) ? (names.of(country) ?? country) : country;

type From = { organization_id: number; source: string; mode: Mode };
const keyOf = ({ organization_id, source, mode }: From): string => `${organization_id} ${mode} ${source}`;

/** The countries that are held now, by source. */
export class CountryHolds {
  #held = new Map<string, Map<string, CountryHold>>();

  constructor(rows: Row[]) {
    for (const row of rows) {
      const countries = this.#held.get(keyOf(row)) ?? new Map<string, CountryHold>();
      this.#held.set(keyOf(row), countries);
      const { country, reason, closed_until } = row;
      countries.set(country, { name: nameOf(country), reason, until: new Date(closed_until) });
    }
  }

  any(from: From): boolean {
    return this.#held.has(keyOf(from));
  }

  of(from: From, target: string): CountryHold | null {
    const countries = this.#held.get(keyOf(from));
    return countries?.get(countryOf(target)) ?? null;
  }
}

/** By primary key. */
export async function readCountryHolds(db: Db, organization_ids: number[], now: Date): Promise<CountryHolds> {
  const { rows } = await sql<Row>`
    select * from dial_countries
    where organization_id = any(${organization_ids}::bigint[]) and closed_until > ${now.toISOString()}::timestamptz
  `.execute(db);
  return new CountryHolds(rows);
}
