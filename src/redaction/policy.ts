import { sql } from "kysely";
import type { Vault } from "../base/crypto.ts";
import type { Db, Tx } from "../db/database.ts";
import type { JudgeRules } from "./judged-values.ts";
import { type RedactionRules, Redactor } from "./redactor.ts";

/** The rules for an agent's words: its own policy, or the organization's; null: nothing is taken out. */
export async function rulesFor(
  db: Db,
  sub_organization_id: number,
  agent_id: number | null,
): Promise<RedactionRules | null> {
  // Index: redaction_policies_of.
  const { rows } = await sql<StoredRules>`
    select p.kinds, p.patterns, p.originals_days, p.judge, o.seals_texts, k.id as key_id, k.sealed_key
    from sub_organizations s join organizations o on o.id = s.organization_id
    left join lateral (
      select * from redaction_policies p
      where p.organization_id = o.id and (p.agent_id is null or p.agent_id = ${agent_id}::bigint)
      order by p.agent_id nulls last limit 1) p on true
    left join data_keys k on o.seals_texts and k.organization_id = o.id and k.retired_at is null
    where s.id = ${sub_organization_id}`.execute(db);
  if (!rows[0]) return null;
  const { kinds, patterns, originals_days, judge, seals_texts, key_id, sealed_key } = rows[0];
  const found = {
    kinds: kinds ?? [],
    patterns: patterns ?? [],
    originals_days: originals_days ?? 0,
    ...(judge && { judge }),
  };
  if (!seals_texts) return found.kinds.length > 0 || found.patterns.length > 0 || judge ? found : null;
  if (key_id === null || sealed_key === null) throw new Error("an organization that seals texts has no key");
  return { ...found, seal_key: { id: key_id, sealed_key } };
}

type StoredRules = {
  kinds: RedactionRules["kinds"] | null;
  patterns: RedactionRules["patterns"] | null;
  originals_days: number | null;
  judge: JudgeRules | null;
  seals_texts: boolean;
  key_id: number | null;
  sealed_key: string | null;
};

/** Whose words are stored, outside of a session. */
type WordsOf = { sub_organization_id: number; agent_id: number | null; now: Date };

/**
 * Words that are stored before a session has them: without what the rules look for, and sealed as they were, for as long as
 * the message waits. `sealed` is null where nothing was taken out.
 */
export async function sealWords<T>(
  tx: Tx,
  vault: Vault,
  { sub_organization_id, agent_id, now }: WordsOf,
  words: T,
): Promise<{ words: T; sealed: string | null }> {
  const rules = await rulesFor(tx, sub_organization_id, agent_id);
  if (!rules) return { words, sealed: null };
  const redactor = new Redactor(rules, {
    scope: `message ${sub_organization_id}`,
    vault,
    year: now.getUTCFullYear(),
  });
  const redacted = redactor.redact(words);
  return {
    words: redacted,
    sealed: redactor.takeNew().length === 0 ? null : vault.seal(JSON.stringify(words)),
  };
}

/** The words as they were, where they are still kept. */
export const openWords = <T>(vault: Vault, words: T, sealed: string | null): T =>
  sealed === null ? words : (JSON.parse(vault.open(sealed)) as T);

/** Takes out what the rules look for, for good: what is derived from words needs no originals. */
export async function redactForGood<T>(
  db: Db,
  vault: Vault,
  { sub_organization_id, agent_id, now }: WordsOf,
  value: T,
): Promise<T> {
  const rules = await rulesFor(db, sub_organization_id, agent_id);
  if (!rules) return value;
  const of = { scope: `derived ${sub_organization_id}`, vault, year: now.getUTCFullYear() };
  // It is read by the program yet, and stored elsewhere.
  return new Redactor({ ...rules, seal_key: null }, of).redact(value);
}
