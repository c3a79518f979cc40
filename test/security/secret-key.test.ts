import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { linkEntriesJob } from "../../src/accounts/audit/link-entries.ts";
import { verifyTrail } from "../../src/accounts/audit/verify-trail.ts";
import { createVault, LASTING_PURPOSES, type Vault } from "../../src/base/crypto.ts";
import { presentKey, vaultWith } from "../../src/commands/secret-key.ts";
import { readSigningKeys, resealSecrets } from "../../src/data-keys/reseal.ts";
import { openDatabase } from "../../src/db/database.ts";
import { isKeyOfInstallation } from "../../src/db/installation.ts";
import { earlierHashes, hashOfAddress } from "../../src/erasure/person-address.ts";
import { replyAddress, sessionOfAddress } from "../../src/mime/mail-token.ts";
import { afterFile } from "../harness/after-file.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { inDatabase, runAsAdmin } from "../harness/postgres.ts";

/** The key of the test's app, and the one that takes its place. */
const OLD = "a secret key for tests, long enough";
const NEW = "the next secret key, which is long enough too";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await isKeyOfInstallation(app.database.pool, app.vault, app.clock);
  for (let n = 0; n < 3; n++)
    expect(
      await app.send("POST", "/api/v1/services/", {
        name: `Billing ${n}`,
        description: "",
        auth_type: "bearer",
        auth_values: { token: `very secret ${n}` },
        allowed_hosts: ["api.example.com"],
      }),
    ).toMatchObject({ status: 200 });
  await runLink(app.vault);
});

const runLink = (vault: Vault) =>
  linkEntriesJob({ db: app.db, clock: app.clock, vault }).run({}, {
    stopping: new AbortController().signal,
  } as never);

/** Every sealed value of the database, by the key that it names. */
async function sealedValues(): Promise<string[]> {
  const { rows: columns } = await app.database.pool.query<{ name: string; column: string }>(
    `select format('%I', table_name) as name, format('%I', column_name) as column from information_schema.columns
     where table_schema = 'public' and data_type = 'text'`,
  );
  const found: string[] = [];
  for (const { name, column } of columns) {
    const { rows } = await app.database.pool.query<{ value: string }>(
      `select ${column} as value from ${name} where ${column} ~ '^v1\\.[A-Za-z0-9_-]{16}\\.[A-Za-z0-9_-]{22}\\.'`,
    );
    found.push(...rows.map(({ value }) => value));
  }
  return found;
}

const opens = (vault: Vault, value: string): boolean => {
  try {
    vault.open(value);
    return true;
  } catch {
    return false;
  }
};

test("a rotation that dies after each of its batches leaves every secret readable, and the next run ends it", async () => {
  const vault = createVault(NEW, [OLD]);
  const before = await sealedValues();
  expect(before.length).toBeGreaterThan(3);
  for (let death = 1; ; death++) {
    let batches = 0;
    const died = await resealSecrets({ db: app.db, clock: app.clock, vault }, {}, () => {
      if (++batches === death) throw new Error("the process died here");
    }).then(
      () => false,
      () => true,
    );
    // Processes with both keys, in either order, read everything at any moment.
    const values = await sealedValues();
    // Beside them lie the keys of what was signed for good.
    expect(values).toHaveLength(before.length + LASTING_PURPOSES.length);
    for (const value of values)
      expect([opens(vault, value), opens(createVault(OLD, [NEW]), value)]).toEqual([true, true]);
    if (!died) break;
  }
  const after = await sealedValues();
  const alone = createVault(NEW);
  expect(after.every((value) => opens(alone, value))).toBe(true);
  expect(after.some((value) => opens(createVault(OLD), value))).toBe(false);
  expect(await isKeyOfInstallation(app.database.pool, alone, app.clock)).toBe(true);
  expect(await isKeyOfInstallation(app.database.pool, createVault(OLD), app.clock)).toBe(false);
  // Nothing is left to do.
  expect(await resealSecrets({ db: app.db, clock: app.clock, vault })).toEqual({ resealed: 0, unopened: [] });
});

