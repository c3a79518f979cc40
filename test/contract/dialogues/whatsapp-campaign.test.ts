import { beforeAll, expect, test } from "vitest";
import { suppress } from "../../../src/consent/suppression.ts";
import { createAgent } from "../../harness/agent.ts";
import { BATCHES } from "../../harness/batch.ts";
import {
  createNumber,
  createSimulatedApp,
  eventually,
  type SimulatedApp,
  textsWith,
} from "../../harness/simulated.ts";

let app: SimulatedApp;
let agent_id: number;
let sender: Awaited<ReturnType<typeof createNumber>>;
beforeAll(async () => {
  app = await createSimulatedApp({ speed: 60 });
  ({ agent_id } = await createAgent(app, {
    script: 'on /.*/ -> say "Noted."',
    greeting: { type: "greeting", text: "Hello {{ vars.name }}, it is the clinic." },
  }));
  sender = await createNumber(app, agent_id, { service: "whatsapp", modes: ["whatsapp"] });
});

const make = async (path: string, body: object) => {
  const answer = await app.send("POST", path, body);
  if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};

async function campaignTo(
  batch_id: string,
  targets: string[],
  variables: Record<string, string>,
  by = { agent_id, source: sender.number },
) {
  const campaign = await make("/api/v1/outbound/campaigns", {
    campaign_name: batch_id,
    campaign_variables: variables,
    mode: "sms",
    source: by.source,
    caller_id: null,
    active_days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
    hourly_rate: 3600,
  });
  expect(campaign.agent_id).toBe(by.agent_id);
  await make(BATCHES, { batch_id, campaign_id: campaign.id });
  await make(
    `${BATCHES}/${batch_id}/requests`,
    targets.map((target) => ({ reference_id: target, target, request_variables: { name: "Alex" } })),
  );
}

type Result = { request_status: string; channel_manager_status: string };
const results = async (batch_id: string): Promise<string[]> =>
  (await app.send("GET", `${BATCHES}/${batch_id}/results`)).body.map(
    (row: Result) => `${row.request_status} ${row.channel_manager_status}`,
  );
const tick = async (batch_id: string) => {
  app.clock.advance(1_000);
  await app.dialer.tick();
  return results(batch_id);
};

test("a campaign of texts whose source is a WhatsApp sender goes out by WhatsApp, with its approved template", async () => {
  const [ann, bob] = ["+15126673001", "+15126673002"] as const;
  await app.db.transaction().execute((tx) =>
    suppress(
      tx,
      [
        {
          sub_organization_id: app.admin.sub_organization_id,
          address: bob,
          scope: "whatsapp",
          reason: "unsubscribed",
          proof: { at: app.clock.now(), through: "operator", said: null, session_id: null, message_id: null },
        },
      ],
      app.clock.now(),
    ),
  );
  const template = { whatsapp_template: "HX0123", whatsapp_template_1: "Alex" };
  await campaignTo("by-whatsapp", [ann, bob], template);
  const found = await eventually(
    () => tick("by-whatsapp"),
    (all) => !all.some((status) => /^(PENDING|INITIATED|CONNECTED)/.test(status)),
  );
  expect(found).toEqual(["COMPLETED DELIVERED", "SKIPPED PRIOR_UNSUBSCRIBED"]);
  const sent = await app.db
    .selectFrom("text_messages")
    .select(["medium", "template", "status"])
    .where("source", "=", ann)
    .where("direction", "=", "out")
    // The template; what follows answers the person.
    .orderBy("id")
    .limit(1)
    .execute();
  expect(sent).toEqual([
    { medium: "whatsapp", template: { sid: "HX0123", variables: { "1": "Alex" } }, status: "DELIVERED" },
  ]);
  const session = await app.db.selectFrom("sessions").select("channel").where("source", "=", ann).execute();
  expect(session).toEqual([{ channel: "whatsapp" }]);
});

const untilDelivered = (batch_id: string) =>
  eventually(
    () => tick(batch_id),
    (all) => all.includes("COMPLETED DELIVERED"),
  );

