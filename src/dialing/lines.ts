import { sql } from "kysely";
import { bounded, type OwnLimits } from "../accounts/own-limits.ts";
import type { Db, Tx } from "../db/database.ts";
import { healthy, type SourceHealth, sourceLimit } from "../planning/breaker.ts";
import type { PersonLimit } from "../planning/per-person.ts";
import type { OutreachRules } from "../planning/person-hold.ts";
import type { OutreachStop } from "../planning/steps/batch-step.ts";
import type { DueBatch } from "./due-batches.ts";
import { type AttemptPlace, placeOf } from "./places/place.ts";
import { healthOf } from "./source-health.ts";

/**
 * Limits of concurrent attempts. Live attempts are counted from their rows, which change in the transaction that records
 * their outcome, so there is no counter that could leak.
 */
export type LineLimits = {
  /** Concurrent attempts per source address. */
  per_source: number;
  /** Concurrent calls of an organization, inbound and outbound. */
  per_organization: number;
  /** Share of those, 0 to 1, that is reserved for inbound calls. */
  kept_for_callers: number;
  /** Limit of attempts per person; null: none beyond the campaigns' own. */
  per_person?: PersonLimit | null;
};

/** Calls of an organization, or of an agent. */
type CallsUnderWay = { calls_out: number; calls_in: number };
const NO_CALLS: CallsUnderWay = { calls_out: 0, calls_in: 0 };

/** Counted from rows of attempts and sessions. */
type Counted = {
  organizations: Map<number, CallsUnderWay>;
  agents: Map<number, CallsUnderWay>;
  /** Attempts by campaign, of all its steps. */
  campaigns: Map<number, number>;
  sources: Map<string, number>;
};

/** Lines in use as counted under the lock; each attempt that starts is added by `take`. */
export class Lines {
  #limits: LineLimits;
  #now: Date;
  #counted: Counted;
  #health: Map<string, SourceHealth>;
  #stopped: Map<number, OutreachStop>;
  #rules: Map<number, OutreachRules>;
  #own: Map<number, OwnLimits>;
  #linked: Set<number>;

  constructor(parts: {
    limits: LineLimits;
    now: Date;
    counted: Counted;
    health: Map<string, SourceHealth>;
    stopped: Map<number, OutreachStop>;
    rules: Map<number, OutreachRules>;
    own: Map<number, OwnLimits>;
    linked: Set<number>;
  }) {
    this.#limits = parts.limits;
    this.#now = parts.now;
    this.#counted = parts.counted;
    this.#health = parts.health;
    this.#stopped = parts.stopped;
    this.#rules = parts.rules;
    this.#own = parts.own;
    this.#linked = parts.linked;
  }

  /** What the batch's organization asks of every start to a person; null: nothing. */
  rulesOf({ organization_id }: Pick<DueBatch, "organization_id">): OutreachRules | null {
    return this.#rules.get(organization_id) ?? null;
  }

  /** Whether any contact of the organization has several addresses, or a time zone. */
  linksAddresses({ organization_id }: Pick<DueBatch, "organization_id">): boolean {
    return this.#linked.has(organization_id);
  }

