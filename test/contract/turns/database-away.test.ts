import { expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp } from "../../harness/app.ts";
import { awayFor } from "../../harness/database-away.ts";
import { WAITING } from "../../harness/waiting.ts";

test("a chat whose turn met an outage of the database is free as soon as that is over, and counts no death of its process", async () => {
  const app = await createTestApp();
  const { target } = await createAgent(app, { script: 'on /.*/ -> say "Noted."' });
  const { body: chat } = await app.send("POST", "/chat/v1/sessions", { client_id: target });
  const path = `/chat/v1/sessions/${chat.session_id}/messages?token=${chat.token}`;
  const say = () => app.send("POST", path, { id: "m1", text: "hello" });

  await awayFor(app.database.pool, {
    times: 3,
    table: "sessions",
    when: "old.lease_owner is not null and new.lease_owner is null",
  });
  expect(await say()).toMatchObject({ status: 503 });
  const lease = () =>
    app.db
      .selectFrom("sessions")
      .select(["lease_owner", "interruptions"])
      .where("id", "=", Number(chat.session_id))
      .executeTakeFirstOrThrow();
  await expect.poll(lease, WAITING).toEqual({ lease_owner: null, interruptions: 0 });
  expect(await say()).toMatchObject({ status: 200, body: { events: [{ text: "Noted." }] } });
});
