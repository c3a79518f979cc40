import { beforeAll, beforeEach, expect, test } from "vitest";
import type { Egress } from "../../../src/egress/egress.ts";
import { mailDisabledJob } from "../../../src/webhooks/webhook-disabled.ts";
import { createTestApp, START, type TestApp } from "../../harness/app.ts";
import { createMailServer, type MailServer } from "../../harness/mail.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { createTelling, routesTo } from "../../harness/webhooks.ts";

const SECRET_PATH = "https://good.example/hooks/T0K3N?key=s3cr3t";

let app: TestApp;
let telling: Awaited<ReturnType<typeof createTelling>>;
let peer: Peer;
let egress: Egress;
let mail: MailServer;
const idOf: Record<string, number> = {};
beforeAll(async () => {
  mail = await createMailServer();
  const mailServer = { smtp_url: `smtp://127.0.0.1:${mail.port}`, from: "parley@clinic.example" };
  app = await createTestApp({ PUBLIC_URL: "https://parley.example" }, undefined, { mailServer });
  telling = await createTelling(app);
  peer = await createPeer();
  egress = routesTo({ "good.example": peer });
  const roles = (await app.send("GET", "/api/v1/roles/")).body.items;
  const roleNamed = (wanted: string) => roles.find(({ name }: { name: string }) => name === wanted).id;
  for (const [first_name, role] of [
    ["Ed", "Editor"],
    ["Vi", "Viewer"],
    ["Gone", "Editor"],
  ] as const) {
    const body = {
      email: `${first_name.toLowerCase()}@clinic.example`,
      first_name,
      role_id: roleNamed(role),
    };
    idOf[first_name] = (await app.send("POST", "/api/v1/users/", body)).body.id;
  }
  await app.send("DELETE", "/api/v1/users/", { email: "gone@clinic.example", reason: "left" });
  await app.createNeighbour();
  return () => egress.close();
});
beforeEach(async () => {
  app.clock.set(START);
  await app.db.deleteFrom("webhook_outbox").execute();
  await app.database.pool.query("delete from graphile_worker._private_jobs");
  peer.requests.length = 0;
  peer.respond((_, response) => json(response, 410, {}));
  Object.assign(mail, { answer: null, mails: [] });
});

/** A webhook whose receiver answers 410 to as many messages at once. */
async function disable(messages = 1) {
  const campaign = await telling.createCampaign([{ url: SECRET_PATH }]);
  const people = await telling.addPeople(campaign, messages);
  await telling.tell(...people.map((person) => telling.change(person, "COMPLETED")));
  await telling.deliverer(egress).drain();
  return { campaign, webhook_id: campaign.webhooks[0]!.id };
}

const job = (given: TestApp = app) => given.jobs.find((one) => one.job.name === "mail-webhook-disabled")!;
type Notice = { webhook_id: number; disabled_at: string; user_id: number };
const waiting = async (): Promise<Notice[]> =>
  (
    await app.database.pool.query(
      `select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
       where t.identifier = $1 order by j.id`,
      [job().job.name],
    )
  ).rows.map(({ payload }) => payload);
const runWaiting = async () => {
  for (const notice of await waiting()) await job().run(notice, {} as never);
};

test("everybody who may enable it again gets one mail: what, why, and where to go; no path or query of the URL", async () => {
  const { campaign, webhook_id } = await disable(3);
  await runWaiting();
  expect(mail.mails.flatMap(({ envelope }) => envelope.to).toSorted()).toEqual([
    "admin@example.com",
    "ed@clinic.example",
  ]);
  const { subject, text = "" } = mail.mails.find(({ envelope }) => envelope.to[0] === "ed@clinic.example")!;
  expect(subject).toBe(`A webhook of "${campaign.campaign_name}" was disabled`);
  expect(text).toContain("Hello Ed,");
  expect(text).toContain(
    `webhook ${webhook_id} of the campaign "${campaign.campaign_name}" (good.example) any more: The receiver answered 410: it is gone.`,
  );
  expect(text).toContain(`https://parley.example/console/campaigns/${campaign.id}?view=webhooks`);
  expect(text).not.toMatch(/T0K3N|s3cr3t/);
});

test("the mails are jobs of the transaction that disables: none without it, and no second lot by later failures", async () => {
  const { campaign, webhook_id } = await disable();
  const at = (await waiting()).map(({ disabled_at }) => Date.parse(disabled_at));
  expect(at).toEqual([Date.parse(START), Date.parse(START)]);
  const row = () =>
    app.db
      .selectFrom("campaign_webhooks")
      .select("disabled_at")
      .where("id", "=", webhook_id)
      .executeTakeFirstOrThrow();
  expect(Date.parse((await row()).disabled_at!)).toBe(at[0]);

  // A transaction that can't store its jobs disables nothing.
  await app.send("POST", `/api/v1/outbound/webhooks/${webhook_id}/enable`, {});
  await app.database.pool.query("delete from graphile_worker._private_jobs");
  await app.database.pool.query(
    "alter table graphile_worker._private_jobs add constraint no_more check (false) not valid",
  );
  const [person] = await telling.addPeople(campaign, 1);
  await telling.tell(telling.change(person!, "COMPLETED"));
  const deliverer = telling.deliverer(egress);
  deliverer.start();
  await expect.poll(() => peer.requests.length).toBe(2);
  await deliverer.stop();
  await app.database.pool.query("alter table graphile_worker._private_jobs drop constraint no_more");
  expect((await row()).disabled_at).toBeNull();
});

test("a webhook that a person disables is not mailed about", async () => {
  const campaign = await telling.createCampaign([{ url: SECRET_PATH }]);
  await app.send("POST", `/api/v1/outbound/webhooks/${campaign.webhooks[0]!.id}/disable`);
  expect(await waiting()).toEqual([]);
});

test("a mail server that is away is asked again, by the same message id; one that may have it is not", async () => {
  await disable();
  const [notice] = await waiting();
  mail.answer = 451;
  await expect(job().run(notice, {} as never)).rejects.toThrow("try later");
  mail.answer = null;
  await job().run(notice, {} as never);
  await job().run(notice, {} as never);
  expect(mail.mails).toHaveLength(2);
  expect(new Set(mail.mails.map(({ messageId }) => messageId)).size).toBe(1);

  mail.mails.length = 0;
  for (const answer of ["hang-up", 550] as const) {
    mail.answer = answer;
    await job().run(notice, {} as never);
  }
  expect(mail.mails).toHaveLength(1);
});

test("nobody is mailed once the webhook is enabled again, or they are gone", async () => {
  const { webhook_id } = await disable();
  const [notice] = await waiting();
  await job().run({ ...notice!, user_id: idOf.Gone }, {} as never);
  await app.send("POST", `/api/v1/outbound/webhooks/${webhook_id}/enable`, {});
  await runWaiting();
  expect(mail.mails).toEqual([]);
});

test("without a mail server the job ends well, and the event tells of it alone", async () => {
  const { webhook_id } = await disable();
  const silent = mailDisabledJob({ ...app, publicUrl: "", sendMail: null });
  for (const notice of await waiting()) await silent.run(notice, {} as never);
  const { body } = await app.send(
    "GET",
    "/api/v1/events/?search_fields=type&search_field_values=webhook-disabled",
  );
  const told = body.items.filter(
    (event: { attributes: { webhook_id: number } }) => event.attributes.webhook_id === webhook_id,
  );
  expect(told).toHaveLength(1);
});
