import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bareEnvironment, MAIN } from "../harness/start-program.ts";
import { newFolder } from "./program.ts";

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
`;

test.runIf(mayMount)(
  "a full disk is named by the start of the database and by the doctor, and once there is room it starts",
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
    const [before, full, doctor, room] = said.split(/^(?:full|doctor|room)\n/m);
    const sentence = `The disk of ${data} is full: it has 0 MB left, and Parley needs at least 64 MB. Free up some space.`;
    expect(before).toBe("The database is up to date.\ncode 0\n");
    expect(full).toContain(`parley: ${sentence} The database in ${data}/postgres does not start.`);
    expect(full).toMatch(/code 1\n$/);
    expect(doctor).toContain(`PROBLEM  data           ${sentence}\n`);
    expect(room).toBe("The database is up to date.\ncode 0\n");
  },
);
