import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { DatabaseError } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectionFault } from "../../src/commands/outside-postgres.ts";
import { inDatabase, runAsAdmin } from "../harness/postgres.ts";
import { startFakePostgres } from "./fake-postgres.ts";
import { newFolder, parley, run, send } from "./program.ts";

const OUTSIDE = process.env.TEST_DATABASE_URL;
const SECRET_KEY = "one key for every machine of this cluster";

describe("a DATABASE_URL that can't be used is told in a sentence", () => {
  test("because the server is older than 15", async () => {
    const env = { DATABASE_URL: await startFakePostgres({ version: "14.19 (Debian 14.19-1)" }) };
    for (const command of ["start", "migrate"]) {
      expect(await run([command], { folder: newFolder(), env })).toMatchObject({
        code: 1,
        stderr: "parley: DATABASE_URL names PostgreSQL 14.19 (Debian 14.19-1); Parley needs 15 or newer.\n",
      });
    }
    const { code, stdout } = await run(["doctor"], { folder: newFolder(), env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/PROBLEM +database +DATABASE_URL names PostgreSQL 14\.19/);
  });

  const USABLE = { version: "17.2", encoding: "UTF8", read_only: "off", kept: "yes" };

  test.each([
    [
      "it takes no changes, as a standby",
      startFakePostgres.bind(null, { ...USABLE, read_only: "on" }),
      "The database of DATABASE_URL is read-only: it is a standby, or set to be. Name the server that accepts writes.",
    ],
    [
      "it has no place for what people write",
      startFakePostgres.bind(null, { ...USABLE, encoding: "LATIN1" }),
      "The database of DATABASE_URL stores text as LATIN1, which lacks most of the world's letters. Create one that has them: create database parley encoding 'UTF8' template template0.",
    ],
    [
      "a pooler stands before it",
      startFakePostgres.bind(null, USABLE, {
        code: "08P01",
        message: "unsupported startup parameter: options",
      }),
      "The server at DATABASE_URL refuses Parley's connections (unsupported startup parameter: options), as a pooler such as PgBouncer does. Name PostgreSQL itself: Parley has a pool of its own.",
    ],
    [
      "a pooler stands before it that drops what connections set",
      startFakePostgres.bind(null, { ...USABLE, kept: "" }),
      "The server at DATABASE_URL drops the settings of Parley's connections, as a pooler such as PgBouncer does with ignore_startup_parameters. Name PostgreSQL itself: Parley has a pool of its own.",
    ],
  ])("because %s", async (_why, startServer, sentence) => {
    const env = { DATABASE_URL: await startServer() };
    expect(await run(["start"], { folder: newFolder(), env })).toMatchObject({
      code: 1,
      stderr: `parley: ${sentence}\n`,
    });
    const { code, stdout } = await run(["doctor"], { folder: newFolder(), env });
    expect({ code, database: /PROBLEM +database +(.*)/.exec(stdout)?.[1] }).toEqual({
      code: 1,
      database: sentence,
    });
  });

  test("and one that allows fewer connections than a process opens is warned of, before people are turned away", async () => {
    const DATABASE_URL = await startFakePostgres({ ...USABLE, places: "20" });
    const sentence =
      "The server, the database or the user of DATABASE_URL allows 20 connections, and each process of Parley opens up to 21: people are turned away when many come at once. Allow more, or lower DATABASE_CONNECTIONS and DATABASE_READING_CONNECTIONS.";
    const warned = async (env: Record<string, string>) =>
      /warning +database +(.*)/.exec((await run(["doctor"], { folder: newFolder(), env })).stdout)?.[1];
    expect(await warned({ DATABASE_URL })).toBe(sentence);
    expect(await warned({ DATABASE_URL, DATABASE_READING_CONNECTIONS: "5" })).not.toBe(sentence);
  });

  test("because a file that it names is not there", async () => {
    const DATABASE_URL = "postgres://ann@127.0.0.1:1/parley?sslmode=verify-full&sslrootcert=/no-such/ca.pem";
    expect(await run(["start"], { folder: newFolder(), env: { DATABASE_URL } })).toMatchObject({
      code: 1,
      stderr:
        "parley: There is no /no-such/ca.pem. DATABASE_URL names it in sslrootcert, sslcert or sslkey.\n",
    });
  });

  test("because nobody answers there", async () => {
    const env = { DATABASE_URL: "postgres://ann:hunter2@127.0.0.1:1/parley" };
    const folder = newFolder();
    const { code, stderr } = await run(["start"], { folder, env });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "parley: The database of DATABASE_URL does not answer: connect ECONNREFUSED 127.0.0.1:1. Start it, or correct DATABASE_URL.\n",
    });
    // It would be a key that the database does not know, once that answers.
    expect(existsSync(path.join(folder, "data", "secret.key"))).toBe(false);
  });
});

