import pg from "pg";
import { Fault, unreadable } from "../base/errors.ts";
import type { Connection, Connections } from "../db/database.ts";
import { withOwnSettings } from "../db/own-settings.ts";
import { isUntrustedCertificate } from "../egress/egress-failure.ts";

const MIN_POSTGRES = 15;
const CONNECT_MS = 10_000;

/** What DATABASE_URL leads to. */
type Answer = {
  version: string;
  now: Date;
  encoding: string;
  read_only: "on" | "off";
  /** Connections that the server, the database and the user allow for all who use them. */
  places: number;
  /** "yes" where connections keep what they set. */
  kept: string | null;
  /** Its name where it is there: an installation that works is not refused for what a new one is. */
  installed: string | null;
  /** A schema with an installation; without one that the search path leads to, it is one that the path does not name. */
  elsewhere: string | null;
};

/** A setting of nobody but us: a pooler drops what a connection sets, or refuses it, for it would be heard on others. */
const KEPT = "parley.kept";

/** Throws a Fault that says why nothing can be done there. */
export async function askPostgres(connection: Connection): Promise<Answer> {
  await using closing = new AsyncDisposableStack();
  try {
    // This reads the files of certificates that the address names.
    const client = new pg.Client({
      ...withOwnSettings(connection, `-c statement_timeout=${CONNECT_MS} -c ${KEPT}=yes`),
      connectionTimeoutMillis: CONNECT_MS,
    });
    closing.defer(() => client.end().catch(() => {}));
    client.on("error", () => {});
    await client.connect();
    const { rows } = await client.query<Answer>(
      `select current_setting('server_version') as version, now() as now, current_setting('server_encoding') as encoding,
         current_setting('transaction_read_only') as read_only, to_regclass('schema_migrations')::text as installed,
         (select min(a.relnamespace::regnamespace::text) from pg_class a join pg_class b using (relnamespace)
          where a.relname = 'schema_migrations' and b.relname = 'installation') as elsewhere,
         least(
           current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
           (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
           (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)) as places,
         current_setting('${KEPT}', true) as kept`,
    );
    const [answer] = rows as [Answer];
    return answer;
  } catch (error) {
    throw connectionFault(error);
  }
}

const tooOld = ({ version }: Answer): string | null =>
  Number.parseInt(version, 10) < MIN_POSTGRES
    ? `DATABASE_URL names PostgreSQL ${version}; Parley needs ${MIN_POSTGRES} or newer.`
    : null;

const pooled = ({ kept }: Answer): string | null =>
  kept === "yes"
    ? null
    : "The server at DATABASE_URL drops the settings of Parley's connections, as a pooler such as PgBouncer does with ignore_startup_parameters. Name PostgreSQL itself: Parley has a pool of its own.";

const readOnly = ({ read_only }: Answer): string | null =>
  read_only === "on"
    ? "The database of DATABASE_URL is read-only: it is a standby, or set to be. Name the server that accepts writes."
    : null;

/** In any other encoding each message with a letter that it lacks would be refused. */
export const otherLetters = ({ encoding }: Answer): string | null =>
  encoding === "UTF8"
    ? null
    : `The database of DATABASE_URL stores text as ${encoding}, which lacks most of the world's letters. Create one that has them: create database parley encoding 'UTF8' template template0.`;

/** Jobs and locks are the database's, so a second installation would take those of the first. */
const taken = ({ elsewhere }: Answer): string | null =>
  elsewhere
    ? `The database of DATABASE_URL holds a Parley in the schema ${elsewhere}, which the search_path of the address, or of its user, doesn't name. Name it there (?options=-c%20search_path%3D${elsewhere}), or give a new Parley a database of its own.`
    : null;

/** Why nobody can work there; null where one can. */
export const obstacleIn = (answer: Answer): string | null =>
  tooOld(answer) ??
  pooled(answer) ??
  readOnly(answer) ??
  (answer.installed ? null : (taken(answer) ?? otherLetters(answer)));

