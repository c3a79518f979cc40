import type { Vault } from "../base/crypto.ts";
import { gather } from "../base/gather.ts";
import type { Log } from "../base/log.ts";
import type { Db } from "../db/database.ts";
import { patiently } from "../db/database-away.ts";
import { rulesFor } from "../redaction/policy.ts";
import { Redactor } from "../redaction/redactor.ts";
import { LEASE_MS } from "./claim.ts";
import { isOfData, recordEach } from "./record-results.ts";
import type { Result } from "./result.ts";

/** The most results of one transaction; more would hold its locks too long to be worth the saved commits. */
const MOST = 100;

/**
 * Stores the results of executions that end at about the same time together. `record` resolves once its result is
 * stored, with false when the execution was lost to another process. What was paid for waits for a database that is away,
 * as long as its lease may last.
 */
export function createRecorder(
  { db, log, vault }: { db: Db; log: Log; vault: Vault },
  { owner, stopping }: { owner: string; stopping: AbortSignal },
) {
  const store = async (results: Result[]) =>
    recordEach({ db, log, vault }, owner, await redacted(db, vault, results));
  const gathered = gather<Result, boolean>({
    most: MOST,
    async write(results) {
      const held = await patiently(() => store(results), { most_ms: LEASE_MS, stop: stopping });
      return results.map(({ execution }) => held.has(execution.id));
    },
    isolates: isOfData,
  });
  return { record: gathered.add, idle: gathered.idle };
}

/** What a model or a transcription writes of somebody's words is redacted by the organization's rules, as these are. */
async function redacted(db: Db, vault: Vault, results: Result[]): Promise<Result[]> {
  const redactors = new Map<number, Redactor>();
  for (const { execution, at } of results) {
    const { sub_organization_id: tenant } = execution;
    if (redactors.has(tenant)) continue;
    const rules = await rulesFor(db, tenant, null);
    redactors.set(
      tenant,
      // Sealed where they are stored, by what their words are sealed by.
      new Redactor(rules && { ...rules, seal_key: null }, {
        scope: `insights ${tenant}`,
        vault,
        year: new Date(at).getUTCFullYear(),
      }),
    );
  }
  return results.map((result) => {
    const { execution, outcome } = result;
    const redactor = redactors.get(execution.sub_organization_id);
    if (outcome.kind !== "done" || !redactor) return result;
    const values = outcome.values.map((each) => ({
      ...each,
      // A number stays one: its column holds nothing else.
      value: typeof each.value === "number" ? each.value : redactor.redact(each.value),
    }));
    return { ...result, outcome: { ...outcome, values } };
  });
}

export type Recorder = ReturnType<typeof createRecorder>;
