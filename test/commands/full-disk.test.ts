import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { bareEnvironment, MAIN } from "../harness/start-program.ts";
import { newFolder, parley, postgresOf, send, until } from "./program.ts";

/** A disk that only the programs of this test see, and that is gone with them: root alone may make one. */
const UNSHARE = "unshare";
const WAY = ["--mount", "--propagation", "private"];
const mayMount = spawnSync(UNSHARE, [...WAY, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

const STORY = `
  parley() { "$NODE" "$MAIN" "$@" 2>&1; echo "code $?"; }
  mount -t tmpfs -o size=300m tmpfs "$DATA_DIR"
  parley migrate
  dd if=/dev/zero of="$DATA_DIR/filler" bs=4k 2>/dev/null
  echo full; parley migrate
  echo doctor; parley doctor
  rm "$DATA_DIR/filler"
  echo room; parley migrate
  until mount -o remount,ro "$DATA_DIR" 2>/dev/null; do sleep 0.1; done
  echo shut; parley migrate; parley doctor
`;

test.runIf(mayMount)(
  "a full disk, and one for reading only, is named by the start of the database and by the doctor, and once there is room it starts",
  async () => {
    const folder = newFolder();
    const data = path.join(folder, "disk");
    mkdirSync(data);
    const shell = spawn(UNSHARE, [...WAY, "sh", "-c", STORY], {
      cwd: folder,
      env: bareEnvironment({ DATA_DIR: data, MAIN, NODE: process.execPath }) as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    shell.stdout.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
    await once(shell, "close");
    const [before, full, doctor, room, shut] = said.split(/^(?:full|doctor|room|shut)\n/m);
    const sentence = `The disk of ${data} is full: it has 0 MB left, and Parley needs at least 64 MB. Free up some space.`;
    expect(before).toBe("The database is up to date.\ncode 0\n");
    expect(full).toContain(`parley: ${sentence} The database in ${data}/postgres does not start.`);
    expect(full).toMatch(/code 1\n$/);
    expect(doctor).toContain(`PROBLEM  data           ${sentence}\n`);
    expect(room).toBe("The database is up to date.\ncode 0\n");
    const readOnly = `The disk of ${data} is mounted for reading only. Mount it for writing, or set DATA_DIR to another folder.`;
    expect(shut).toContain(`parley: ${readOnly}\ncode 1\n`);
    expect(shut).toContain(`PROBLEM  data           ${readOnly}\n`);
  },
);

/** A first start on each of these disks: from one that holds no cluster to one that holds all but the last tables. */
const SMALL_DISKS = `
  for size in 24 38 40 42 56; do
    mount -t tmpfs -o size="$size"m tmpfs "$DATA_DIR"
    "$NODE" "$MAIN" migrate 2>&1; echo "code $?"
    until umount "$DATA_DIR" 2>/dev/null; do sleep 0.1; done
  done
`;

test.runIf(mayMount)(
  "a first start whose disk fills on the way is one line that names the disk, wherever it got to",
  async () => {
    const folder = newFolder();
    const data = path.join(folder, "disk");
    mkdirSync(data);
    const shell = spawn(UNSHARE, [...WAY, "sh", "-c", SMALL_DISKS], {
      cwd: folder,
      env: bareEnvironment({ DATA_DIR: data, MAIN, NODE: process.execPath }) as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    shell.stdout.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
    await once(shell, "close");
    const starts = said.split(/^code 1\n/m);
    expect(starts.pop()).toBe("");
    expect(starts).toHaveLength(5);
    for (const start of starts) {
      // Where the server ended at once, a line of the log says so first.
      expect(start.replace(/^(\{"level":.*\n)+/, "")).toMatch(
        /^parley: The disk of \S+ is full: it has \d+ MB left, and Parley needs at least 64 MB\./,
      );
      expect(start).not.toContain("    at ");
    }
  },
);

/** Fills the database's own log, which it keeps in files of 16 MB, with what nobody reads. */
const FILL_LOG = `
  import pg from "pg";
  const client = new pg.Client({ host: process.env.SOCKET, user: "parley", database: "parley" });
  client.on("error", () => {});
  await client.connect();
  for (let n = 0; n < 10; n++)
    await client.query("select pg_logical_emit_message(true, '', repeat('x', 8000000))").catch(() => process.exit());
`;

test.runIf(mayMount)(
  "a program whose database finds no room for its log says so, and goes on by itself once there is room",
  async () => {
    const folder = newFolder();
    const data = path.join(folder, "data");
    mkdirSync(data);
    const disk = `mount -t tmpfs -o size=300m tmpfs "${data}"; exec "$@"`;
    const program = parley(["start"], { folder, through: [UNSHARE, ...WAY, "sh", "-c", disk, "sh"] });
    const { url, token = "" } = await program.ready();
    const onItsDisk = (command: string) => {
      const places = { SOCKET: postgresOf(folder), NODE: process.execPath, ROOT: process.cwd() };
      const env = { ...process.env, ...places, FILL_LOG };
      const target = String(program.child.pid);
      return spawnSync("nsenter", ["--mount", "--target", target, "sh", "-c", command], { env });
    };

    onItsDisk(`dd if=/dev/zero of="${data}/filler" bs=4k; truncate --size=-1M "${data}/filler"`);
    onItsDisk(`cd "$ROOT" && "$NODE" --input-type=module --eval "$FILL_LOG"`);
    await until(() => program.stderr().includes("The database starts again once there is room."));
    expect(program.stderr()).toContain(`The disk of ${data} is full: it has`);
    const refused = await send("GET", `${url}/readyz`);
    expect(refused).toMatchObject({
      status: 503,
      body: { detail: "The disk of the data directory is full." },
    });

    onItsDisk(`rm "${data}/filler"`);
    while ((await send("GET", `${url}/readyz`)).status !== 200) await sleep(100);
    const kept = await send("GET", `${url}/api/v1/agents/`, undefined, { "service-api-key": token });
    expect(kept.status).toBe(200);
    expect(await program.end("SIGTERM")).toEqual({ code: 0, signal: null });
  },
);
