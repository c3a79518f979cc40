import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { databaseUser } from "../../src/db/postgres-folder.ts";
import { newDataDir, query, start } from "./programs.ts";

const isRoot = process.geteuid?.() === 0;

describe("the data directory", () => {
  test.skipIf(!isRoot)("may lie below a folder that only root may enter", async () => {
    const dataDir = newDataDir("for-root-only");
    mkdirSync(path.dirname(dataDir), { recursive: true });
    chmodSync(path.dirname(dataDir), 0o700);
    const database = await start(dataDir, { fsync: "off" });
    expect(statSync(dataDir).uid).not.toBe(0);
    expect(statSync(`/proc/${database.pid()}`).uid).toBe(statSync(dataDir).uid);
  });

  test("may have a path longer than the 107 bytes of a socket's address", async () => {
    const dataDir = newDataDir("a-folder-with-a-rather-long-name".repeat(4));
    expect(await query(await start(dataDir, { fsync: "off" }), "select 1 as one")).toEqual([{ one: 1 }]);
  });

  // As after a power cut, where pids begin anew: both files that PostgreSQL leaves name a process that is there again.
  describe("that names another program's process as its server's still starts", () => {
    const killedWith = async (pid: number | undefined, dataDir: string) => {
      await (await start(dataDir, { fsync: "off" })).stop();
      const left = `${pid}\n/proc/self/fd/3\n0\n5432\n.\n`;
      writeFileSync(path.join(dataDir, "postmaster.pid"), `${left}\n0 0\nready\n`);
      writeFileSync(path.join(dataDir, ".s.PGSQL.5432.lock"), left);
    };

    test("of any kind", async () => {
      const dataDir = newDataDir();
      const user = await databaseUser(dataDir);
      const other = spawn("sleep", ["60"], {
        stdio: "ignore",
        ...(user && { uid: user.uid, gid: user.gid }),
      });
      onTestFinished(() => void other.kill());
      await killedWith(other.pid, dataDir);
      expect((await start(dataDir, { fsync: "off" })).pid()).not.toBe(other.pid);
    });

    test.runIf(process.platform === "linux")("be it the PostgreSQL of another folder", async () => {
      const other = await start(newDataDir(), { fsync: "off" });
      const dataDir = newDataDir();
      await killedWith(other.pid(), dataDir);
      expect((await start(dataDir, { fsync: "off" })).pid()).not.toBe(other.pid());
      expect(await query(other, "select 1 as one")).toEqual([{ one: 1 }]);
    });
  });

  test.each([
    ["empty", ""],
    ["full of zeros", "\0".repeat(90)],
  ])(
    "whose server's files are %s, as a power cut right after a start leaves them, still starts",
    async (_, left) => {
      const dataDir = newDataDir();
      await (await start(dataDir, { fsync: "off" })).stop();
      for (const file of ["postmaster.pid", ".s.PGSQL.5432.lock"])
        writeFileSync(path.join(dataDir, file), left);
      expect(await query(await start(dataDir, { fsync: "off" }), "select 1 as one")).toEqual([{ one: 1 }]);
    },
  );

  test("of another major version, or with other things in it, is refused with the way out", async () => {
    const dataDir = newDataDir();
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(path.join(dataDir, "holiday.jpg"), "");
    await expect(start(dataDir)).rejects.toThrow(/is not empty and holds no database. Set DATA_DIR/);
    writeFileSync(path.join(dataDir, "PG_VERSION"), "15\n");
    await expect(start(dataDir)).rejects.toThrow(
      /was made by PostgreSQL 15, this Parley brings PostgreSQL 18/,
    );
  });
});
