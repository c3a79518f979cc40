import { sql } from "kysely";
import type { Tx } from "../db/database.ts";

/**
 * Has the statements of this transaction planned for the tables as they are now. A kept plan is of when it was made: one
 * made while `attempts` was nearly empty reads all of it for each request, and a minute of dialing later, before
 * PostgreSQL looks at the table again, that takes 0.5 s for 200 requests. Planning anew takes 1 to 2 ms.
 */
export const freshPlans = (tx: Tx): Promise<unknown> =>
  sql`set local plan_cache_mode = force_custom_plan`.execute(tx);