test("the audit trail and addresses of earlier mails are recognized once the earlier key is forgotten", async () => {
  const tenant = app.admin.sub_organization_id;
  const alone = createVault(NEW);
  const address = replyAddress(createVault(OLD), 7, "mail.example.com");
  expect((await verifyTrail(app.db, alone, tenant)).faults.length).toBeGreaterThan(0);
  expect(sessionOfAddress(alone, address)).toBeNull();
  await readSigningKeys({ db: app.db, vault: alone });
  await app.send("POST", "/api/v1/services/", { name: "Later", description: "" });
  app.clock.advance(3_700_000);
  await runLink(alone);
  const { faults, intact } = await verifyTrail(app.db, alone, tenant);
  expect([faults, intact > 3]).toEqual([[], true]);
  expect(sessionOfAddress(alone, address)).toBe(7);
  await sql`update audit_entries set actor = 'somebody else' where id = (select min(id) from audit_entries)`.execute(
    app.db,
  );
  expect((await verifyTrail(app.db, alone, tenant)).faults).toMatchObject([{ fault: "changed" }]);
});

test("an erasure from before is proven to be of an address once the earlier key is forgotten", async () => {
  const [tenant, address] = [app.admin.sub_organization_id, "+15125550142"];
  const erased = hashOfAddress(createVault(OLD), tenant, [address]);
  const alone = createVault(NEW);
  expect(earlierHashes(alone, tenant, [address])).toEqual([]);
  await readSigningKeys({ db: app.db, vault: alone });
  expect(earlierHashes(alone, tenant, [address])).toEqual([erased]);
  expect(hashOfAddress(alone, tenant, [address])).not.toBe(erased);

  for (const key of createVault(OLD, [NEW]).earlierSigningKeys(["erasure"])) app.vault.acceptSignatures(key);
  expect((await app.send("POST", "/api/v1/erasures/preview", { address })).body).toMatchObject({
    address_hash: erased,
    earlier_hashes: [hashOfAddress(alone, tenant, [address])],
  });
});

test("a value that no known key opens is left as it is, and told", async () => {
  const foreign = createVault("a key that nobody has any more, long ago").seal("lost");
  await app.database.pool.query("update services set sealed_auth_values = $1 where name = 'Billing 0'", [
    foreign,
  ]);
  const vault = createVault("yet another secret key, number three", [NEW]);
  const done = await resealSecrets({ db: app.db, clock: app.clock, vault });
  expect(done.unopened).toEqual([{ column: "services.sealed_auth_values", count: 1 }]);
  expect(done.resealed).toBeGreaterThan(2);
});

test("every secret is sealed anew in whichever schema the tables are", async () => {
  const { database, clock, vault: old } = await createTestApp();
  await isKeyOfInstallation(database.pool, old, clock);
  const { rows } = await database.pool.query("select current_database() as name");
  await database.pool.query("alter schema public rename to app");
  const { admin } = inject("testServer");
  await runAsAdmin(admin, `alter database ${rows[0].name} set search_path = app`);
  const moved = openDatabase({ ...admin, ...inDatabase(admin, rows[0].name) });
  onTestFinished(moved.close);
  const { resealed } = await resealSecrets({ db: moved.db, clock, vault: createVault(NEW, [OLD]) });
  expect(resealed).toBeGreaterThan(0);
  expect(await isKeyOfInstallation(moved.pool, createVault(NEW), clock)).toBe(true);
});

test("the key comes from a file or a program too, which runs without a shell; earlier ones from secret.key.old", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-key-"));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "the key");
  writeFileSync(file, `${NEW}\n`);
  const given = { secret_key: null, secret_keys_old: [], secret_key_file: null, secret_key_command: null };
  expect(await presentKey(folder, given)).toBeNull();
  expect(await presentKey(folder, { ...given, secret_key_file: file })).toBe(NEW);
  const program = (code: string) => ({ ...given, secret_key_command: `${process.execPath} -p ${code}` });
  expect(await presentKey(folder, program('"k".repeat(40)'))).toBe("k".repeat(40));
  await expect(presentKey(folder, program("1+1;echo$(id)"))).rejects.toThrow(/SECRET_KEY_COMMAND/);
  await expect(presentKey(folder, program("7"))).rejects.toThrow("a key of 1 characters");
  await expect(presentKey(folder, { ...given, secret_key_file: `${file}.none` })).rejects.toThrow("ENOENT");
  writeFileSync(path.join(folder, "secret.key.old"), `${OLD}\n`);
  const vault = await vaultWith(NEW, folder, given);
  expect(vault.open(createVault(OLD).seal("kept"))).toBe("kept");
});
