import { sql } from "kysely";
import { z } from "zod";
import { integer } from "../api/schema.ts";
import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";

const own = (most: number) => integer({ min: 1, max: most }).nullable().default(null);

/** What an organization allows itself, below what the operator of the installation allows it; null: no more than that. */
export const OwnLimits = z
  .strictObject({
    calls_at_once: own(100_000).describe("Calls of the organization at once, both ways."),
    attempts_per_number: own(10_000).describe("Attempts of campaigns at once from one number or address."),
    model_usd_per_day: own(1_000_000).describe("US dollars for models in a day (UTC), at list prices."),
    model_tokens_per_day: own(1_000_000_000_000).describe("Tokens of models in a day (UTC)."),
    visitors_per_minute: own(1_000_000).describe("New web chats in a minute."),
    token_calls_per_minute: own(10_000_000).describe(
      "Calls with API tokens in a minute, counted by each process. People who are signed in are not held back.",
    ),
    stored_gb: own(1_000_000).describe(
      "Gigabytes kept: recordings, uploads, files of mails, data sources, exports.",
    ),
  })
  .meta({ id: "OrganizationOwnLimits" });
export type OwnLimits = z.output<typeof OwnLimits>;

const NO_LIMITS: OwnLimits = OwnLimits.parse({});

export type OwnLimitsReader = {
  /** Of the organization that a sub-organization belongs to, as of a second ago at most. */
  of(sub_organization_id: number): Promise<OwnLimits>;
  /** This process changed some; others hear of it a second later. */
  forget(): void;
};

/** How long a process goes by what it read. */
const KEPT_ms = 1_000;

export function createOwnLimits({ db, clock }: { db: Db; clock: Clock }): OwnLimitsReader {
  const known = new Map<number, { read_at: number; limits: Promise<OwnLimits> }>();
  return {
    of(tenant) {
      const now = clock.now().getTime();
      const found = known.get(tenant);
      if (found && now >= found.read_at && now < found.read_at + KEPT_ms) return found.limits;
      const limits = readOwnLimits(db, tenant);
      known.set(tenant, { read_at: now, limits });
      // The next one asks again.
      limits.catch(() => known.delete(tenant));
      return limits;
    },
    forget: () => known.clear(),
  };
}

async function readOwnLimits(db: Db, sub_organization_id: number): Promise<OwnLimits> {
  const { rows } = await sql<{ own: OwnLimits | null }>`
    select o.own_limits as own from organizations o join sub_organizations s on s.organization_id = o.id
    where s.id = ${sub_organization_id}`.execute(db);
  return { ...NO_LIMITS, ...rows[0]?.own };
}

/** The lower of the two. */
export const bounded = (installation: number, own: number | null | undefined): number =>
  Math.min(installation, own ?? installation);
