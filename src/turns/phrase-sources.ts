import type { Db } from "../db/database.ts";
import type { NamedPhrases, PhraseSources, ScopedPhrases } from "./choose-phrases.ts";

/** All bridge phrases of an agent: its own configuration or the default one, and the older lists. */
export async function phraseSources(
  db: Db,
  sub_organization_id: number,
  agent: { id: number; bridge_phrases_id: number | null },
): Promise<PhraseSources> {
  const [named, scoped] = await Promise.all([
    db
      .selectFrom("bridge_phrases")
      .select("config")
      .where("sub_organization_id", "=", sub_organization_id)
      .where("deleted_at", "is", null)
      .where((on) =>
        agent.bridge_phrases_id === null
          ? on("is_default", "=", true)
          : on("id", "=", agent.bridge_phrases_id),
      )
      .$castTo<{ config: NamedPhrases }>()
      .executeTakeFirst(),
    db
      .selectFrom("conversation_bridges")
      .select(["agent_id", "tool_name", "config"])
      .where("sub_organization_id", "=", sub_organization_id)
      .where((on) => on.or([on("agent_id", "is", null), on("agent_id", "=", agent.id)]))
      .$castTo<ScopedPhrases>()
      .execute(),
  ]);
  return { named: named?.config ?? null, scoped, agent_id: agent.id };
}
