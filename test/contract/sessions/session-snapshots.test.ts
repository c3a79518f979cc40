import { randomBytes } from "node:crypto";
import pg from "pg";
import { beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import type { Tx } from "../../../src/db/database.ts";
import { migrate, readMigrations } from "../../../src/db/migrate.ts";
import { deleteSessions } from "../../../src/erasure/delete-sessions.ts";
import { snapshotOf } from "../../../src/sessions/session-snapshot.ts";
import { startSession } from "../../../src/turns/start-session.ts";
import { afterFile } from "../../harness/after-file.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { inDatabase, runAsAdmin } from "../../harness/postgres.ts";

let app: TestApp;
let agent_id: number;
let sid = 0;
beforeAll(async () => {
  app = await createTestApp();
});
beforeEach(async () => {
  ({ agent_id } = await createAgent(app, { script: 'on "hi" -> say "Hello."' }));
});

const open = async (more: object = {}, onOpen?: (tx: Tx) => Promise<void>) => {
  const start = {
    sub_organization_id: app.admin.sub_organization_id,
    agent_id,
    channel: "chat" as const,
    service: "webchat",
    type: "webchat_v1",
    sid: `s${++sid}`,
    channel_target_id: null,
    source: null,
    target: null,
    is_test: false,
    is_outbound: false,
    verified: false,
    ...more,
  };
  return (await startSession(app.engine, start, onOpen)).session_id;
};

const remove = (ids: number[], after?: () => Promise<unknown>) =>
  app.db.transaction().execute(async (tx) => {
    await deleteSessions(tx, { tenant: app.admin.sub_organization_id, ids });
    await after?.();
  });

/** The contents that this agent's sessions were held with, in whatever order. */
async function stored() {
  const rows = await app.db.selectFrom("session_snapshots").select("content").execute();
  return rows.filter(({ content }) => (content as { agent: { id: number } }).agent.id === agent_id);
}

/** Something that a transaction waits for. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Resolves once a connection waits for a lock that another one holds. */
async function somebodyWaits() {
  for (;;) {
    const { rows } = await app.database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (rows.length > 0) return;
  }
}

describe("snapshots of sessions", () => {
  test("sessions with the same agent, prompt and tools share one; a change makes another for new sessions only", async () => {
    const first = await open();
    await open();
    expect(await stored()).toHaveLength(1);
    const agent = await app.send("GET", `/api/v1/agents/${agent_id}`);
    await app.db.updateTable("agents").set({ timezone: "Asia/Tokyo" }).where("id", "=", agent_id).execute();
    await open();
    expect(await stored()).toHaveLength(2);
    const { snapshot } = await app.db
      .selectFrom("sessions")
      .select(snapshotOf("sessions").as("snapshot"))
      .where("id", "=", first)
      .executeTakeFirstOrThrow();
    expect(snapshot.agent.timezone).toBe(agent.body.timezone);
  });

  test("one that a person's variables made goes with the session", async () => {
    const shared = await open();
    const own = await open({ variables: { "vars.note": "Ann {{ said }} so" } });
    expect(await stored()).toHaveLength(2);
    await remove([own]);
    expect(JSON.stringify(await stored())).not.toContain("Ann");
    expect(await stored()).toHaveLength(1);
    await remove([shared]);
    expect(await stored()).toEqual([]);
  });

  test("two processes that open the first sessions of an agent at once store one", async () => {
    const committing = gate();
    const holding = gate();
    const first = open({}, async () => {
      holding.open();
      await committing.opened;
    });
    await holding.opened;
    const second = open();
    await somebodyWaits();
    committing.open();
    await Promise.all([first, second]);
    expect(await stored()).toHaveLength(1);
  });

  test("it stays when a session is opened while the last one that had it is deleted", async () => {
    const last = await open();
    const committing = gate();
    const holding = gate();
    const opening = open({}, async () => {
      holding.open();
      await committing.opened;
    });
    await holding.opened;
    const deletion = remove([last]);
    await somebodyWaits();
    committing.open();
    await Promise.all([opening, deletion]);
    expect(await stored()).toHaveLength(1);
  });

  test("a session that is opened after its deletion, and before that is committed, stores it again", async () => {
    const last = await open();
    const committing = gate();
    const holding = gate();
    const deletion = remove([last], async () => {
      holding.open();
      await committing.opened;
    });
    await holding.opened;
    const opening = open();
    await somebodyWaits();
    committing.open();
    await Promise.all([opening, deletion]);
    expect(await stored()).toHaveLength(1);
  });

  test("it goes when its last two sessions are deleted at once", async () => {
    const both = [await open(), await open()] as const;
    const committing = gate();
    const holding = gate();
    const first = remove([both[0]], async () => {
      holding.open();
      await committing.opened;
    });
    await holding.opened;
    const second = remove([both[1]]);
    await somebodyWaits();
    committing.open();
    await Promise.all([first, second]);
    expect(await stored()).toEqual([]);
  });
});

test("an installation that is upgraded keeps each session's snapshot and version", async () => {
  const { admin } = inject("testServer");
  const name = `parley_test_${randomBytes(6).toString("hex")}`;
  await runAsAdmin(admin, `create database ${name}`);
  afterFile(() => runAsAdmin(admin, `drop database ${name} with (force)`));
  const connection = inDatabase(admin, name);
  const migrations = readMigrations();
  await migrate(
    connection,
    migrations.filter(({ version }) => version < 35),
  );
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(
    `insert into organizations (name, display_name, last_updated) values ('old', 'Old', now());
     insert into sub_organizations (organization_id, name, created_at) select id, 'Old', now() from organizations;
     insert into conversations (sub_organization_id, timestamp, last_activity_at, agent_id, agent_name, agent_type,
       prompt_id, prompt_name, prompt_version_number, llm_provider, llm_model)
     select id, now(), now(), 1, 'Ann', 'ca_v1', 1, 'P', 1, 'openai', 'gpt-4o' from sub_organizations`,
  );
  const snapshots = ['{"version": 3, "tools": []}', '{"tools":["ä"]}', '{"tools":["ä"]}'];
  for (const snapshot of snapshots)
    await client.query(
      `insert into sessions (sub_organization_id, conversation_id, timestamp, last_activity_at, channel,
         channel_manager_service, channel_manager_type, channel_manager_sid, agent_id, agent_name, agent_type,
         agent_timezone, prompt_id, prompt_name, prompt_version_number, is_test, snapshot, state)
       select sub_organization_id, id, now(), now(), 'chat', 'webchat', 'webchat_v1', 's', 1, 'Ann', 'ca_v1', 'UTC', 1, 'P', 1,
         false, $1, '{}' from conversations`,
      [snapshot],
    );
  await migrate(connection, migrations);
  const { rows } = await client.query(
    `select s.agent_version::integer, n.content::text, n.key = encode(substring(sha256(convert_to(n.content::text, 'UTF8')) for 16), 'hex')::uuid as sound
     from sessions s join session_snapshots n using (sub_organization_id) where n.key = s.snapshot_key order by s.id`,
  );
  const { rows: kept } = await client.query("select count(*)::integer as n from session_snapshots");
  await client.end();
  expect(rows).toEqual(
    snapshots.map((content, at) => ({ agent_version: at === 0 ? 3 : null, content, sound: true })),
  );
  expect(kept).toEqual([{ n: 2 }]);
});
