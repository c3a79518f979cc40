import type { Tx } from "../db/database.ts";
import { FEW_BY_KEY, setForTransaction } from "../db/plans.ts";

/** How long a process that lost its connection in the middle of a transaction keeps its locks at most. */
const CUT_OFF_ms = 5_000;

/** First in a transaction that claims or settles attempts. */
export const beginDialing = (tx: Tx): Promise<unknown> =>
  setForTransaction(tx, { ...FEW_BY_KEY, idle_in_transaction_session_timeout: String(CUT_OFF_ms) });
