import type pg from "pg";

/**
 * What the program's statements count on, said by each connection itself: an administrator may have set the role, the
 * database or the server to something else, or an address may.
 */
const OWN_SETTINGS = [
  // Timestamps are read as text, and printed in UTC.
  "-c timezone=UTC",
  "-c datestyle=ISO",
  // Whoever waited for a row goes on with what the other left there, and doesn't fail.
  "-c default_transaction_isolation=read\\ committed",
  // A backslash in a literal and a null in an array are themselves.
  "-c standard_conforming_strings=on",
  "-c array_nulls=on",
  // A migration of a large table, a lock behind it and a listener take as long as they take; readers have bounds of their own.
  "-c statement_timeout=0",
  "-c lock_timeout=0",
  "-c idle_session_timeout=0",
  // Whoever sends a file may pause that long, and so may what reads an export. Where a machine vanished or is stopped, others
  // wait no longer for what its transaction had locked.
  "-c idle_in_transaction_session_timeout=300000",
].join(" ");

/** The same connection with our settings, and `more` of them. Others that its address has (`?options=…`) stay. */
export function withOwnSettings(connection: pg.PoolConfig, more = ""): pg.PoolConfig {
  const { options: given = "", ...rest } = optionsApart(connection);
  return { ...rest, options: `${given} ${OWN_SETTINGS} ${more}`.trim() };
}

/**
 * The one setting that PostgreSQL before 17 refuses a connection for: it would end a migration, a backup, a restore, an
 * import or the making of an index, each of which takes as long as it takes.
 */
const NO_TRANSACTION_TIMEOUT =
  "select set_config('transaction_timeout', '0', false) where current_setting('server_version_num')::int >= 170000";

/** For a connection that was opened with our settings. */
export const setAsideTransactionTimeout = (client: pg.ClientBase): Promise<unknown> =>
  client.query(NO_TRANSACTION_TIMEOUT);

/** `pg` lets options in the connection string override the ones passed separately, so they are merged here. */
function optionsApart(connection: pg.PoolConfig): pg.PoolConfig {
  if (connection.connectionString === undefined) return connection;
  const connectionString = checkingCertificates(connection.connectionString);
  if (!connectionString.includes("options=")) return { ...connection, connectionString };
  const url = new URL(connectionString);
  const given = url.searchParams.get("options");
  url.searchParams.delete("options");
  return { ...connection, connectionString: url.href, options: given ?? "" };
}

/**
 * `pg` treats these as `verify-full`, prints a warning meant for programmers, and will check less in its next version.
 * Whoever wants libpq's meaning says `uselibpqcompat=true`, which `pg` understands.
 */
const checkingCertificates = (address: string): string =>
  address.includes("uselibpqcompat=true")
    ? address
    : address.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
