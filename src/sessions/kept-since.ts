import type { Db } from "../db/database.ts";

/** What is counted of sessions, and of insights' results, goes with them when retention deletes them. */
export type KeptKinds = { agent_id: number | null; kinds: ("session" | "insight")[] };

/**
 * From when on these are kept, of one agent or of all (null); null: always. Retention is set to the right of whoever asks,
 * so this is handed in.
 */
export type KeptSince = (db: Db, now: Date, of: KeptKinds & { tenant: number }) => Promise<Date | null>;
