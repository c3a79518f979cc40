import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, Writable } from "node:stream";
import fc from "fast-check";
import pg from "pg";
import { beforeAll, describe, expect, inject, test } from "vitest";
import type { SectionEnd } from "../../../src/backup/archive-format.ts";
import { readArchive } from "../../../src/backup/archive-reader.ts";
import { openShelf } from "../../../src/backup/data-files.ts";
import { type Dumped, dump } from "../../../src/backup/dump.ts";
import { load, requireEmpty } from "../../../src/backup/load.ts";
import type { ArchiveProgress } from "../../../src/backup/progress.ts";
import { listSequences, listTables, quoted } from "../../../src/backup/tables.ts";
import { createVault } from "../../../src/base/crypto.ts";
import { silentLog } from "../../../src/base/log.ts";
import { isConnectionLost } from "../../../src/db/database.ts";
import { migrate, readMigrations } from "../../../src/db/migrate.ts";
import { migrateJobs } from "../../../src/jobs/runner.ts";
import { afterFile } from "../../harness/after-file.ts";
import { CODE_POINT } from "../../harness/code-point.ts";
import { createTestDatabase } from "../../harness/database.ts";
import { inDatabase, runAsAdmin } from "../../harness/postgres.ts";
import { ofThisRun, rounds } from "../../harness/seed.ts";

const vault = createVault("a key of forty characters, as long as it is");
const quiet: ArchiveProgress = { begin() {}, at() {}, moved() {} };

let source: pg.Client;
let config: pg.ClientConfig;

beforeAll(async () => {
  const database = await createTestDatabase();
  config = database.config;
  afterFile(database.drop);
  source = await connected(config);
  await source.query("insert into installation (key_check, created_at) values ($1, now())", [
    vault.seal("parley"),
  ]);
  await source.query(
    "insert into organizations (name, display_name, last_updated) values ('one', 'One', now())",
  );
  await source.query(
    "insert into sub_organizations (organization_id, name, created_at) values (1, 'main', now())",
  );
});

async function connected(to: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(to);
  client.on("error", () => {});
  await client.connect();
  afterFile(() => client.end());
  return client;
}

/**
 * A database with nothing in it but graphile-worker's schema. Its owner may do nothing else on the server, as in a company
 * that hands out databases.
 */
async function emptyDatabase(): Promise<pg.Client> {
  const { admin } = inject("testServer");
  const name = `parley_restored_${process.pid}_${databases++}`;
  await runAsAdmin(admin, `create role ${name}`);
  await runAsAdmin(admin, `create database ${name} owner ${name}`);
  afterFile(async () => {
    await runAsAdmin(admin, `drop database ${name} with (force)`);
    await runAsAdmin(admin, `drop role ${name}`);
  });
  const owned = { ...inDatabase(admin, name), options: `-c role=${name}` };
  const pool = new pg.Pool({ ...owned, max: 1 });
  pool.on("error", () => {}).on("connect", (client) => client.on("error", () => {}));
  await migrateJobs(pool, silentLog).finally(() => pool.end());
  return connected(owned);
}
let databases = 0;

const newFolder = (): string => mkdtempSync(path.join(tmpdir(), "backup-"));

type Taken = { bytes: Buffer; dumped: Dumped };

async function taken(from = config, dataDir = newFolder(), progress = quiet): Promise<Taken> {
  const client = new pg.Client(from);
  await client.connect();
  const out = new PassThrough();
  const all: Buffer[] = [];
  out.on("data", (piece: Buffer) => all.push(piece));
  const dumped = await dump({ client, vault, dataDir, files: true }, out, progress).finally(() =>
    client.end(),
  );
  return { bytes: Buffer.concat(all), dumped };
}

async function restored(
  bytes: Buffer,
  {
    client,
    dataDir = newFolder(),
    pause = true,
  }: { client?: pg.Client; dataDir?: string; pause?: boolean } = {},
) {
  const target = client ?? (await emptyDatabase());
  const archive = await readArchive(pieces(bytes));
  const shelf = await openShelf(dataDir);
  const loaded = await load({ client: target, vault, shelf, pause }, archive, quiet);
  return { client: target, loaded, dataDir };
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
}

