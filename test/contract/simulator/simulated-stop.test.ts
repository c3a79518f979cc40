import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createNumber, createSimulatedApp, eventually, type SimulatedApp } from "../../harness/simulated.ts";

let app: SimulatedApp;
let line: Awaited<ReturnType<typeof createNumber>>;
beforeAll(async () => {
  // The carrier's time stands still, so the telephone of "03" rings on.
  app = await createSimulatedApp({ speed: "moved" });
  const { agent_id } = await createAgent(app, { script: 'on /.*/ -> say "Noted."' });
  line = await createNumber(app, agent_id, { modes: ["voice"] });
});

const make = async (path: string, body?: object) => {
  const answer = await app.send("POST", `/api/v1/outbound/${path}`, body);
  if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};

test("a stop hangs up ringing telephones through the carrier, and their people are called again after it", async () => {
  const campaign = await make("campaigns", {
    campaign_name: "Rings",
    campaign_variables: {},
    source: line.number,
    caller_id: line.number,
    mode: "voice",
    retry_count: 0,
    active_days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
    hourly_rate: 3600,
  });
  for (const batch_id of ["one", "two"]) {
    await make("batches", { batch_id, campaign_id: campaign.id });
    await make(`batches/${batch_id}/requests`, [
      { reference_id: batch_id, target: `+15127771${batch_id === "one" ? 1 : 2}03`, request_variables: {} },
    ]);
  }
  const shown = async () => {
    const all = await Promise.all(
      ["one", "two"].map((id) => app.send("GET", `/api/v1/outbound/batches/${id}/results`)),
    );
    return all
      .flatMap(({ body }) => body)
      .map((r) => `${r.request_status} ${r.channel_manager_status} ${r.attempt_count}`);
  };
  await app.dialer.tick();
  expect(await shown()).toEqual(["INITIATED QUEUED 1", "INITIATED QUEUED 1"]);
  expect((await make("stop")).ringing_calls).toBe(2);
  await eventually(shown, (all) => all.every((one) => one === "PENDING PENDING 0"));
  expect((await app.send("GET", "/api/v1/outbound/stop")).body.ringing_calls).toBe(0);
  app.clock.advance(120_000);
  await app.dialer.tick();
  expect(await shown()).toEqual(["PENDING PENDING 0", "PENDING PENDING 0"]);
  await make("resume");
  await app.dialer.tick();
  expect(await shown()).toEqual(["INITIATED QUEUED 1", "INITIATED QUEUED 1"]);
});
