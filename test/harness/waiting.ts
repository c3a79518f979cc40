import type { Pool } from "pg";
import { expect, vi } from "vitest";

/**
 * For what comes by itself. It tells what never comes from what comes late: on a machine that others use, too, things take
 * twenty times as long now and then.
 */
export const WAITING = { timeout: 300_000, interval: 15 };

/** Until so many statements wait for a row in a test's database. */
export const waitForLocks = (pool: Pool, count: number): Promise<void> =>
  vi.waitFor(async () => {
    const { rows } = await pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    expect(rows.length).toBe(count);
  }, WAITING);