test("whom WhatsApp takes no words for waits without an attempt, while all others of its campaign and its sender are reached", async () => {
  const [stranger, writer] = ["+15126673101", "+15126673102"] as const;
  await app.simulator.text(sender.account_sid, {
    from: `whatsapp:${writer}`,
    to: `whatsapp:${sender.number}`,
    body: "Hi",
  });
  await eventually(
    () => textsWith(app, writer),
    (all) => all.some(({ direction, status }) => direction === "out" && status === "DELIVERED"),
  );
  await campaignTo("no-template", [stranger, writer], {});
  expect(await untilDelivered("no-template")).toEqual(["PENDING PENDING", "COMPLETED DELIVERED"]);
  const { body: trace } = await app.send("GET", `${BATCHES}/no-template/requests/${stranger}/trace`);
  expect(trace.attempts).toEqual([]);
  expect(trace.next_step).toMatchObject({
    reason: "no-approved-template",
    text: "Waiting: WhatsApp takes words only within 24 hours of the person's last. Name an approved template in the variable whatsapp_template of the campaign or the list.",
  });
  await campaignTo("with-template", ["+15126673103"], { whatsapp_template: "HX0123" });
  expect(await untilDelivered("with-template")).toEqual(["COMPLETED DELIVERED"]);
  expect(await app.db.selectFrom("dial_sources").select("closed_until").execute()).toEqual([
    { closed_until: null },
  ]);
});

test("who had no template is reached within 15 minutes of its being named", async () => {
  const target = "+15126673104";
  await campaignTo("named-later", [target], {});
  await tick("named-later");
  const { body: batch } = await app.send("GET", `${BATCHES}/named-later`);
  const path = `/api/v1/outbound/campaigns/${batch.campaign_id}`;
  const { body: campaign } = await app.send("GET", path);
  const { id: _, ...fields } = campaign;
  const named = { ...fields, campaign_variables: { whatsapp_template: "HX0123" } };
  expect((await app.send("PUT", path, named)).status).toBe(200);
  app.clock.advance(15 * 60_000);
  expect(await untilDelivered("named-later")).toEqual(["COMPLETED DELIVERED"]);
});

test("a campaign whose agent has no words waits alone: its number goes on for all other campaigns, and it does too once they are written", async () => {
  const { agent_id: silent } = await createAgent(app, {
    script: 'on /.*/ -> say "Noted."',
    greeting: { type: "greeting", text: "{{ vars.unknown }}" },
  });
  const other = await createNumber(app, silent);
  await campaignTo("no-words", ["+15126673201"], {}, { agent_id: silent, source: other.number });
  await tick("no-words");
  expect(await tick("no-words")).toEqual(["PENDING PENDING"]);
  const { body: trace } = await app.send("GET", `${BATCHES}/no-words/requests/+15126673201/trace`);
  expect(trace.next_step).toMatchObject({
    reason: "no-words",
    text: expect.stringMatching(
      /^Waiting: there are no words to send, which costs nobody an attempt\. The agent has no greeting and does not speak first\. It is tried again at /,
    ),
  });
  const paused = await app.db
    .selectFrom("events")
    .select("description")
    .where("type", "=", "step-paused")
    .execute();
  expect(paused).toEqual([
    { description: expect.stringContaining('Step 1 of batch "no-words" has no words to send') },
  ]);
  expect(
    await app.db.selectFrom("dial_sources").select("source").where("closed_until", "is not", null).execute(),
  ).toEqual([]);
  const { body: agent } = await app.send("GET", `/api/v1/agents/${silent}`);
  const { id, name } = agent.custom_message;
  const greeting = { id, name, type: "greeting", text: "Hello, it is the clinic." };
  expect(await app.send("PUT", "/api/v1/custom_messages/", greeting)).toMatchObject({ status: 200 });
  app.clock.advance(60_000);
  expect(await untilDelivered("no-words")).toEqual(["COMPLETED DELIVERED"]);
});