  /** The input of `batchStep`. */
  capacity(batch: DueBatch) {
    const place = placeOf(batch);
    const { organization_id } = batch;
    const source = this.source(organization_id, place.source);
    const { calls_out, calls_in } = this.#callsOf(place.agent_id);
    return {
      source_paused_until: source.paused_until,
      source_refusal: source.refusal,
      stopped: this.#stopped.get(organization_id) ?? null,
      free_lines: {
        source: source.free_lines,
        organization: place.is_call ? this.#freeCalls(organization_id) : Number.POSITIVE_INFINITY,
      },
      campaign_limit:
        place.campaign_most === null
          ? null
          : { most: place.campaign_most, attempts: this.#counted.campaigns.get(place.campaign_id) ?? 0 },
      agent_limit:
        place.agent_most === null || !place.is_call
          ? null
          : { most: place.agent_most, outbound: calls_out, inbound: calls_in },
    };
  }

  /** Whether lines and limits of concurrent attempts allow one more. */
  hasRoomFor({ organization_id, campaign_id, agent_id, is_call, source, ...most }: AttemptPlace): boolean {
    const { calls_out, calls_in } = this.#callsOf(agent_id);
    const isBelow = (used: number, limit: number | null) => limit === null || used < limit;
    return (
      this.source(organization_id, source).free_lines > 0 &&
      isBelow(this.#counted.campaigns.get(campaign_id) ?? 0, most.campaign_most) &&
      (!is_call || (this.#freeCalls(organization_id) > 0 && isBelow(calls_out + calls_in, most.agent_most)))
    );
  }

  /** Whether a number or address is paused, and how many attempts it may have beside those that run. */
  source(organization_id: number, address: string) {
    const name = sourceName(organization_id, address);
    const health = this.#health.get(name) ?? healthy(this.#now);
    const used = this.#counted.sources.get(name) ?? 0;
    return {
      paused_until: health.closed_until,
      refusal: health.reason,
      free_lines: sourceLimit(health, this.#perSource(organization_id), this.#now) - used,
    };
  }

  /** The organization's own limit, where it is lower than the installation's. */
  #perSource(organization_id: number): number {
    return bounded(this.#limits.per_source, this.#own.get(organization_id)?.attempts_per_number);
  }

  #freeCalls(organization_id: number): number {
    const { calls_out, calls_in } = this.#counted.organizations.get(organization_id) ?? NO_CALLS;
    const { kept_for_callers } = this.#limits;
    const per_organization = bounded(
      this.#limits.per_organization,
      this.#own.get(organization_id)?.calls_at_once,
    );
    const most = Math.floor(per_organization * (1 - kept_for_callers));
    return Math.min(most - calls_out, per_organization - calls_out - calls_in);
  }

  #callsOf(agent_id: number | null): CallsUnderWay {
    return (agent_id === null ? undefined : this.#counted.agents.get(agent_id)) ?? NO_CALLS;
  }

  take({ organization_id, campaign_id, agent_id, is_call, source }: AttemptPlace): void {
    const { sources, campaigns, organizations, agents } = this.#counted;
    const name = sourceName(organization_id, source);
    sources.set(name, (sources.get(name) ?? 0) + 1);
    campaigns.set(campaign_id, (campaigns.get(campaign_id) ?? 0) + 1);
    if (!is_call) return;
    addCalls(organizations, organization_id, { calls_out: 1, calls_in: 0 });
    if (agent_id !== null) addCalls(agents, agent_id, { calls_out: 1, calls_in: 0 });
  }
}

function addCalls(to: Map<number, CallsUnderWay>, id: number, { calls_out, calls_in }: CallsUnderWay): void {
  const known = to.get(id) ?? NO_CALLS;
  to.set(id, { calls_out: known.calls_out + calls_out, calls_in: known.calls_in + calls_in });
}

const sourceName = (organization_id: number, source: string): string => `${organization_id} ${source}`;

/**
 * Counts under a lock of the organizations, so that two processes never both take the last line. The caps of days are
 * checked under it too. It is held for milliseconds. A stop of all outreach is a column of the locked row: this statement
 * waits for a stop that is being stored and then sees it, and a stop waits for the claim that holds the lock.
 */
export async function lockLines(tx: Tx, batches: DueBatch[], limits: LineLimits, now: Date): Promise<Lines> {
  const organizations = [...new Set(batches.map(({ organization_id }) => organization_id))];
  const { rows } = await sql<OrganizationRow>`
    select id, outreach_stopped_at, outreach_stopped_by, outreach_rules, own_limits, has_linked_addresses from organizations
    where id = any(${organizations}::bigint[]) order by id for no key update`.execute(tx);
  return countLines(tx, organizations, rows, limits, now);
}

/** Without locks, for the board and the trace. */
export async function readLines(
  db: Db,
  organizations: number[],
  limits: LineLimits,
  now: Date,
): Promise<Lines> {
  const { rows } = await sql<OrganizationRow>`
    select id, outreach_stopped_at, outreach_stopped_by, outreach_rules, own_limits, has_linked_addresses from organizations
    where id = any(${organizations}::bigint[])`.execute(db);
  return countLines(db, organizations, rows, limits, now);
}

type OrganizationRow = {
  id: number;
  outreach_stopped_at: string | null;
  outreach_stopped_by: string | null;
  outreach_rules: OutreachRules | null;
  own_limits: OwnLimits | null;
  has_linked_addresses: boolean;
};

const stopsOf = (rows: OrganizationRow[]): Map<number, OutreachStop> =>
  new Map(
    rows.flatMap(({ id, outreach_stopped_at: at, outreach_stopped_by: by }) =>
      at === null ? [] : [[id, { at: new Date(at), by }]],
    ),
  );

/** Indexes: `attempts_slots`, `sessions_open` (open sessions only). */
async function countLines(
  db: Db,
  organization_ids: number[],
  rows: OrganizationRow[],
  limits: LineLimits,
  now: Date,
): Promise<Lines> {
  const busy = await sql<AttemptsUnderWay>`
    select organization_id, source, campaign_id, agent_id, count(*) as attempts, count(*) filter (where mode = 'voice') as calls
    from attempts where holds_slot and organization_id = any(${organization_ids}::bigint[])
    group by 1, 2, 3, 4`.execute(db);
  const callers = await sql<Callers>`
    select o.organization_id, s.agent_id, count(*) as calls
    from sessions s join sub_organizations o on o.id = s.sub_organization_id
    where s.ended_at is null and s.channel = 'voice' and not s.is_outbound
      and o.organization_id = any(${organization_ids}::bigint[])
    group by 1, 2`.execute(db);
  const health = await sql<{ organization_id: number; source: string } & Parameters<typeof healthOf>[0]>`
    select * from dial_sources where organization_id = any(${organization_ids}::bigint[])
      and closed_until is not null`.execute(db);
  return new Lines({
    limits,
    now,
    counted: countedOf(busy.rows, callers.rows),
    stopped: stopsOf(rows),
    linked: new Set(rows.flatMap(({ id, has_linked_addresses }) => (has_linked_addresses ? [id] : []))),
    own: new Map(rows.flatMap(({ id, own_limits: own }) => (own === null ? [] : [[id, own] as const]))),
    rules: new Map(
      rows.flatMap(({ id, outreach_rules: rules }) => (rules === null ? [] : [[id, rules] as const])),
    ),
    health: new Map(health.rows.map((row) => [sourceName(row.organization_id, row.source), healthOf(row)])),
  });
}

type AttemptsUnderWay = {
  organization_id: number;
  source: string;
  campaign_id: number;
  agent_id: number;
  attempts: number;
  calls: number;
};
type Callers = { organization_id: number; agent_id: number | null; calls: number };

function countedOf(busy: AttemptsUnderWay[], callers: Callers[]): Counted {
  const counted: Counted = {
    organizations: new Map(),
    agents: new Map(),
    campaigns: new Map(),
    sources: new Map(),
  };
  for (const { organization_id, source, campaign_id, agent_id, attempts, calls } of busy) {
    const name = sourceName(organization_id, source);
    counted.sources.set(name, (counted.sources.get(name) ?? 0) + attempts);
    counted.campaigns.set(campaign_id, (counted.campaigns.get(campaign_id) ?? 0) + attempts);
    addCalls(counted.organizations, organization_id, { calls_out: calls, calls_in: 0 });
    addCalls(counted.agents, agent_id, { calls_out: calls, calls_in: 0 });
  }
  for (const { organization_id, agent_id, calls } of callers) {
    addCalls(counted.organizations, organization_id, { calls_out: 0, calls_in: calls });
    if (agent_id !== null) addCalls(counted.agents, agent_id, { calls_out: 0, calls_in: calls });
  }
  return counted;
}
