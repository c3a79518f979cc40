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

async function campaignTo(batch_id: string, targets: string[], variables: Record<string, string>) {
  const campaign = await make("/api/v1/outbound/campaigns", {
    campaign_name: batch_id,
    campaign_variables: variables,
    mode: "sms",
    source: sender.number,
    caller_id: null,
    active_days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
    hourly_rate: 3600,
  });
  expect(campaign.agent_id).toBe(agent_id);
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

test("without an approved template nobody loses their attempt, and the batch says what is missing", async () => {
  await campaignTo("no-template", ["+15126673101"], {});
  await tick("no-template");
  await tick("no-template");
  expect(await results("no-template")).toEqual(["PENDING PENDING"]);
  expect((await textsWith(app, "+15126673101")).filter(({ status }) => status === "DELIVERED")).toEqual([]);
  const trace = await app.send("GET", `${BATCHES}/no-template/requests/+15126673101/trace`);
  expect(trace.body.next_step.text).toContain(
    "name an approved template in the variable vars.whatsapp_template",
  );
});
