import { randomUUID } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import pg from "pg";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createVault } from "../../src/base/crypto.ts";
import { joinRunningPostgres } from "../../src/db/running-postgres.ts";
import { createTestDatabase } from "../harness/database.ts";
import { inDatabase, runAsAdmin } from "../harness/postgres.ts";
import { firstStart, newFolder, parley, postgresOf, send, until, usedFolder } from "./program.ts";
import { typedHere } from "./typed-here.ts";

// Not in the time of whichever test asks first.
beforeAll(() => firstStart());

const keyOf = (folder: string) => path.join(folder, "data", "secret.key");

/** A new machine: a folder whose data directory has the key, as the operator puts it there. */
function newMachine(from: string): string {
  const folder = newFolder();
  mkdirSync(path.join(folder, "data"), { mode: 0o700 });
  cpSync(keyOf(from), keyOf(folder));
  return folder;
}

async function rowsIn<Row extends pg.QueryResultRow>(folder: string, statement: string): Promise<Row[]> {
  const running = await joinRunningPostgres(postgresOf(folder));
  if (!running) throw new Error("no database runs there");
  const client = new pg.Client(running.connection);
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
    running.leave();
  }
}

type Chat = { session_id: string; token: string };

const openChat = async (url: string): Promise<Chat> =>
  (await send("POST", `${url}/chat/v1/sessions`, { client_id: "demo-clinic" })).body;

const say = (url: string, { session_id, token }: Chat, id: string) =>
  send("POST", `${url}/chat/v1/sessions/${session_id}/messages?token=${token}`, {
    text: "When are you open?",
    id,
  });

const heard = async (url: string, { session_id, token }: Chat): Promise<(string | null)[]> => {
  const { body } = await send("GET", `${url}/chat/v1/sessions/${session_id}?token=${token}`);
  return body.messages.map((said: { id: string | null }) => said.id).filter(Boolean);
};

const ANSWER = [{ type: "message", text: expect.stringContaining("Monday to Friday") }];

test("what a killed backup left behind is taken away by one of that name, once nobody can be writing to it", async () => {
  const { folder } = await usedFolder();
  const left = (name: string, hours: number): string => {
    const file = `${name}.${randomUUID()}.part`;
    writeFileSync(path.join(folder, file), "cut off");
    const at = Date.now() / 1000 - hours * 3600;
    utimesSync(path.join(folder, file), at, at);
    return file;
  };
  left("nightly.backup", 25);
  const kept = [left("nightly.backup", 23), left("weekly.backup", 25), left("nightly.backup.of-mine", 25)];
  expect(await typedHere(["backup", "nightly.backup"], { folder })).toMatchObject({ code: 0 });
  expect(
    readdirSync(folder)
      .filter((name) => name.endsWith(".part"))
      .sort(),
  ).toEqual(kept.sort());
});

test("a program that talks with people is backed up, and goes on in a new folder where it was then", async () => {
  const { folder, greeting } = await usedFolder();
  const auth = { "service-api-key": greeting.token ?? "" };
  const program = parley(["start"], { folder });
  const { url } = await program.ready();
  const service = {
    name: "Records",
    description: "",
    auth_type: "bearer",
    auth_values: { token: "s3cret of ours" },
  };
  expect((await send("POST", `${url}/api/v1/services`, service, auth)).status).toBeLessThan(300);
  const recording = path.join(folder, "data", "recordings", "1", "call.wav");
  mkdirSync(path.dirname(recording), { recursive: true });
  writeFileSync(recording, "RIFF");
  const before = await openChat(url);
  await say(url, before, "before");

  // Two people go on talking while the backup is written: by turns, so that what they cost leaves it a processor.
  let isWritten = false;
  let acknowledged = 0;
  const chats = [await openChat(url), await openChat(url)] as const;
  const talk = async () => {
    for (let turn = 0; !isWritten; turn++) {
      const { status } = await say(url, chats[turn % 2] as Chat, `during ${acknowledged}`);
      if (status === 200) acknowledged++;
    }
  };
  const talking = talk();
  await until(() => acknowledged > 2);
  const { code, stdout, stderr } = await typedHere(["backup", "nightly.backup"], { folder });
  isWritten = true;
  await talking;
  expect(stderr).toBe("");
  expect(stdout).toMatch(
    /^Backed up to nightly\.backup\n {2}as of {5}20\S+ \S+ UTC\n {2}database {2}\d+ tables, [\d,]+ rows \(.+ …\)\n {2}files {5}1 file\n {2}size {6}[\d.]+ kB, compressed from [\d.]+ [kM]B\n {2}took {6}[\d.]+ s\nThe secret key is not in it\. A restore needs it: keep a copy of data\/secret\.key in another place\.\n$/,
  );
  expect(code).toBe(0);
  const archive = path.join(folder, "nightly.backup");
  expect(statSync(archive).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
  expect(await program.end("SIGTERM")).toEqual({ code: 0, signal: null });

  const machine = newMachine(folder);
  const restored = await typedHere(["restore", archive, "--json"], { folder: machine });
  expect(restored).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(restored.stdout)).toMatchObject({ parley: "0.1.0", files: 1, left_out: [], migrated: 0 });
  expect(readFileSync(path.join(machine, "data", "recordings", "1", "call.wav"), "utf8")).toBe("RIFF");
  expect(await typedHere(["restore", archive], { folder: machine })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("is not empty"),
  });

  const second = parley(["start"], { folder: machine });
  const { url: there } = await second.ready();
  // The token and the chats of then are good, and what was said before the backup is there in order.
  expect((await send("GET", `${there}/api/v1/agents`, undefined, auth)).status).toBe(200);
  expect(await heard(there, before)).toEqual(["before"]);
  const known = await heard(there, chats[0]);
  const numbers = known.map((id) => Number(id?.split(" ")[1]));
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect((await say(there, before, "after")).body.events).toMatchObject(ANSWER);
  const vault = createVault(readFileSync(keyOf(machine), "utf8").trim());
  const [sealed] = await rowsIn<{ sealed: string }>(
    machine,
    "select sealed_auth_values as sealed from services where name = 'Records'",
  );
  expect(vault.open(sealed?.sealed ?? "")).toContain("s3cret of ours");
  expect(readFileSync(archive).includes("s3cret of ours")).toBe(false);
});

