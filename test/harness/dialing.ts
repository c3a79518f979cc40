import { sql } from "kysely";
import type { TestApp } from "./app.ts";
import { createOutbound, request } from "./batch.ts";

const EVERY_DAY = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

export type Dialing = Awaited<ReturnType<typeof createDialing>>;

/** Batches with people to reach, and what became of them. */
export async function createDialing(app: TestApp) {
  const outbound = await createOutbound(app);
  let people = 0;
  const person = () => `+1512555${String(++people).padStart(4, "0")}`;

  return {
    outbound,
    /** A number that nobody else has. */
    person,
    /**
     * A batch of these numbers, or of so many new ones, as `p0`, `p1` and so on; of a campaign of its own, open around
     * the clock at one attempt a minute unless said otherwise.
     */
    async filled(whom: number | string[], campaign: object = {}, batch: object = {}) {
      const { id } = await outbound.createCampaign({ active_days: EVERY_DAY, hourly_rate: 60, ...campaign });
      const { batch_id } = await outbound.createBatch({ campaign_id: id, ...batch });
      const targets = typeof whom === "number" ? Array.from({ length: whom }, person) : whom;
      const requests = targets.map((target, i) => request(`p${i}`, target));
      if (requests.length > 0) await outbound.add(batch_id, requests);
      return { campaign_id: id as number, batch_id: batch_id as string };
    },
    /** `PENDING BUSY 1`: status, channel status and attempts of each request of a batch. */
    async shown(batch_id: string): Promise<string[]> {
      const { body } = await outbound.results(batch_id);
      return body.map(
        (r: { request_status: string; channel_manager_status: string; attempt_count: number }) =>
          `${r.request_status} ${r.channel_manager_status} ${r.attempt_count}`,
      );
    },
    /** What earlier tests left is nobody's business. */
    async forget() {
      await app.db.updateTable("batches").set({ status: "CANCELED" }).execute();
      await sql`truncate attempts, dial_sources, dial_countries`.execute(app.db);
    },
  };
}
