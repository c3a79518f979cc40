import pg from "pg";
import { expect, inject, test } from "vitest";
import { createTestDatabase } from "../harness/database.ts";
import { newFolder, parley, send } from "./program.ts";

/** Nothing else of this test differs by as much. */
const AHEAD_MS = 3 * 3_600_000;

test("a program goes by the clock of its PostgreSQL, where that differs from its machine's", async () => {
  const { admin } = inject("testServer");
  const { name, config, drop } = await createTestDatabase();
  try {
    const client = new pg.Client(config);
    await client.connect();
    await client.query(`create function public.clock_timestamp() returns timestamptz language sql as
      $$ select pg_catalog.clock_timestamp() + interval '${AHEAD_MS} ms' $$`);
    await client.end();
    const url = new URL(admin.connectionString ?? `postgres://${admin.user}@localhost/?host=${admin.host}`);
    url.pathname = `/${name}`;
    url.searchParams.set("options", "-c search_path=public,pg_catalog");
    const env = {
      DATABASE_URL: url.href.replaceAll("+", "%20"),
      SECRET_KEY: "one key of this cluster, as long as it is",
    };
    const program = parley(["start"], { folder: newFolder(), env });
    const greeting = await program.ready();

    const begun = Date.now();
    const { body } = await send("POST", `${greeting.url}/chat/v1/sessions`, { client_id: "demo-clinic" });
    const { body: chat } = await send(
      "GET",
      `${greeting.url}/chat/v1/sessions/${body.session_id}?token=${body.token}`,
    );
    const said = new Date(chat.messages[0].timestamp).getTime();
    expect(said - begun).toBeGreaterThan(AHEAD_MS / 2);
    expect(program.stderr()).toContain("this machine's clock differs from the database's");
  } finally {
    await drop();
  }
});
