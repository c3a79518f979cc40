import { type RawBuilder, sql } from "kysely";

/**
 * Whether something went wrong in a session: it ended with an error, a turn failed, or the engine noted an error. The search,
 * boards, alerts and experiments mean the same by it. Indexes: session_messages_pkey, session_trace_pkey.
 */
export const hasError = (session: string): RawBuilder<boolean> => {
  const column = (name: string) => sql.ref(`${session}.${name}`);
  return sql`(${column("end_reason")} is not distinct from 'error'
    or exists (select from session_messages m where m.session_id = ${column("id")} and m.is_apology)
    or exists (select from session_trace t where t.session_id = ${column("id")} and t.category = 'error'))`;
};
