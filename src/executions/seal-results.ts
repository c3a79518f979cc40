import { sql } from "kysely";
import type { Vault } from "../base/crypto.ts";
import type { Tx } from "../db/database.ts";
import type { InsightValue } from "../insights/check-answer.ts";
import type { SealKey } from "../redaction/redactor.ts";
import { textSealer } from "../redaction/text-sealer.ts";
import type { Result } from "./result.ts";

/**
 * What was found in words that are stored sealed is sealed like them: a session as it began, an upload as its organization
 * wants it now. Yes or no, numbers and words that the tool names stay, so that reports count them. Index: data_keys_in_use.
 */
export async function sealResults(tx: Tx, vault: Vault, results: Result[]): Promise<Result[]> {
  const ids = results.flatMap(({ execution, outcome }) => (outcome.kind === "done" ? execution.id : []));
  if (ids.length === 0) return results;
  const { rows } = await sql<SealKey & { execution_id: number }>`
    select e.id as execution_id, k.id, k.sealed_key
    from insight_executions e
    join sub_organizations s on s.id = e.sub_organization_id
    join organizations o on o.id = s.organization_id
    join data_keys k on k.organization_id = o.id and k.retired_at is null
    left join sessions of on of.id = e.session_id
    where e.id = any(${ids}::bigint[])
      and case when e.session_id is null then o.seals_texts else of.redaction ->> 'seals' = 'true' end`.execute(
    tx,
  );
  if (rows.length === 0) return results;
  const keys = new Map(rows.map(({ execution_id, ...key }) => [execution_id, key]));
  return results.map((result) => {
    const { outcome, execution } = result;
    const key = keys.get(execution.id);
    if (!key || outcome.kind !== "done") return result;
    const seal = textSealer(vault, key, `insight ${execution.id}`);
    const sealed = (value: InsightValue) =>
      value.is_choice ? value : { ...value, value: isText(value) ? seal(value.value) : value.value };
    return { ...result, outcome: { ...outcome, values: outcome.values.map(sealed) } };
  });
}

const isText = ({ type }: InsightValue): boolean =>
  type === "string" || type === "array" || type === "object";
