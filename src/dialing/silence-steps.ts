import { sql } from "kysely";
import type { Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { type StoredSilence, silenceAfter } from "../planning/steps/silent-step.ts";

/** An attempt that had no words to send. */
export type RefusedStep = {
  sub_organization_id: number;
  batch_key: number;
  batch_id: string;
  step: number;
  why: string;
};

/** Pauses the steps, with an event for each new pause. The batches' paces are locked already (`wakeAt`). */
export async function silenceSteps(tx: Tx, refused: readonly RefusedStep[], now: Date): Promise<void> {
  for (const [batch_key, some] of Map.groupBy(refused, (each) => each.batch_key)) {
    const { rows } = await sql<{ silent_steps: Record<string, StoredSilence> | null }>`
      select silent_steps from batch_pacing where batch_key = ${batch_key} for update`.execute(tx);
    const steps = { ...rows[0]?.silent_steps };
    for (const { step, why, batch_id, sub_organization_id } of some) {
      const silence = silenceAfter(steps[step], why, now);
      if (silence === steps[step]) continue;
      steps[step] = silence;
      const { until, reason } = silence;
      await publish(tx, sub_organization_id, [
        {
          at: now,
          source: "outbound",
          source_id: null,
          category: "outbound",
          type: "step-paused",
          description: `Step ${step + 1} of batch "${batch_id}" has no words to send and waits until ${until}: ${reason}`,
          attributes: { batch_id, step: step + 1, until, reason },
        },
      ]);
    }
    await sql`
      update batch_pacing set silent_steps = ${JSON.stringify(steps)}::json
      where batch_key = ${batch_key}`.execute(tx);
  }
}