/** Every table's rows as one checksum, and what makes the schema. */
async function contents(client: pg.Client): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { schema, name, columns } of await listTables(client)) {
    const row = columns.map((column) => `t."${column}"`).join(", ");
    const { rows } = await client.query<{ all: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(md5(row(${row})::text), '' order by md5(row(${row})::text))), '') as all
       from ${quoted({ schema, name })} t`,
    );
    found[`${schema}.${name}`] = rows[0]?.all ?? "";
  }
  return found;
}

async function schemaOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(
    `select indexdef as line from pg_indexes where schemaname in ('public', 'graphile_worker')
     union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated
       from pg_constraint where connamespace::regnamespace::text in ('public', 'graphile_worker')
     union all select tgrelid::regclass || ' ' || tgname || tgenabled::text from pg_trigger where not tgisinternal
     order by 1`,
  );
  return rows.map(({ line }) => line);
}

test("any text, bytes, number, list and JSON in any column comes back, with ids that go on where they were", async () => {
  const text = fc.string({ unit: CODE_POINT }).map((value) => value.replaceAll("\0", ""));
  const json = fc.jsonValue().map((value) => JSON.stringify(value).replaceAll("\\u0000", ""));
  const rows = fc.sample(
    fc.record({
      text,
      list: fc.array(text, { maxLength: 3 }),
      json,
      bytes: fc.option(fc.uint8Array({ maxLength: 3_000 }), { nil: null }),
      day: fc.date({ min: new Date("0001-01-01"), max: new Date("9999-01-01"), noInvalidDate: true }),
      number: fc.double({ noNaN: false }),
    }),
    { numRuns: rounds(60) },
  );
  for (const { text: value, list, json: document, bytes, day, number } of rows) {
    await source.query(
      "insert into organizations (name, display_name, last_updated, logo, deleted_targets) values (gen_random_uuid(), $1, $2, $3, $4)",
      [value, day.toISOString(), bytes === null ? null : Buffer.from(bytes), document],
    );
    await source.query(
      "insert into roles (sub_organization_id, name, permissions, last_updated, last_updated_by) values (1, gen_random_uuid(), $1, $2, $3)",
      [list, day.toISOString(), value],
    );
    await source.query(
      "insert into events (sub_organization_id, timestamp, description, attributes) values (1, $1, $2, $3)",
      [day.toISOString(), value, JSON.stringify({ number: String(number), document })],
    );
  }
  await source.query("select nextval('agents_id_seq')");
  const { bytes, dumped } = await taken();
  const { client, loaded } = await restored(bytes);
  expect(await contents(client)).toEqual(await contents(source));
  expect(await listSequences(client)).toEqual(await listSequences(source));
  expect(await schemaOf(client)).toEqual(await schemaOf(source));
  expect(loaded).toMatchObject({ rows: dumped.rows, left_out: [], migrated: 0 });
});

test("a change that comes while the backup is written is not in it, and waits for nothing", async () => {
  await source.query("create table if not exists copied_late (id int)");
  const client = await connected(config);
  const written: Buffer[] = [];
  let writing: Promise<unknown> | undefined;
  const slow = new Writable({
    highWaterMark: 1,
    write(piece: Buffer, _encoding, done) {
      written.push(piece);
      // The first bytes leave once the snapshot is taken; nothing more does before this is stored.
      writing ??= source.query(
        "insert into organizations (name, display_name, last_updated) values ('late', 'Late', now())",
      );
      writing.then(() => done(), done);
    },
  });
  await dump({ client, vault, dataDir: newFolder(), files: false }, slow, quiet);
  const found = await source.query("select from organizations where name = 'late'");
  expect(found.rowCount).toBe(1);
  const { client: copy, loaded } = await restored(Buffer.concat(written));
  expect((await copy.query("select from organizations where name = 'late'")).rowCount).toBe(0);
  // A table that somebody else keeps in the database is told of, and left out.
  expect(loaded.left_out).toEqual(["copied_late"]);
  await source.query("drop table copied_late");
});

test("a backup has all tables and sequences, also where a schema comes first that holds none of them", async () => {
  const [tables, sequences] = [await listTables(source), await listSequences(source)];
  await source.query("create schema first");
  const other = await connected({ ...config, options: "-c search_path=first,public" });
  expect((await listTables(other)).map(quoted)).toEqual(tables.map(quoted));
  expect(await listSequences(other)).toEqual(sequences);
  await source.query("drop schema first");
});

test("a database that stops in the middle ends the backup", async () => {
  const client = await connected(config);
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  let stopping: Promise<unknown> | undefined;
  const out = new Writable({
    // The next piece is made only once this one is written.
    highWaterMark: 1,
    write(_piece, _encoding, done) {
      stopping ??= source.query("select pg_terminate_backend($1, 10000)", [rows[0]?.pid]);
      stopping.then(() => done(), done);
    },
  });
  const error = await dump({ client, vault, dataDir: newFolder(), files: false }, out, quiet).catch(
    (cause) => cause,
  );
  expect(error, String(error)).toSatisfy(isConnectionLost);
});

test("a backup of an older version is brought up to this one", async () => {
  const { admin } = inject("testServer");
  const name = `parley_older_${process.pid}`;
  await runAsAdmin(admin, `create database ${name}`);
  afterFile(() => runAsAdmin(admin, `drop database ${name} with (force)`));
  const older = inDatabase(admin, name);
  const all = readMigrations();
  await migrate(older, all.slice(0, 1));
  const { bytes } = await taken(older);
  const { client, loaded } = await restored(bytes);
  expect(loaded.migrated).toBe(all.length - 1);
  expect(await schemaOf(client)).toEqual(await schemaOf(source));
});

describe("a copy reaches nobody by itself", () => {
  let bytes: Buffer;
  /** Restored once for those that only look. */
  let client: pg.Client;
  let loaded: Awaited<ReturnType<typeof restored>>["loaded"];

  beforeAll(async () => {
    await source.query(`
      insert into campaigns (sub_organization_id, campaign_name, campaign_variables, hourly_rate, retry_count, active_days,
        include_unknown_line_types, created_at, updated_at, last_updated_by)
      values (1, 'Recall', '{}', 100, 1, '{}', true, now(), now(), 'ann');
      insert into batches (sub_organization_id, batch_id, campaign_id, auto_call_rate, status, paused, created_at,
        last_updated_at, last_updated_by)
      select 1, batch, 1, false, status, paused, now(), now(), 'ann'
      from (values ('running', 'ACTIVE', null), ('empty', 'PENDING', false), ('held', 'PAUSED', true), ('gone', 'CANCELED', null))
        as b (batch, status, paused);
      insert into channels (organization_id, name, channel_service, config, updated_at, last_updated_by)
      values (1, 'Mail', 'email', '{}', now(), 'ann');
      insert into mail_messages (key, sub_organization_id, channel_id, channel_target_id, direction, state, message_id,
        thread_ids, from_address, to_address, subject, text, attachments, created_at)
      select state, 1, 1, 1, 'out', state, state, '{}', 'a@example.com', 'b@example.com', 'Hello', 'Hello', '[]', now()
      from unnest(array['queued', 'handing', 'sent']) state;
      insert into text_messages (sub_organization_id, channel_id, channel_target_id, direction, medium, purpose, key, target,
        source, text, media, status, created_at, updated_at)
      select 1, 1, 1, direction, 'sms', 'answer', direction || status, '+1', '+2', 'Hello', '[]', status, now(), now()
      from (values ('out', 'PENDING'), ('out', 'SENT'), ('in', 'RECEIVED')) t (direction, status);
      insert into test_outreach (key, organization_id, sub_organization_id, campaign_id, outreach, target, state, channel_status,
        status_at, started_by, started_at)
      select state, 1, 1, 1, '{}', '+1', state, 'PENDING', now(), 'ann', now() from unnest(array['QUEUED', 'SENT']) state;
      insert into job_runners values ('worker', now());
      select graphile_worker.add_job('waiting', '{"a": 1}');
      select graphile_worker.add_job('running', '{"a": 2}', queue_name => 'one at a time', max_attempts => 1);
      update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker', attempts = 1
      where payload::jsonb @> '{"a": 2}';
      update graphile_worker._private_job_queues set locked_at = now(), locked_by = 'worker';
    `);
    bytes = (await taken()).bytes;
    ({ client, loaded } = await restored(bytes));
  });

  const batchesOf = async (client: pg.Client) => {
    const { rows } = await client.query("select batch_id, status, paused from batches order by key");
    return rows.map(({ batch_id, status, paused }) => `${batch_id} ${status} ${paused}`);
  };

  test("batches are paused, each with an event that says so", async () => {
    expect(await batchesOf(client)).toEqual([
      "running PAUSED true",
      "empty PENDING true",
      "held PAUSED true",
      "gone CANCELED null",
    ]);
    expect(loaded.paused_batches).toBe(2);
    const { rows } = await client.query(
      "select description from events where type = 'batch-updated' order by id",
    );
    expect(rows).toEqual([
      {
        description: expect.stringMatching(/^Batch "running" was paused: .* restored from the backup of 20/),
      },
      { description: expect.stringMatching(/^Batch "empty" was paused/) },
    ]);
  });

  test("unless they are to go on", async () => {
    const going = await restored(bytes, { pause: false });
    expect(await batchesOf(going.client)).toEqual(await batchesOf(source));
    expect(going.loaded.paused_batches).toBe(0);
  });

  test("a mail or text that waited counts as handed to its carrier", async () => {
    const mails = await client.query("select key, state from mail_messages order by key");
    expect(mails.rows).toEqual([
      { key: "handing", state: "handing" },
      { key: "queued", state: "handing" },
      { key: "sent", state: "sent" },
    ]);
    const texts = await client.query("select key from text_messages where asked_at is not null");
    expect(texts.rows).toEqual([{ key: "outPENDING" }]);
    expect(loaded.held_messages).toBe(2);
  });

  test("a campaign's test that waited counts as begun: it is looked for at its carrier, and never sent", async () => {
    const tests = await client.query("select key, state from test_outreach order by key");
    expect(tests.rows).toEqual([
      { key: "QUEUED", state: "SENDING" },
      { key: "SENT", state: "SENT" },
    ]);
  });

  test("its jobs are all there and due, those that ran too, and nobody holds them", async () => {
    const { rows } = await client.query(
      `select t.identifier, j.payload, j.attempts, j.is_available, q.queue_name, q.is_available as queue_is_free
       from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
       left join graphile_worker._private_job_queues q on q.id = j.job_queue_id order by j.id`,
    );
    expect(rows).toEqual([
      {
        identifier: "waiting",
        payload: { a: 1 },
        attempts: 0,
        is_available: true,
        queue_name: null,
        queue_is_free: null,
      },
      {
        identifier: "running",
        payload: { a: 2 },
        attempts: 0,
        is_available: true,
        queue_name: "one at a time",
        queue_is_free: true,
      },
    ]);
    expect((await client.query("select from job_runners")).rowCount).toBe(0);
    const next = await client.query("select id from graphile_worker.add_job('another')");
    expect(Number(next.rows[0].id)).toBeGreaterThan(2);
  });
});

test("links below the data folder, files being written and the secret key are not in a backup", async () => {
  const dataDir = newFolder();
  const recordings = path.join(dataDir, "recordings", "1");
  mkdirSync(recordings, { recursive: true });
  writeFileSync(path.join(dataDir, "secret.key"), "the key");
  writeFileSync(path.join(recordings, "call.wav"), "RIFF");
  writeFileSync(path.join(recordings, "next.part"), "RI");
  symlinkSync("/etc/hostname", path.join(recordings, "link.wav"));
  // A folder that its operator keeps on another disk is.
  const disk = newFolder();
  writeFileSync(path.join(disk, "letter.pdf"), "a letter");
  symlinkSync(disk, path.join(dataDir, "mail"));
  const { bytes, dumped } = await taken(config, dataDir);
  expect(dumped.files).toBe(2);
  const { dataDir: into } = await restored(bytes);
  expect(readdirSync(into, { recursive: true }).sort()).toEqual([
    "mail",
    path.join("mail", "letter.pdf"),
    "recordings",
    path.join("recordings", "1"),
    path.join("recordings", "1", "call.wav"),
  ]);
});

test("a file of a backup stays in its folder", async () => {
  const shelf = await openShelf(newFolder());
  const data = async function* (): AsyncGenerator<Buffer, SectionEnd> {
    yield Buffer.from("x");
    return { bytes: 1, sha256: "" };
  };
  const names = [
    "recordings/../../x",
    "/etc/x",
    "recordings",
    "../x",
    "secret.key",
    "mail/./x",
    "mail//x",
    "mail/a\0",
  ];
  for (const name of names) {
    const head = { path: name, modified_at: "2026-11-23T00:00:00.000Z", expected_bytes: 1 };
    await expect(shelf.save(head, data())).rejects.toThrow(/a file with a place of its own/);
  }
});

test("every table with a lease is one that a restore lets go", async () => {
  const { rows } = await source.query<{ name: string }>(
    "select table_name as name from information_schema.columns where column_name = 'lease_owner' order by 1",
  );
  // A new one gets a statement in src/backup/let-go.ts; attempts need none.
  expect(rows.map(({ name }) => name)).toEqual([
    "attempts",
    "calls",
    "insight_executions",
    "service_tokens",
    "sessions",
    "webhook_outbox",
  ]);
});

describe("nothing is left behind of a restore that fails", () => {
  /** What is in the way of the next try: nothing. */
  const isUntouched = async (client: pg.Client, dataDir: string) => {
    await requireEmpty(client, "The database");
    expect(readdirSync(dataDir)).toEqual([]);
  };

  test("because the archive is cut off or changed, at whichever table or file", async () => {
    const dataDir = newFolder();
    mkdirSync(path.join(dataDir, "recordings"));
    writeFileSync(path.join(dataDir, "recordings", "call.wav"), Buffer.alloc(400_000, "RIFF and so on"));
    const { bytes } = await taken(config, dataDir);
    const client = await emptyDatabase();
    const into = newFolder();
    for (const [n, part] of [0.2, 0.6, 0.95].entries()) {
      const at = Math.floor(part * bytes.length);
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      for (const wrong of ofThisRun([bytes.subarray(0, at), changed], n)) {
        await expect(restored(wrong, { client, dataDir: into })).rejects.toThrow(
          /^The backup is (cut off|damaged)/,
        );
        await isUntouched(client, into);
      }
    }
    await restored(bytes, { client, dataDir: into });
    expect(readdirSync(into, { recursive: true })).toEqual([
      "recordings",
      path.join("recordings", "call.wav"),
    ]);
  });

  test("because the database stops in the middle of it", async () => {
    await source.query(
      "insert into events (sub_organization_id, timestamp, description) select 1, now(), md5(n::text) from generate_series(1, 50000) n",
    );
    const { bytes } = await taken();
    await source.query("truncate events");
    const client = await emptyDatabase();
    const { rows } = await client.query<{ pid: number; name: string }>(
      "select pg_backend_pid() as pid, current_database() as name",
    );
    const [{ pid, name }] = rows as [{ pid: number; name: string }];
    async function* stopping() {
      for (let at = 0; at < bytes.length; at += 100_000) {
        if (at > bytes.length / 2) await source.query("select pg_terminate_backend($1)", [pid]);
        yield bytes.subarray(at, at + 100_000);
      }
    }
    const dataDir = newFolder();
    const [archive, shelf] = [await readArchive(stopping()), await openShelf(dataDir)];
    const error = await load({ client, vault, shelf, pause: true }, archive, quiet).catch((cause) => cause);
    expect(isConnectionLost(error)).toBe(true);
    const { admin } = inject("testServer");
    await isUntouched(await connected(inDatabase(admin, name)), dataDir);
  });

  test("because it is of a newer version", async () => {
    const newer = await createTestDatabase();
    afterFile(newer.drop);
    const source = await connected(newer.config);
    await source.query("insert into schema_migrations values (9999, 'later', false, 'abc')");
    await expect(taken(newer.config)).rejects.toThrow(
      "The database has migration 9999 (later), which this version of Parley does not have. Back it up with the version that runs on it.",
    );
    const { bytes } = await taken();
    const archive = await readArchive(pieces(bytes));
    archive.header.migrations.push({ version: 9999, name: "later", checksum: "abc", breaking: false });
    archive.header.parley = "9.0.0";
    const client = await emptyDatabase();
    const dataDir = newFolder();
    const shelf = await openShelf(dataDir);
    await expect(load({ client, vault, shelf, pause: true }, archive, quiet)).rejects.toThrow(
      "The backup was made by a newer Parley (9.0.0): it has migration 9999 (later), which this version does not. Restore it with that version.",
    );
    await isUntouched(client, dataDir);
  });

  test("because there is something already, which stays as it is", async () => {
    const { bytes } = await taken();
    const before = await contents(source);
    await expect(requireEmpty(source, "The database")).rejects.toThrow(
      "The database is not empty. It holds a Parley already, and a restore never writes over anything.",
    );
    await source.query("create schema first");
    const along = await connected({ ...config, options: "-c search_path=first,public" });
    await expect(requireEmpty(along, "The database")).rejects.toThrow("It holds a Parley already");
    await source.query("drop schema first");
    const other = await emptyDatabase();
    await other.query("create table invoices (id int)");
    await expect(requireEmpty(other, "The database")).rejects.toThrow("It has the table invoices");
    const dataDir = newFolder();
    mkdirSync(path.join(dataDir, "mail"));
    writeFileSync(path.join(dataDir, "mail", "letter.pdf"), "a letter");
    await expect(restored(bytes, { dataDir })).rejects.toThrow(
      /mail is not empty\. Restore into a new data directory/,
    );
    expect(readFileSync(path.join(dataDir, "mail", "letter.pdf"), "utf8")).toBe("a letter");
    expect(await contents(source)).toEqual(before);
  });
});
