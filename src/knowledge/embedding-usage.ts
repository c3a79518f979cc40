import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { EmbeddingPurpose } from "../llm/embedder.ts";

type EmbeddingUse = {
  sub_organization_id: number;
  model: string;
  purpose: EmbeddingPurpose;
  texts: number;
  /** null: the provider didn't count. */
  tokens: number | null;
};

/** Adds to the sums of the day. Lock: that row, for this one statement. */
export async function addEmbeddingUse(db: Db, use: EmbeddingUse, now: Date): Promise<void> {
  const day = now.toISOString().slice(0, 10);
  await sql`
    insert into embedding_usage as u (sub_organization_id, day, model, purpose, texts, tokens)
    values (${use.sub_organization_id}, ${day}, ${use.model}, ${use.purpose}, ${use.texts}, ${use.tokens ?? 0})
    on conflict (sub_organization_id, day, model, purpose) do update
    set texts = u.texts + excluded.texts, tokens = u.tokens + excluded.tokens`.execute(db);
}
