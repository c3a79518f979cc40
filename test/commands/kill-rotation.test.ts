import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { keyForTexts, keyInUse } from "../../src/data-keys/data-keys.ts";
import { sealBytes } from "../../src/data-keys/sealed-file.ts";
import { createTestApp } from "../harness/app.ts";
import { insertSession } from "../harness/rows.ts";
import { soundBytes } from "../harness/sound-bytes.ts";
import { newFolder, parley } from "./program.ts";

const RECORDINGS = 300;
const SECRET_KEY = "a secret key for tests, long enough";
const contentOf = (n: number) => Buffer.alloc(100_000, `recording ${n} `);

test("kill -9 in the middle of rotate-keys loses no recording, and the next run goes on to its end", async () => {
  const app = await createTestApp();
  await keyForTexts(app, app.admin.sub_organization_id);
  const folder = path.join(app.config.data_dir, "recordings");
  mkdirSync(folder, { recursive: true });
  const session_id = await insertSession(app, {});
  const key = await keyInUse(app, app.admin.sub_organization_id);
  for (let n = 0; n < RECORDINGS; n++)
    writeFileSync(path.join(folder, `${n}.wav`), sealBytes(key, contentOf(n)));
  const row = { session_id, content_type: "audio/wav", created_at: app.clock.now().toISOString() };
  await app.db
    .insertInto("recordings")
    .values(
      Array.from({ length: RECORDINGS }, (_, n) => ({ ...row, file_name: `${n}.wav`, size_bytes: 100_000 })),
    )
    .execute();

  const { host, user, port, database } = app.database.pool.options;
  const env = {
    DATABASE_URL: `postgres://${user}@localhost/${database}?host=${host}&port=${port}`,
    DATA_DIR: app.config.data_dir,
    SECRET_KEY,
  };
  const run = (...args: string[]) => parley(["rotate-keys", ...args], { folder: newFolder(), env });
  const headOf = (n: number) => Number(readFileSync(path.join(folder, `${n}.wav`)).readBigInt64BE(8));
  const done = () =>
    Array.from({ length: RECORDINGS }, (_, n) => headOf(n)).filter((id) => id !== key.id).length;
  const whole = async () => {
    for (let n = 0; n < RECORDINGS; n++)
      expect((await soundBytes(app, path.join(folder, `${n}.wav`))).equals(contentOf(n))).toBe(true);
  };

  const first = run();
  while (done() === 0 && first.child.exitCode === null) await sleep(5);
  first.child.kill("SIGKILL");
  await first.ended;
  const before = done();
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(RECORDINGS);
  await whole();

  // PostgreSQL gives the dead one's lock back when it sees that it is gone.
  let next = await run("--resume").ended;
  while (next.code === 1) next = await run("--resume").ended;
  expect(next.code).toBe(0);
  expect(done()).toBe(RECORDINGS);
  expect(readdirSync(folder)).toHaveLength(RECORDINGS);
  await whole();
});
