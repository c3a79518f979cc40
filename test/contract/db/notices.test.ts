import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { createNotices } from "../../../src/db/notices.ts";
import { createTestApp } from "../../harness/app.ts";

test("the connection for notices is asked one thing after the other, however many listen at once", async () => {
  const { pool } = (await createTestApp()).database;
  const { query } = pg.Client.prototype;
  let [asking, most] = [0, 0];
  const watched = vi.spyOn(pg.Client.prototype, "query").mockImplementation(async function (
    this: pg.Client,
    ...given: unknown[]
  ) {
    if (!/^listen "at_once_/.test(String(given[0]))) return query.apply(this, given as never);
    most = Math.max(most, ++asking);
    try {
      return await query.apply(this, given as never);
    } finally {
      asking--;
    }
  });
  onTestFinished(() => watched.mockRestore());
  const notices = createNotices(pool.options);
  onTestFinished(() => notices.close());
  const listens = [1, 2, 3, 4].map(
    (n) => new Promise<void>((missed) => notices.listen(`at_once_${n}`, { heard() {}, missed })),
  );
  await Promise.all(listens);
  expect(most).toBe(1);
  const heard = Promise.all(
    [1, 4].map((n) => new Promise<string>((heard) => notices.listen(`at_once_${n}`, { heard, missed() {} }))),
  );
  for (const n of [1, 4]) await pool.query("select pg_notify($1, $2)", [`at_once_${n}`, `to ${n}`]);
  expect(await heard).toEqual(["to 1", "to 4"]);
});
