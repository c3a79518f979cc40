import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { enqueue } from "../../src/jobs/define-job.ts";
import { Scenario } from "../../src/simulator/people.ts";
import { createOutbound, request } from "../harness/batch.ts";
import { type ConsoleTest, createConsoleTest } from "../harness/console.ts";
import { createPeer, json, type Peer } from "../harness/peer.ts";

let it: ConsoleTest;
let twilio: Peer;
let outbound: Awaited<ReturnType<typeof createOutbound>>;
beforeAll(async () => {
  twilio = await createPeer();
  const simulation = { scenario: Scenario.parse({}), speed: "moved" as const };
  it = await createConsoleTest({ TWILIO_BASE_URL: twilio.url }, { simulation });
  outbound = await createOutbound(it.app);
});

test("the home page tests a carrier's account, and says why it does not work", async () => {
  const made = await it.app.send("POST", "/api/v1/channels/", {
    name: "Front <b>desk</b>",
    channel_service: "twilio",
    config: { account_sid: "AC01", auth_token: "secret" },
  });
  expect(made.status).toBe(200);
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/");
  const line = page.getByRole("listitem").filter({ hasText: "Connect a carrier" });
  await line.getByText("Front <b>desk</b>").waitFor();

  twilio.respond((_, response) => json(response, 401, { code: 20003, message: "Authenticate" }));
  await line.getByRole("button", { name: "Test the account" }).click();
  await line.getByText("does not work").waitFor();
  await line.getByText("Authenticate").waitFor();

  const account = { friendly_name: "Clinic", status: "active", type: "Full" };
  twilio.respond((_, response) => json(response, 200, account));
  await line.getByRole("button", { name: "Test the account" }).click();
  await line.getByText("Account “Clinic”").waitFor();
  expect(page.faults).toEqual([]);
});

test("the queues show what waits and why of it failed; jobs only to who operates the installation", async () => {
  const job = { name: "clear-desk", payload: z.object({}), max_attempts: 2 };
  await it.app.db.transaction().execute((tx) => enqueue(tx, job, {}));
  await it.app.database.pool.query(
    "update graphile_worker._private_jobs set attempts = 2, last_error = 'the desk is <b>gone</b>'",
  );
  const queues = async (role: "Admin" | "Viewer") => {
    const page = await it.open(await it.person(role));
    await page.goto("/console/");
    const panel = page.locator("section", { has: page.getByRole("heading", { name: "Queues" }) }).last();
    await panel.getByRole("listitem").filter({ hasText: "Webhooks" }).getByText("Empty").waitFor();
    return panel;
  };
  const panel = await queues("Admin");
  const jobs = panel.getByRole("listitem").filter({ hasText: "Background jobs" });
  await jobs.getByText("1 failed within a day").waitFor();
  await jobs.getByText("clear-desk: the desk is <b>gone</b> (given up)").waitFor();
  expect(await (await queues("Viewer")).getByText("Background jobs").count()).toBe(0);
});

test("a batch whose time is up is shown at once on the home page, with whom it did not reach", async () => {
  const expires_on = new Date(it.app.clock.now().getTime() + 60_000).toISOString();
  const { batch_id } = await outbound.createBatch({ expires_on });
  await outbound.add(batch_id, [request("ann", "+15125550111")]);
  it.app.clock.advance(61_000);
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/");
  const line = page.getByRole("listitem").filter({ hasText: batch_id });
  await line.getByText("1 not tried").waitFor();
  await line.getByText(/^Expired/).waitFor();
  expect(page.faults).toEqual([]);
});

test("a campaign of which one batch has people waiting says what they wait for, whatever its other batches do", async () => {
  const { id: campaign_id, campaign_name } = await outbound.createCampaign();
  const batch = { campaign_id };
  await outbound.createBatch(batch);
  const { batch_id } = await outbound.createBatch(batch);
  await outbound.add(batch_id, [request("bob", "+15125550112")]);
  await outbound.createBatch(batch);
  const { body: board } = await it.app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}/board`);
  const [filled] = board.batches.filter(({ waiting }: { waiting: number }) => waiting > 0);
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/");
  const line = page.getByRole("listitem").filter({ hasText: campaign_name });
  await line.getByText("1 waiting").waitFor();
  await line.getByText(filled.next_step.text.replace("Waiting: ", "")).waitFor();
  expect(await line.innerText()).not.toMatch(/Nobody waits|Waiting:/);
  expect(page.faults).toEqual([]);
});

test("one button on Home stops all outreach, the campaigns list and a batch say so, and another resumes it", async () => {
  const { batch_id } = await outbound.createBatch();
  await outbound.add(batch_id, [request("eve", "+15125550115")]);
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/");
  await page.getByRole("button", { name: "Stop all outreach" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop all outreach" }).click();
  await page.getByText("All outreach is stopped").waitFor();
  // An address is no beginning of a sentence.
  await page
    .getByText(/^[a-z]\S*@\S+ stopped all outreach/)
    .first()
    .waitFor();
  for (const path of [`/console/batches/${batch_id}`, "/console/campaigns"]) {
    await page.goto(path);
    await page.getByText("All outreach is stopped").waitFor();
  }
  const viewer = await it.open(await it.person("Viewer"));
  await viewer.goto("/console/campaigns");
  await viewer.getByText("All outreach is stopped").waitFor();
  expect(await viewer.getByRole("button", { name: "Resume outreach" }).count()).toBe(0);
  await page.getByRole("button", { name: "Resume outreach" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resume outreach" }).click();
  await page.getByRole("button", { name: "Stop all outreach" }).waitFor();
  expect([...page.faults, ...viewer.faults]).toEqual([]);
});
