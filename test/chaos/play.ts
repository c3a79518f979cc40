import type { Connection } from "../../src/db/database.ts";
import type { Cell, Outside, Recovery } from "./cells.ts";
import { brokenPromises } from "./promises.ts";
import { setStage, until } from "./stage.ts";

export type Played = Recovery & { name: string; attempts: number; calls: number; broken: string[] };

const MOST_MS = 300_000;

/** Sets the stage on an empty, migrated database, lets it go wrong, waits until everybody is over, and checks. */
export async function play(
  connection: Connection,
  cell: Cell,
  size: { seed: number; batches: number; each: number },
  outside: Outside = {},
): Promise<Played> {
  const stage = await setStage(connection, size);
  try {
    const found = await cell.run(stage, outside);
    await until(async () => (await stage.over()) === stage.people, MOST_MS);
    // What is told of the last calls may still be on its way.
    await until(async () => {
      const { rows } = await stage.database.pool.query(
        "select 1 from attempts where state <> 'ENDED' limit 1",
      );
      return rows.length === 0;
    }, MOST_MS);
    if (stage.receiver)
      await until(async () => {
        const { rows } = await stage.database.pool.query("select 1 from webhook_outbox limit 1");
        return rows.length === 0;
      }, MOST_MS);
    const { rows } = await stage.database.pool.query("select count(*)::int as n from attempts");
    return {
      name: cell.name,
      ...found,
      attempts: rows[0].n,
      calls: stage.carrier.calls.size,
      broken: await brokenPromises(stage),
    };
  } finally {
    await stage.stop();
  }
}
