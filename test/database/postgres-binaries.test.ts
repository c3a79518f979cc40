import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runnablePlace, type Shipped, shippedPostgres } from "../../src/db/postgres-binaries.ts";
import { databaseUser } from "../../src/db/postgres-folder.ts";

const isRoot = process.geteuid?.() === 0;
const base = mkdtempSync(path.join(tmpdir(), "parley-binaries-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
chmodSync(base, 0o755);

/** A second node_modules, without the links that an install script makes. */
async function shippedInto(folder: string): Promise<Shipped> {
  const shipped = await shippedPostgres();
  const native = path.join(base, folder, "native");
  cpSync(shipped.native, native, { recursive: true, verbatimSymlinks: true });
  for (const { target } of shipped.links) rmSync(path.join(path.dirname(native), target), { force: true });
  return { ...shipped, native };
}

const version = (native: string, user: Awaited<ReturnType<typeof databaseUser>>) =>
  execFileSync(path.join(native, "bin/postgres"), ["--version"], {
    encoding: "utf8",
    cwd: "/",
    ...(user && { uid: user.uid, gid: user.gid }),
  });

describe("the PostgreSQL that npm brought", () => {
  test("runs from where it lies, also when install scripts are switched off", async () => {
    const shipped = await shippedInto("plain");
    const user = await databaseUser(base);
    const native = await runnablePlace(shipped, user, path.join(base, "unused"));
    expect(native).toBe(shipped.native);
    expect(version(native, user)).toContain("PostgreSQL) 18");
  });

  test.skipIf(!isRoot)("runs from a copy when it lies where only root may enter", async () => {
    const shipped = await shippedInto("root-only");
    chmodSync(path.dirname(shipped.native), 0o700);
    const user = await databaseUser(base);
    const cache = path.join(base, "cache");
    const [native, sameCopy] = await Promise.all([
      runnablePlace(shipped, user, cache),
      runnablePlace(shipped, user, cache),
    ]);
    expect(sameCopy).toBe(native);
    expect(version(native, user)).toContain("PostgreSQL) 18");
    expect(readdirSync(cache)).toEqual([path.basename(native)]);

    const before = statSync(native).ino;
    expect(await runnablePlace(shipped, user, cache)).toBe(native);
    expect(statSync(native).ino).toBe(before);

    truncateSync(path.join(native, "bin/postgres"));
    await runnablePlace(shipped, user, cache);
    expect(version(native, user)).toContain("PostgreSQL) 18");
  });
});
