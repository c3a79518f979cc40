import { sql } from "kysely";
import type { Tx } from "../db/database.ts";

/** A process that was cut off, or a machine that vanished, in the middle of a transaction holds its locks no longer. */
const CUT_OFF_ms = 5_000;

/**
 * Has the statements of this transaction planned for the tables as they are now. A kept plan is of when it was made: one
 * made while `attempts` was nearly empty reads all of it for each request, and a minute of dialing later, before
 * PostgreSQL looks at the table again, that takes 0.5 s for 200 requests. Planning anew takes 1 to 2 ms.
 *
 * All that is looked up here is a handful of rows by their keys, so none of it is for a merge join: misled by statistics
 * of what is gone, one reads everything in front of the keys that are wanted, such as a batch of a million beside a small
 * one, which takes as long.
 */
export const freshPlans = (tx: Tx): Promise<unknown> =>
  sql`
    select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_mergejoin', 'off', true),
      set_config('idle_in_transaction_session_timeout', ${String(CUT_OFF_ms)}, true)`.execute(tx);
