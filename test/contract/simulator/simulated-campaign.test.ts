import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createNumber, createSimulatedApp, eventually, type SimulatedApp } from "../../harness/simulated.ts";

let app: SimulatedApp;
let line: Awaited<ReturnType<typeof createNumber>>;
beforeAll(async () => {
  app = await createSimulatedApp({ speed: "moved" });
  const { agent_id } = await createAgent(app, {
    script: 'on /bye|wrong number/ -> say "Goodbye." then call hangup {}\non /.*/ -> say "Noted."',
    systemTools: ["hangup", "leave_voicemail"],
    greeting: { type: "greeting", text: "Hello {{ vars.name }}, it is the clinic." },
  });
  line = await createNumber(app, agent_id, { modes: ["voice", "sms"] });
});

const ALWAYS = {
  retry_count: 0,
  active_days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
  hourly_rate: 3600,
};
const make = async (path: string, body: object) => {
  const answer = await app.send("POST", path, body);
  if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};
let campaigns = 0;

type Result = {
  reference_id: string;
  request_status: string;
  channel_manager_status: string;
  answered_by: string | null;
  duration_s: number | null;
  voicemail_left: boolean | null;
  reached: boolean | null;
};

/** Everybody's outcome once the campaign has nobody left, dialled at the pace of the campaign. */
async function run(
  mode: "voice" | "sms",
  endings: string[],
  more: object = {},
): Promise<Record<string, string>> {
  const { found } = await runOf(mode, endings, more);
  return Object.fromEntries(
    found.map((each) => [each.reference_id, `${each.request_status} ${each.channel_manager_status}`]),
  );
}

async function filled(mode: "voice" | "sms", endings: string[], more: object = {}): Promise<string> {
  const batch_id = `simulated-${++campaigns}`;
  const campaign = await make("/api/v1/outbound/campaigns", {
    campaign_name: batch_id,
    campaign_variables: {},
    source: line.number,
    caller_id: line.number,
    mode,
    ...ALWAYS,
    ...more,
  });
  await make("/api/v1/outbound/batches", { batch_id, campaign_id: campaign.id });
  const requests = endings.map((ending) => ({
    reference_id: ending,
    target: `+1512777${campaigns}0${ending}`,
    request_variables: { "vars.name": "Alex" },
  }));
  await make(`/api/v1/outbound/batches/${batch_id}/requests`, requests);
  return batch_id;
}

const resultsOf = async (batch_id: string): Promise<Result[]> =>
  (await app.send("GET", `/api/v1/outbound/batches/${batch_id}/results`)).body;