test("from a PostgreSQL of one's own to another", async () => {
  const { admin } = inject("testServer");
  const first = await createTestDatabase();
  const second = `${first.name}_restored`;
  await runAsAdmin(admin, `create database ${second}`);
  const urlOf = (database: string) =>
    admin.connectionString
      ? (inDatabase(admin, database).connectionString ?? "")
      : `postgres://${admin.user}@localhost/${database}?host=${admin.host}`;
  const env = { SECRET_KEY: "a key of forty characters, as long as it is" };
  const folder = newFolder();
  const typed = (args: string[], database: string) =>
    typedHere(args, { folder, env: { ...env, DATABASE_URL: urlOf(database) } });
  try {
    expect(await typed(["migrate"], first.name)).toMatchObject({ code: 0 });
    const backedUp = await typed(["backup", "own.backup", "--json", "--without-files"], first.name);
    expect(backedUp).toMatchObject({ code: 0, stderr: "" });
    const restored = await typed(["restore", "own.backup", "--json"], second);
    expect(restored).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(restored.stdout).rows).toBe(JSON.parse(backedUp.stdout).rows);
    expect(await typed(["restore", "own.backup"], second)).toMatchObject({
      code: 1,
      stderr:
        "parley: The database of DATABASE_URL is not empty. It holds a Parley already, and a restore never writes over anything.\n",
    });
    expect(await typed(["migrate"], second)).toMatchObject({ code: 0 });
    expect(existsSync(postgresOf(folder))).toBe(false);
  } finally {
    await first.drop();
    await runAsAdmin(admin, `drop database ${second} with (force)`);
  }
});

test("whose data directory is not the program's, or lacks its disk, says how many recordings are not in it", async () => {
  const { admin } = inject("testServer");
  const { config, name, drop } = await createTestDatabase();
  const client = new pg.Client(config);
  const DATABASE_URL = admin.connectionString
    ? (inDatabase(admin, name).connectionString ?? "")
    : `postgres://${admin.user}@localhost/${name}?host=${admin.host}`;
  const env = { DATABASE_URL, SECRET_KEY: "a key of forty characters, as long as it is" };
  const folder = newFolder();
  try {
    await client.connect();
    await client.query("alter table recordings drop constraint recordings_session_id_fkey");
    await client.query(
      `insert into recordings (session_id, file_name, content_type, created_at, stored_in)
       select 1, n || '.wav', 'audio/wav', now(), case n when 3 then 'bucket' else 'disk' end from generate_series(1, 3) n`,
    );
    await client.query("insert into installation (key_check, created_at) values ($1, now())", [
      createVault(env.SECRET_KEY).seal("key"),
    ]);
    await client.end();
    const backUp = (...args: string[]) =>
      typedHere(["backup", "own.backup", "--replace", "--json", ...args], { folder, env });
    const place = path.join(folder, "data", "recordings");
    const rest = "Back up with the DATA_DIR that the program runs with, and with its disk mounted.\n";
    expect(await backUp()).toMatchObject({
      code: 0,
      stderr: `parley: 2 recordings are not in this backup: their files are not in ${place}. ${rest}`,
    });
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, "1.wav"), "RIFF");
    expect(await backUp()).toMatchObject({
      code: 0,
      stderr: `parley: 1 recording is not in this backup: its file is not in ${place}. ${rest}`,
    });
    writeFileSync(path.join(place, "2.wav"), "RIFF");
    expect(await backUp()).toMatchObject({ code: 0, stderr: "" });
    rmSync(place, { recursive: true });
    expect(await backUp("--without-files")).toMatchObject({ code: 0, stderr: "" });
  } finally {
    await drop();
  }
});

