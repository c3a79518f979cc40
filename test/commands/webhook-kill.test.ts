import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Answer, parley, send, usedFolder } from "./program.ts";

const ROUNDS = 3;
/** An inbox keeps a hundred messages, some of which may come twice. */
const MESSAGES = 45;

test("kill -9 while webhooks are sent loses none that was acknowledged: each arrives, under its own id", async () => {
  const { folder, greeting } = await usedFolder();
  let program = parley(["start"], { folder });
  const { url } = await program.ready();
  const headers = { "Service-API-Key": greeting.token ?? "" };
  const call = (method: string, path: string, body?: object): Promise<Answer> =>
    send(method, `${url}/api/v1${path}`, body, headers);
  const made = async (path: string, body: object) => {
    const answer = await call("POST", path, body);
    expect(answer, path).toMatchObject({ status: 200 });
    return answer.body;
  };

  const [agent] = (await call("GET", "/agents/")).body.items;
  const channel = await made("/channels/", {
    name: "Mail",
    channel_service: "email",
    supported_modes: "email",
    config: { email: { sending_domain: "clinic.example" } },
  });
  const target = {
    agent_id: agent.id,
    channel_id: channel.id,
    target: "desk@clinic.example",
    target_mode: "email",
  };
  await made(`/channels/${channel.id}/targets`, target);
  const inbox = await made("/outbound/webhook_inboxes", { name: "kill" });
  const campaign = await made("/outbound/campaigns", {
    campaign_name: "Kill",
    mode: "email",
    campaign_variables: {},
    source: target.target,
    caller_id: null,
    active_days: ["mon"],
    webhooks: [{ url: inbox.url, request_method: "POST", trigger_statuses: ["COMPLETED"] }],
  });

  const acknowledged: string[] = [];
  let done = false;
  const tell = async () => {
    while (acknowledged.length < MESSAGES) {
      const answer = await call("POST", `/outbound/webhooks/${campaign.webhooks[0].id}/test`, {
        status: "COMPLETED",
      }).catch(() => null);
      if (answer?.status === 200) acknowledged.push(answer.body.id);
      else await sleep(50);
    }
    done = true;
  };
  const killAndStart = async () => {
    for (let round = 0; round < ROUNDS && !done; round++) {
      const reached = acknowledged.length;
      while (acknowledged.length < reached + 10 && !done) await sleep(5);
      await sleep(Math.random() * 150);
      await program.end("SIGKILL");
      program = parley(["start"], { folder, env: { PORT: new URL(url).port } });
      await program.ready();
    }
  };
  await Promise.all([tell(), killAndStart()]);

  const missing = async () => {
    const { body } = await call("GET", "/outbound/webhook_inboxes/kill/messages?limit=200");
    const arrived = new Set(body.items.map((message: { message_id: string }) => message.message_id));
    return acknowledged.filter((id) => !arrived.has(id));
  };
  await expect.poll(missing, { timeout: 30_000, interval: 250 }).toEqual([]);
  const { body } = await call(
    "GET",
    "/outbound/webhook_deliveries?limit=200&search_fields=state&search_field_values=DELIVERED",
  );
  const delivered = new Set(body.items.map((delivery: { id: string }) => delivery.id));
  expect(acknowledged.filter((id) => !delivered.has(id))).toEqual([]);
});
