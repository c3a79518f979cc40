import { type RawBuilder, sql } from "kysely";

/** What the ids of the simulator begin with after their two letters, so that nobody takes its calls for a carrier's. */
export const SIMULATED_MARK = "51512e51";

/**
 * Whether a simulated carrier played the person of the session `s`: by the id of its call or text, or by what was noted as
 * its mails were taken. It stays true when the channel gets a real carrier, and nobody outside can make it so: the ids of
 * mails, which others write, don't count.
 */
export const isSimulated: RawBuilder<boolean> = sql<boolean>`(s.simulated or (
  s.channel <> 'email'
  and coalesce(s.channel_manager_sid ~ ${sql.lit(`^[A-Z]{2}${SIMULATED_MARK}[0-9a-f]{24}$`)}, false)))`;
