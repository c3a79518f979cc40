import { sql } from "kysely";
import type { Snapshot } from "../agents/snapshot.ts";
import type { Db, Tx } from "../db/database.ts";

/** Sessions of one person with one agent belong to one conversation unless the gap between them is longer. */
const CONVERSATION_GAP_MS = 24 * 3_600_000;
/** The same for mails, which people answer within days. */
const MAIL_GAP_MS = 7 * 24 * 3_600_000;

/** A session that opens, as far as it matters to whose conversation it belongs. */
type Joining = {
  sub_organization_id: number;
  agent_id: number;
  channel: string;
  source: string | null;
  /** Whether `source` is verified: others join no conversation, and nobody joins theirs. */
  verified: boolean;
  /** Of a test, which joins none. */
  test?: object;
};

/** The person's conversation with the agent, which the session belongs to: the one that is still open, else a new one. */
export async function joinConversation(
  tx: Tx,
  start: Joining,
  snapshot: Snapshot,
  now: Date,
): Promise<number> {
  await oneAtATime(tx, start);
  const known = personOf(start) === null ? undefined : await openConversation(tx, start, now);
  if (known) {
    await tx
      .updateTable("conversations")
      .set({ last_activity_at: now.toISOString() })
      .where("id", "=", known.id)
      .execute();
    return known.id;
  }
  const { agent, prompt } = snapshot;
  const { id } = await tx
    .insertInto("conversations")
    .values({
      sub_organization_id: start.sub_organization_id,
      timestamp: now.toISOString(),
      last_activity_at: now.toISOString(),
      agent_id: agent.id,
      agent_name: agent.name,
      agent_type: agent.type,
      prompt_id: prompt.id,
      prompt_name: prompt.name,
      prompt_version_number: prompt.version_number,
      llm_provider: prompt.llm_config.provider,
      llm_model: prompt.llm_config.model,
      llm_temperature: prompt.llm_config.temperature ?? null,
      llm_seed: prompt.llm_config.seed ?? null,
      user_address: personOf(start),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** The key of the person's conversation; null when the person is not verified, and in tests, which run side by side. */
const personOf = ({ verified, source, test }: Joining): string | null => (verified && !test ? source : null);

/** Serializes sessions that a person opens at the same time, so that the second joins the first one's conversation. */
async function oneAtATime(tx: Tx, start: Joining): Promise<void> {
  const person = personOf(start);
  if (person === null) return;
  const key = `conversation:${start.sub_organization_id}:${start.agent_id}:${person}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx);
}

const openConversation = (db: Db, start: Joining, now: Date) => {
  const gap_ms = start.channel === "email" ? MAIL_GAP_MS : CONVERSATION_GAP_MS;
  return db
    .selectFrom("conversations")
    .select("id")
    .where("sub_organization_id", "=", start.sub_organization_id)
    .where("agent_id", "=", start.agent_id)
    .where("user_address", "=", start.source)
    .where("last_activity_at", ">", new Date(now.getTime() - gap_ms).toISOString())
    .orderBy("last_activity_at", "desc")
    .limit(1)
    .executeTakeFirst();
};
