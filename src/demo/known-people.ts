import type { Caller } from "../api/caller.ts";
import type { Clock } from "../base/clock.ts";
import { randomId } from "../base/ids.ts";
import { CommunicationBatchInput } from "../batches/batch-schema.ts";
import { insertBatch, lockBatch, statusAfter, updateBatch } from "../batches/batch-store.ts";
import { addRequests, type NewRequest } from "../batches/request-store.ts";
import { recordConsent } from "../consent/consent.ts";
import type { Tx } from "../db/database.ts";
import type { Decision } from "../planning/settle.ts";

/*
 * What the demo knows of its patients before it calls them: who agreed to be called, and whom it called today already. So one
 * of them is skipped and one waits, each with the reason.
 */
type Known = { tx: Tx; caller: Caller; clock: Clock };

const HOUR_MS = 3_600_000;
const EARLIER_BATCH = "demo-earlier";

/** A month ago, on paper. */
export async function insertConsents(
  { tx, caller, clock }: Known,
  addresses: readonly string[],
): Promise<void> {
  const { sub_organization_id, email } = caller;
  const at = clock.now();
  const consent = { purpose: "marketing", channel: "call", given_through: "paper" } as const;
  const proof = { wording: "Yes, you may call me about my visits.", evidence: null };
  const valid_from = new Date(at.getTime() - 30 * 24 * HOUR_MS);
  for (const address of addresses)
    await recordConsent(
      tx,
      { ...consent, ...proof, address, valid_from },
      { sub_organization_id, at, by: email },
    );
}

type Line = { agent_id: number; channel_id: number; channel_target_id: number; source: string };

/** Three calls of this morning to which nobody answered, in a batch that is over. */
export async function insertEarlierCalls(
  { tx, caller, clock }: Known,
  campaign_id: number,
  line: Line,
  request: NewRequest,
): Promise<void> {
  const { organization_id, sub_organization_id, email } = caller;
  const at = clock.now();
  await insertBatch(
    tx,
    { caller, at },
    CommunicationBatchInput.parse({ batch_id: EARLIER_BATCH, campaign_id }),
  );
  const locked = await lockBatch(tx, clock, caller, EARLIER_BATCH);
  const batch_key = locked.key;
  await addRequests(tx, { batch_key, at }, [request]);
  const starts = [3, 2, 1].map((hours_ago) => new Date(at.getTime() - hours_ago * HOUR_MS).toISOString());
  const outcome = { request_status: "FAILED", channel_manager_status: "NO-ANSWER" } as const;
  const { id: request_id } = await tx
    .updateTable("requests")
    .set({ ...outcome, attempt_count: 3, sent_at: starts.at(-1) ?? null, due_at: null })
    .where("batch_key", "=", batch_key)
    .returning("id")
    .executeTakeFirstOrThrow();
  const { reference_id, target } = request;
  const status = "NO-ANSWER" as const;
  const calls = starts.map((started_at, before) => {
    const next = starts[before + 1];
    const decision: Decision =
      next === undefined
        ? { kind: "given-up", status, why: "used-up" }
        : { kind: "retry", at: next, number: before + 1, of: 2, status };
    return {
      key: randomId(),
      organization_id,
      sub_organization_id,
      campaign_id,
      batch_key,
      request_id,
      reference_id,
      target,
      attempt_number: before + 1,
      mode: "voice" as const,
      ...line,
      is_test: false,
      state: "ENDED" as const,
      holds_slot: false,
      channel_status: status,
      started_at,
      placed_at: started_at,
      ended_at: started_at,
      decision: JSON.stringify(decision),
    };
  });
  await tx.insertInto("attempts").values(calls).execute();
  await updateBatch(tx, locked, email, { status: statusAfter(locked, { kind: "filled" }) });
}
