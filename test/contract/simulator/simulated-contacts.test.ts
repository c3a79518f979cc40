import { sql } from "kysely";
import { expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createMailWorld, mailsWith } from "../../harness/mail.ts";
import { createNumber, createSimulatedApp, eventually, textsWith } from "../../harness/simulated.ts";

test("a simulated person writes by the API to an agent's number, audited; a real person's number and a foreign address are refused", async () => {
  const app = await createSimulatedApp({ scenario: {} });
  const { agent_id } = await createAgent(app, { script: 'otherwise -> say "How can we help?"' });
  const line = await createNumber(app, agent_id);
  const path = `/api/v1/channels/${line.channel_id}/simulated_contacts`;
  const contact = { mode: "sms", from: "+15125550111", to: line.number, text: "Hello" };
  expect((await app.send("POST", path, { ...contact, from: "+12125551234" })).status).toBe(422);
  expect((await app.send("POST", path, { ...contact, to: "+15125559999" })).status).toBe(400);
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("POST", path, contact)).status).toBe(404);

  expect((await app.send("POST", path, contact)).status).toBe(200);
  const texts = await eventually(
    () => textsWith(app, contact.from),
    (found) => found.some(({ direction }) => direction === "out"),
  );
  expect(texts[0]).toMatchObject({ direction: "in", text: "Hello" });
  const audit = await app.db
    .selectFrom("audit_entries")
    .select(["action", "actor"])
    .where("resource", "=", "simulated_contacts")
    .execute();
  expect(audit).toEqual([{ action: "create", actor: app.admin.email }]);
});

test("a mail of a simulated person that the platform fails to take is posted again, and a dialogue goes on", async () => {
  const { app, box } = await createMailWorld(null, { script: 'otherwise -> say "How can we help?"' });
  const from = "ann+11@people.example";
  const { simulator } = app.mailing;
  const fail = () => sql`alter table mail_messages rename to mail_messages_gone`.execute(app.db);
  const mend = () => sql`alter table mail_messages_gone rename to mail_messages`.execute(app.db);
  await fail();
  await simulator
    .write(box.channel_id, { from, to: box.address, subject: "Question", text: "Hello" })
    .finally(mend);
  expect(await mailsWith(app, from)).toEqual([]);
  await simulator.schedule.advance(app.clock, 10_000);
  const mails = await eventually(
    () => mailsWith(app, from),
    (found) => found.some(({ direction }) => direction === "out"),
  );
  expect(mails[0]).toMatchObject({ direction: "in", text: expect.stringContaining("Hello") });
});
