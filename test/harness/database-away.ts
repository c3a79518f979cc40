import type pg from "pg";

/**
 * The first so many updates of these rows find the server shutting down. Resolves with what ends it; `when` is a condition of
 * the trigger, on `old` and `new`.
 */
export async function awayFor(
  pool: pg.Pool,
  { times, table, when }: { times: number; table: string; when: string },
): Promise<() => Promise<unknown>> {
  await pool.query("create sequence tried");
  await pool.query(`create function is_away() returns trigger language plpgsql as $$ begin
    if nextval('tried') <= ${times} then raise exception 'shutting down' using errcode = '57P01'; end if;
    return new; end $$`);
  await pool.query(`create trigger is_away before update on ${table} for each row
    when (${when}) execute function is_away()`);
  return () => pool.query("drop function is_away cascade; drop sequence tried");
}