describe("a backup or restore that can't be done says why, and leaves nothing", () => {
  test("where there is no Parley, or no key of it", async () => {
    const folder = newFolder();
    expect(await typedHere(["backup", "a.backup"], { folder })).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^parley: There is no secret key: neither SECRET_KEY nor .*secret\.key\./,
      ),
    });
    const env = { SECRET_KEY: "a key of forty characters, as long as it is" };
    expect(await typedHere(["backup", "a.backup"], { folder, env })).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^parley: There is no Parley in .*data\. Set DATA_DIR/),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a stopped program is backed up as well, but not over a file, nor with another key", async () => {
    const { folder } = await usedFolder();
    writeFileSync(path.join(folder, "a.backup"), "of yesterday");
    expect(await typedHere(["backup", "a.backup"], { folder })).toMatchObject({
      code: 1,
      stderr: "parley: a.backup exists already. Choose another name, or say --replace.\n",
    });
    const env = { SECRET_KEY: "a key of forty characters, as long as it is" };
    expect(await typedHere(["backup", "a.backup", "--replace"], { folder, env })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^parley: The secret key here is not the one of this database\./),
    });
    expect(readFileSync(path.join(folder, "a.backup"), "utf8")).toBe("of yesterday");
    expect(await typedHere(["backup", "a.backup", "--replace", "--json"], { folder })).toMatchObject({
      code: 0,
    });
    expect(readdirSync(folder).sort()).toEqual(["a.backup", "data"]);

    const archive = path.join(folder, "a.backup");
    const elsewhere = newFolder();
    expect(await typedHere(["restore", archive], { folder: elsewhere })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/sealed with a key that is not on this machine\. Copy the secret\.key/),
    });
    expect(await typedHere(["restore", archive], { folder: elsewhere, env })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^parley: SECRET_KEY is not the key that the backup's secrets are sealed with\./,
      ),
    });
    expect(readdirSync(elsewhere)).toEqual([]);

    // A mounted secret: the file of the data directory is not the one to keep.
    const mounted = path.join(newFolder(), "key");
    copyFileSync(path.join(folder, "data", "secret.key"), mounted);
    const byFile = { SECRET_KEY_FILE: mounted };
    expect(await typedHere(["backup", "a.backup", "--replace"], { folder, env: byFile })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`keep a copy of SECRET_KEY_FILE (${mounted}) in another place.`),
    });
    writeFileSync(mounted, env.SECRET_KEY);
    expect((await typedHere(["restore", archive], { folder: elsewhere, env: byFile })).stderr).toContain(
      `parley: SECRET_KEY_FILE (${mounted}) is not the key that`,
    );

    const machine = newMachine(folder);
    const whole = readFileSync(archive);
    writeFileSync(path.join(machine, "cut.backup"), whole.subarray(0, whole.length / 2));
    const cut = await typedHere(["restore", "cut.backup"], { folder: machine });
    expect(cut).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^parley: cut\.backup: The backup is cut off: it ends at .+\. Use another copy of it\.\nNothing was restored\.\n$/,
      ),
    });
    // A folder of something else: nothing is made there, also no database.
    writeFileSync(path.join(machine, "data", "invoices.ods"), "of the clinic");
    writeFileSync(path.join(machine, "data", "letters.odt"), "to the clinic");
    const before = readdirSync(path.join(machine, "data")).sort();
    const foreign = await typedHere(["restore", archive], { folder: machine });
    expect(foreign).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^parley: .*data is not empty: it holds invoices\.ods and 1 more\. Restore into a new data directory/,
      ),
    });
    expect(readdirSync(path.join(machine, "data")).sort()).toEqual(before);
    for (const name of ["invoices.ods", "letters.odt"]) rmSync(path.join(machine, "data", name));

    // The database that was made for it is empty, so the whole one goes in.
    expect(await typedHere(["restore", archive], { folder: machine })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^Restored the backup of 20.* made by Parley 0\.1\.0\n[\s\S]*\.\/parley start\.\n$/,
      ),
    });
  });

  test("no file named, a file that is not there, a folder, a text, an encrypted backup", async () => {
    const folder = newFolder();
    writeFileSync(path.join(folder, "notes.txt"), "Remember the milk");
    const restored = async (...args: string[]) => (await typedHere(["restore", ...args], { folder })).stderr;
    expect(await restored()).toMatch(/^parley: Name the file to read: \.\/parley restore parley\.backup\n/);
    expect(await restored("none.backup")).toBe("parley: There is no none.backup.\n");
    expect(await restored(folder)).toMatch(/is a folder, not a backup\.\n$/);
    expect(await restored("notes.txt")).toBe(
      "parley: notes.txt: This is not a backup of Parley.\nNothing was restored.\n",
    );
    writeFileSync(path.join(folder, "night.age"), "age-encryption.org/v1\n-> X25519");
    expect(await restored("night.age")).toMatch(
      /^parley: night\.age: .+ encrypted with age\. Decrypt it first: age -d/,
    );
    expect(existsSync(path.join(folder, "data"))).toBe(false);
  });
});
