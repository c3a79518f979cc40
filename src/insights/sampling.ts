import { type RawBuilder, sql } from "kysely";

/** An estimate looks at one row in so many. */
export const SAMPLED_SHARE = 16;

/**
 * Whether an id is in the sample that an estimate counts in place of all. Fibonacci hashing of the last 16 bits: any range
 * of ids has its share to within a few, and no pattern in the ids (such as every tenth for one agent) biases the sample.
 * The condition of the partial indexes sessions_sixteenth and insight_execution_tools_sixteenth, spelled alike so that they
 * are used.
 */
export const inSample = (id: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(id)} % 65536 * 40503 % 65536 < 4096`;