async function runOf(mode: "voice" | "sms", endings: string[], more: object) {
  const batch_id = await filled(mode, endings, more);
  const left = (all: Result[]) =>
    all.filter(({ request_status }) => ["PENDING", "INITIATED", "CONNECTED"].includes(request_status));
  const found = await eventually(
    async () => {
      // In steps shorter than any wait of the call's, so that words arrive before the silence that would follow them.
      for (let step = 0; step < 4; step++) {
        await app.simulator.advance(app.clock, 250);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await app.dialer.tick();
      return resultsOf(batch_id);
    },
    (all) => left(all).length === 0,
  );
  return { batch_id, found };
}

test("a voice campaign meets people as they are, over the very adapter that telephones", async () => {
  expect(await run("voice", ["01", "02", "03", "05", "10", "13", "15", "16", "34"])).toEqual({
    "01": "COMPLETED COMPLETED",
    "02": "FAILED BUSY",
    "03": "FAILED NO-ANSWER",
    "05": "FAILED DECLINED",
    "10": "COMPLETED COMPLETED",
    "13": "COMPLETED COMPLETED",
    "15": "FAILED SIP_TEMPORARILY_UNAVAILABLE",
    "16": "INVALID INVALID",
    "34": "COMPLETED COMPLETED",
  });
  const { rows } = await app.database.pool.query(
    "select count(*)::int as n from sessions where is_outbound and channel = 'voice'",
  );
  expect(rows[0].n).toBe(4);
});

test("a text campaign is delivered, refused or lost as its people are", async () => {
  expect(await run("sms", ["01", "17", "22", "24", "30", "34", "35"])).toEqual({
    "01": "COMPLETED DELIVERED",
    "17": "FAILED UNDELIVERED",
    "22": "FAILED DELIVERY_FAILED",
    "24": "SKIPPED PRIOR_UNSUBSCRIBED",
    "30": "COMPLETED DELIVERED",
    "34": "COMPLETED DELIVERED",
    "35": "COMPLETED DELIVERED",
  });
});

test("a text whose callbacks are lost is asked about a quarter of an hour later, and its page says what became of it", async () => {
  const batch_id = await filled("sms", ["37"]);
  const status = async () => {
    const { rows } = await app.database.pool.query(
      "select status from text_messages where key = (select key from attempts where reference_id = '37')",
    );
    return rows[0]?.status;
  };
  await app.dialer.tick();
  await eventually(status, (found) => found === "QUEUED");
  await app.simulator.advance(app.clock, 14 * 60_000);
  await app.dialer.tick();
  expect(await status()).toBe("QUEUED");
  await app.simulator.advance(app.clock, 60_000);
  await app.dialer.tick();
  expect(await resultsOf(batch_id)).toMatchObject([
    { request_status: "COMPLETED", channel_manager_status: "DELIVERED" },
  ]);
  expect(await status()).toBe("DELIVERED");
});

test("a mailbox is heard to be one, and the request ends as completed", async () => {
  const voicemail_detection = { mode: "v1", voicemail_detection_pre_speech_timeout: 3.5 };
  expect(await run("voice", ["04"], { voicemail_detection })).toEqual({ "04": "COMPLETED COMPLETED" });
  const { rows } = await app.database.pool.query("select answerer from attempts where reference_id = '04'");
  expect(rows).toEqual([{ answerer: "MACHINE" }]);
});

const V1 = { voicemail_detection: { mode: "v1", voicemail_detection_pre_speech_timeout: 3.5 } };

test("a result says who answered, for how long and whether a message was left, and the counts tell reached from not reached", async () => {
  const { agent_id } = await createAgent(app, {
    script: `
      on start -> call leave_voicemail {"message": "This is the clinic, please call back."}
      on /bye|wrong number/ -> say "Goodbye." then call hangup {}
      on /.*/ -> say "Noted."`,
    systemTools: ["hangup", "leave_voicemail"],
    greeting: { type: "greeting", text: "Hello, it is the clinic." },
  });
  line = await createNumber(app, agent_id, { modes: ["voice"] });
  const { batch_id, found } = await runOf("voice", ["01", "02", "04"], V1);
  const told = found.map(({ reference_id, answered_by, voicemail_left, reached }) => ({
    reference_id,
    answered_by,
    voicemail_left,
    reached,
  }));
  expect(told).toEqual([
    { reference_id: "01", answered_by: "HUMAN", voicemail_left: false, reached: true },
    { reference_id: "02", answered_by: null, voicemail_left: null, reached: false },
    { reference_id: "04", answered_by: "MACHINE", voicemail_left: true, reached: false },
  ]);
  expect(found[0]?.duration_s).toBeGreaterThan(0);
  expect(found[1]?.duration_s).toBeNull();
  const counts = { reached: 1, voicemail_left: 1, not_reached: 1, not_tried: 0, open: 0 };
  const batch = await app.send("GET", `/api/v1/outbound/batches/${batch_id}`);
  expect(batch.body.outcome_counts).toEqual(counts);
  const board = await app.send("GET", `/api/v1/outbound/campaigns/${batch.body.campaign_id}/board`);
  expect(board.body.outcome_counts).toEqual(counts);
});

test("what a model says to a mailbox without its tool is left once, and not said again at every retry", async () => {
  const talking = await createAgent(app, {
    script: 'on start -> say "This is the clinic, please call back."\non /.*/ -> say "Noted."',
    systemTools: ["hangup", "leave_voicemail"],
    greeting: { type: "greeting", text: "Hello, it is the clinic." },
  });
  line = await createNumber(app, talking.agent_id, { modes: ["voice"] });
  const retried = { ...V1, retry_count: 2, retry_interval: "1s" };
  const { found } = await runOf("voice", ["04"], retried);
  expect(found).toMatchObject([
    {
      request_status: "COMPLETED",
      attempt_count: 1,
      answered_by: "MACHINE",
      voicemail_left: true,
      reached: false,
    },
  ]);
});