/** One more listens for notices from other processes. */
const LISTENERS = 1;

/** Somebody would be turned away whenever many come; null where one process has room. */
export function tooFewPlaces({ places }: Answer, { writing, reading }: Connections): string | null {
  const needed = writing + reading + LISTENERS;
  if (places >= needed) return null;
  return `The server, the database or the user of DATABASE_URL allows ${places} connections, and each process of Parley opens up to ${needed}: people are turned away when many come at once. Allow more, or lower DATABASE_CONNECTIONS and DATABASE_READING_CONNECTIONS.`;
}

export async function refuseOldPostgres(connection: Connection): Promise<void> {
  refuseFor(tooOld(await askPostgres(connection)));
}

/** Before anything is changed there. */
export async function refuseUnusablePostgres(connection: Connection): Promise<Answer> {
  const answer = await askPostgres(connection);
  refuseFor(obstacleIn(answer));
  return answer;
}

function refuseFor(obstacle: string | null): void {
  if (obstacle) throw new Fault("unavailable", obstacle);
}

/** What PostgreSQL or the way to it says, as a sentence; other errors stay what they are. */
export function connectionFault(error: unknown): unknown {
  if (error instanceof Fault || !(error instanceof Error)) return error;
  const refusal = [error, error.cause].find((one) => one instanceof pg.DatabaseError);
  const sentence = refusal ? refusalText(refusal) : failureText(error);
  return sentence === null ? error : new Fault("unavailable", sentence, { cause: error });
}

function refusalText({ code = "", message }: pg.DatabaseError): string | null {
  if (code === "42501")
    return `The user of DATABASE_URL may not make tables and schemas (${message}). Let it own the database: alter database … owner to ….`;
  if (code === "3F000")
    return `The search_path of DATABASE_URL, or of its user, names no schema that is there (${message}). Make it: create schema ….`;
  // Connections carry settings, and what one of them says is heard on others: a pooler lends each to many.
  if (code === "08P01")
    return `The server at DATABASE_URL refuses Parley's connections (${message}), as a pooler such as PgBouncer does. Name PostgreSQL itself: Parley has a pool of its own.`;
  // By the limit of the server, of the database or of its user.
  if (code === "53300")
    return `The database of DATABASE_URL has no connection left (${message}). Allow it more, or end what holds them.`;
  // Classes of PostgreSQL: 28 who signs in, 3D no such database, 53 no room, 57 starting or stopping.
  return /^(28|3D|53|57)/.test(code) ? `The database of DATABASE_URL can't be opened: ${message}.` : null;
}

function failureText(error: NodeJS.ErrnoException): string | null {
  const { code, message, syscall, path } = error;
  if (syscall === "open" && path !== undefined)
    return `${unreadable(path, error)} DATABASE_URL names it in sslrootcert, sslcert or sslkey.`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `The certificate of the server at DATABASE_URL is for another host: ${message.replace(/[\s:.]+$/, "")}. Name the server as its certificate does.`;
  if (isUntrustedCertificate(error))
    return `The certificate of the server at DATABASE_URL is not trusted (${code}). Name the file of the CA that signed it: ?sslmode=verify-full&sslrootcert=/path/to/ca.pem.`;
  if (/does not support SSL/.test(message))
    return "The server at DATABASE_URL has no TLS. Turn it on there, or take sslmode out of DATABASE_URL.";
  if (/client password must be a/.test(message))
    return "The server at DATABASE_URL asks for a password, and the address has none: postgres://user:password@host/database.";
  // Several addresses of one host that all failed come as one error without words.
  const why = message || code || "no answer";
  return code || /timeout|terminated|SSL|SASL|password/i.test(why)
    ? `The database of DATABASE_URL does not answer: ${why}. Start it, or correct DATABASE_URL.`
    : null;
}