const failed = (message: string, more: object) => Object.assign(new Error(message), more);
const refused = (code: string, message: string) =>
  Object.assign(new DatabaseError(message, message.length, "error"), { code });

test.each([
  [
    "a certificate that nobody on this machine vouches for",
    failed("unable to verify the first certificate; …", { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" }),
    "The certificate of the server at DATABASE_URL is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE). Name the file of the CA that signed it: ?sslmode=verify-full&sslrootcert=/path/to/ca.pem.",
  ],
  [
    "a certificate of another host",
    failed("Hostname/IP does not match certificate's altnames: IP: 10.0.0.1 is not in the cert's list: ", {
      code: "ERR_TLS_CERT_ALTNAME_INVALID",
    }),
    "The certificate of the server at DATABASE_URL is for another host: Hostname/IP does not match certificate's altnames: IP: 10.0.0.1 is not in the cert's list. Name the server as its certificate does.",
  ],
  [
    "a server without TLS",
    new Error("The server does not support SSL connections"),
    "The server at DATABASE_URL has no TLS. Turn it on there, or take sslmode out of DATABASE_URL.",
  ],
  [
    "an address without a password",
    new Error("SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string"),
    "The server at DATABASE_URL asks for a password, and the address has none: postgres://user:password@host/database.",
  ],
  [
    "a user who may make tables and no schema",
    refused("42501", "permission denied for database parley"),
    "The user of DATABASE_URL may not make tables and schemas (permission denied for database parley). Let it own the database: alter database … owner to ….",
  ],
  [
    "a server whose connections are all taken",
    refused("53300", "sorry, too many clients already"),
    "The database of DATABASE_URL has no connection left (sorry, too many clients already). Allow it more, or end what holds them.",
  ],
  [
    "a schema that is not there",
    refused("3F000", "no schema has been selected to create in"),
    "The search_path of DATABASE_URL, or of its user, names no schema that is there (no schema has been selected to create in). Make it: create schema ….",
  ],
])("what stands in the way to the database is said with what to do: %s", (_what, error, sentence) => {
  expect(connectionFault(error)).toMatchObject({ message: sentence, cause: error });
});

test("a fault of our own stays what it is", () => {
  const ours = new TypeError("x is not a function");
  expect(connectionFault(ours)).toBe(ours);
});

/** Set TEST_DATABASE_URL to a PostgreSQL 15 or newer whose user may create databases. */
describe.skipIf(!OUTSIDE)("with a PostgreSQL of one's own (TEST_DATABASE_URL)", () => {
  const admin = { connectionString: OUTSIDE || "postgres://127.0.0.1/postgres" };
  const database = `parley_cluster_${randomBytes(4).toString("hex")}`;
  const env = { DATABASE_URL: inDatabase(admin, database).connectionString ?? "", SECRET_KEY };
  beforeAll(() => runAsAdmin(admin, `create database ${database}`));
  afterAll(() => runAsAdmin(admin, `drop database ${database} with (force)`));

  test("two programs that start at once share it: one tells the secrets, and a chat goes on at either", async () => {
    const folders = [newFolder(), newFolder()];
    const both = folders.map((folder) => parley(["start"], { folder, env }));
    const [one, other] = await Promise.all(both.map((program) => program.ready()));
    expect([one?.token, other?.token].filter(Boolean)).toHaveLength(1);
    expect(folders.some((folder) => existsSync(path.join(folder, "data", "postgres")))).toBe(false);

    const { body: chat } = await send("POST", `${one?.url}/chat/v1/sessions`, { client_id: "demo-clinic" });
    const say = async (url: string | undefined, id: string) =>
      (
        await send("POST", `${url}/chat/v1/sessions/${chat.session_id}/messages?token=${chat.token}`, {
          text: "When are you open?",
          id,
        })
      ).body.events;
    const answer = [{ type: "message", text: expect.stringContaining("Monday to Friday") }];
    expect(await say(one?.url, "1")).toMatchObject(answer);
    expect(await say(other?.url, "2")).toMatchObject(answer);
    // Sent again to the other machine, as after a lost answer.
    expect(await say(other?.url, "1")).toMatchObject(answer);
    const { body } = await send("GET", `${one?.url}/chat/v1/sessions/${chat.session_id}?token=${chat.token}`);
    expect(body.messages.map((said: { id: string | null }) => said.id)).toEqual([null, "1", null, "2", null]);

    expect(await both[0]?.end("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(await say(other?.url, "3")).toMatchObject(answer);
  });

  test("a machine with another key is refused, and the doctor says so beforehand", async () => {
    const folder = newFolder();
    const other = { ...env, SECRET_KEY: `not the ${SECRET_KEY}` };
    const sentence = "SECRET_KEY is not the key that this database's secrets were sealed with";
    expect((await run(["doctor"], { folder, env: other })).stdout).toContain(
      `PROBLEM  database       ${sentence}`,
    );
    const { code, stderr } = await run(["start"], { folder, env: other });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(sentence) });
  });

  test("a database or a password that is wrong is told", async () => {
    const wrong = new URL(env.DATABASE_URL);
    wrong.pathname = "/no_such_database";
    expect(
      await run(["migrate"], { folder: newFolder(), env: { ...env, DATABASE_URL: wrong.href } }),
    ).toMatchObject({
      code: 1,
      stderr:
        'parley: The database of DATABASE_URL can\'t be opened: database "no_such_database" does not exist.\n',
    });
  });

  test("a database that holds no Parley, and one that takes no changes, are told to every command", async () => {
    const folder = newFolder();
    const other = { ...env, DATABASE_URL: inDatabase(admin, `${database}_other`).connectionString ?? "" };
    await runAsAdmin(admin, `create database ${database}_other`);
    for (const command of ["verify-audit", "rotate-keys"])
      expect(await run([command], { folder, env: other })).toEqual({
        code: command === "verify-audit" ? 2 : 1,
        stdout: "",
        stderr: expect.stringMatching(/^parley: There is no Parley in this database\. .*\n$/),
      });
    await runAsAdmin(admin, `alter database ${database}_other set default_transaction_read_only = on`);
    for (const command of ["start", "migrate", "rotate-keys"])
      expect(await run([command], { folder, env: other })).toEqual({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/^parley: The database of DATABASE_URL is read-only: .*\n$/),
      });
    await runAsAdmin(admin, `drop database ${database}_other with (force)`);
  });

  test("migrate and doctor say that all is well", async () => {
    const folder = newFolder();
    expect(await run(["migrate"], { folder, env })).toEqual({
      code: 0,
      stdout: "The database is up to date.\n",
      stderr: "",
    });
    expect((await run(["doctor"], { folder, env })).stdout).toMatch(/ok +database +PostgreSQL 1[5-9]/);
  });
});
