import { createHash } from "node:crypto";
import { sql } from "kysely";
import { Fault } from "../base/errors.ts";
import { isWithheld } from "../base/withheld-number.ts";
import type { Db } from "../db/database.ts";

/** A published version that takes part in an experiment, and its percentage of the people. */
export type VersionWeight = { version_number: number; weight: number };

/** What an experiment decided for one session; the columns of `experiment_sessions`. */
export type AssignedVersion = {
  experiment_id: number;
  person: number;
  stage: number;
  version_number: number;
};

/** The part of a session's start that an assignment depends on. */
type SplitArrival = {
  agent_id: number;
  channel_target_id: number | null;
  campaign_id?: number | null;
  verified: boolean;
  source: string | null;
  claimed_user?: string | null;
  sid: string;
};

/**
 * The version that a running experiment assigns; null where there is none. A campaign's and a target's own experiment
 * never run beside one of the whole agent. Index: experiments_running.
 */
export async function assignVersion(db: Db, arrival: SplitArrival): Promise<AssignedVersion | null> {
  const { agent_id, channel_target_id, campaign_id = null } = arrival;
  const { rows } = await sql<{ id: number; stage: number; weights: VersionWeight[] }>`
    select e.id, json_array_length(e.stages) - 1 as stage, e.stages -> -1 -> 'weights' as weights
    from experiments e
    where e.agent_id = ${agent_id} and e.status = 'running' and e.deleted_at is null
      and (e.channel_target_id is null or e.channel_target_id = ${channel_target_id}::bigint)
      and (e.campaign_id is null or e.campaign_id = ${campaign_id}::bigint)
    limit 1`.execute(db);
  const [running] = rows;
  if (!running) return null;
  const { id: experiment_id, stage, weights } = running;
  const person = personKey(arrival);
  return {
    experiment_id,
    stage,
    person: personNumber(experiment_id, person),
    version_number: versionFor(experiment_id, person, weights),
  };
}

/**
 * Who somebody is on every channel: their number or address. A visitor whom nobody has verified is who the page says
 * they are; that is no proof, and no more than the version they meet depends on it. Callers who withhold their number are
 * one each: as one person they would all meet the same version, and count once.
 */
export function personKey({ verified, source, claimed_user, sid }: Omit<SplitArrival, "agent_id">): string {
  const own = verified ? source : (claimed_user ?? source);
  return (own === null || isWithheld(own) ? sid : own)
    .trim()
    .toLowerCase()
    .replace(/^whatsapp:/, "");
}

/**
 * Weighted rendezvous hashing (Schindelhauer and Schomaker 2005): each version draws from the hash of experiment, version
 * and person, the draw is scaled by the weight, and the first one wins. Nothing is stored, shares follow the weights, and
 * a change of weights moves people only to versions whose weight has grown against that of the one they leave. Pure.
 */
export function versionFor(experiment_id: number, person: string, weights: readonly VersionWeight[]): number {
  let first = Number.POSITIVE_INFINITY;
  let chosen = weights[0]?.version_number;
  for (const { version_number, weight } of weights) {
    if (weight <= 0) continue;
    const arrives = -Math.log(draw(`${experiment_id}:${version_number}:${person}`)) / weight;
    if (arrives < first) [first, chosen] = [arrives, version_number];
  }
  if (chosen === undefined) throw new Error(`experiment ${experiment_id} has no versions`);
  return chosen;
}

const SIX_BYTES = 2 ** 48;

/** Evenly in (0, 1). */
const draw = (text: string): number =>
  (createHash("sha256").update(text).digest().readUIntBE(0, 6) + 0.5) / SIX_BYTES;

/** Tells people of one experiment apart, and says nothing of the same person in another. */
const personNumber = (experiment_id: number, person: string): number =>
  createHash("sha256").update(`person:${experiment_id}:${person}`).digest().readUIntBE(0, 6);

/** While traffic is split, what everybody reaches is the experiment's to say. */
export async function refuseWhileSplit(db: Db, agent_id: number): Promise<void> {
  const running = await db
    .selectFrom("experiments")
    .select(["id", "name"])
    .where("agent_id", "=", agent_id)
    .where("status", "=", "running")
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (running)
    throw new Fault(
      "conflict",
      `Experiment "${running.name}" splits the traffic of this agent. Stop it, or take its version live, first.`,
    );
}
