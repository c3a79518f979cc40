import { type RawBuilder, sql } from "kysely";

/*
 * How a record tells that a simulated carrier had it, also years later, when the channel has a real one. Nobody outside
 * can forge it: ids and notes are written by this program.
 */

/** What the ids of the simulator begin with after their two letters, so that nobody takes its calls for a carrier's. */
export const SIMULATED_MARK = "51512e51";

/** Kept at each mail that went to the simulator. */
export const SIMULATED_MAIL = "Mail simulator: this mail reached nobody.";

/**
 * Whether the session `s` was with a simulated person: by the id of its call or text, or by the mails it wrote, whose own
 * ids have no mark. Index: mail_messages_session.
 */
export const isSimulated: RawBuilder<boolean> = sql<boolean>`(
  coalesce(s.channel_manager_sid ~ ${sql.lit(`^[A-Z]{2}${SIMULATED_MARK}[0-9a-f]{24}$`)}, false)
  or (s.channel = 'email' and exists (
    select from mail_messages m where m.session_id = s.id and m.note = ${sql.lit(SIMULATED_MAIL)})))`;
