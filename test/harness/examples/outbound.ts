import { createNumbers } from "../number-group.ts";
import { createSender } from "../sender.ts";
import type { Examples, Made, Maker } from "./example.ts";

const campaigns = "/api/v1/outbound/campaigns";
const batches = "/api/v1/outbound/batches";

async function campaignInput(maker: Maker) {
  const number = `+1903${String(2_900_000 + maker.next())}`;
  const { agent_id } = await createSender(maker.app, maker.caller, { target: number });
  return {
    campaign_name: `Campaign ${maker.next()}`,
    campaign_variables: {},
    caller_id: number,
    agent_id,
    active_days: ["mon"],
  };
}
const campaign = async (maker: Maker): Promise<Made> =>
  maker.post("/outbound/campaigns", await campaignInput(maker));

const batchInput = async (maker: Maker) => ({
  batch_id: `batch-${maker.next()}`,
  campaign_id: (await campaign(maker)).id,
});
const batch = async (maker: Maker): Promise<string> =>
  (await maker.post("/outbound/batches", await batchInput(maker))).batch_id;

const person = (maker: Maker) => ({
  reference_id: `person-${maker.next()}`,
  target: "+15125551234",
  request_variables: {},
});

/** People of one batch taken into another. */
async function copyFrom(maker: Maker) {
  const [into, from] = [await batch(maker), await batch(maker)];
  await maker.post(`/outbound/batches/${from}/requests`, person(maker));
  return { at: [into], body: { batch_id: from } };
}

const groups = "/api/v1/outbound/number-groups";
async function numberGroupInput(maker: Maker) {
  const number = `+1903${String(2_900_000 + maker.next())}`;
  const channel_target_ids = await createNumbers(maker.app, [number], maker.caller);
  return { name: `Numbers ${maker.next()}`, channel_target_ids, daily_cap: 50, timezone: "America/Chicago" };
}
async function numberGroup(maker: Maker): Promise<Made & { channel_target_ids: number[] }> {
  const input = await numberGroupInput(maker);
  const made = await maker.post("/outbound/number-groups/", input);
  return { ...made, channel_target_ids: input.channel_target_ids };
}

const doNotCallList = async (maker: Maker): Promise<number> =>
  (await maker.post("/do-not-call-lists/", { name: `list-${maker.next()}` })).id;

/** A call that somebody asked for, whose conversation is over. */
async function callBack(maker: Maker): Promise<number> {
  const [batch_id, of] = [await batch(maker), person(maker)];
  await maker.post(`/outbound/batches/${batch_id}/requests`, of);
  const { app, caller } = maker;
  const { id, batch_key, campaign_id } = await app.db
    .selectFrom("requests as r")
    .innerJoin("batches as b", "b.key", "r.batch_key")
    .select(["r.id", "r.batch_key", "b.campaign_id"])
    .where("b.batch_id", "=", batch_id)
    .where("b.sub_organization_id", "=", caller.sub_organization_id)
    .executeTakeFirstOrThrow();
  await app.db
    .updateTable("requests")
    .set({ call_back_after: 0 })
    .where("batch_key", "=", batch_key)
    .where("id", "=", id)
    .execute();
  const at = app.clock.now().toISOString();
  const { id: made } = await app.db
    .insertInto("call_backs")
    .values({
      sub_organization_id: caller.sub_organization_id,
      campaign_id,
      batch_key,
      request_id: id,
      after_attempt: 0,
      target: of.target,
      due_at: at,
      timezone: "UTC",
      asked_at: at,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return made;
}

const webhooks = "/api/v1/outbound/webhooks";
const deliveries = "/api/v1/outbound/webhook_deliveries";
const inboxes = "/api/v1/outbound/webhook_inboxes";

const webhook = async (maker: Maker): Promise<number> => {
  const hook = { trigger_statuses: ["COMPLETED"], url: "https://example.com/hook", request_method: "POST" };
  const made = await maker.post("/outbound/campaigns", { ...(await campaignInput(maker)), webhooks: [hook] });
  return made.webhooks[0].id;
};
const delivery = async (maker: Maker): Promise<string> =>
  (await maker.post(`/outbound/webhooks/${await webhook(maker)}/test`, { status: "HUMAN" })).id;
const inbox = async (maker: Maker): Promise<string> =>
  (await maker.post("/outbound/webhook_inboxes", { name: `inbox-${maker.next()}` })).name;

export const OUTBOUND: Examples = {
  [`GET ${campaigns}`]: () => ({}),
  [`POST ${campaigns}`]: async (maker) => ({ body: await campaignInput(maker) }),
  [`GET ${campaigns}/{}`]: async (maker) => ({ at: [(await campaign(maker)).id] }),
  [`PUT ${campaigns}/{}`]: async (maker) => ({
    at: [(await campaign(maker)).id],
    body: await campaignInput(maker),
  }),
  [`DELETE ${campaigns}/{}`]: async (maker) => ({ at: [(await campaign(maker)).id] }),

  [`POST ${campaigns}/{}/forecast`]: async (maker) => ({
    at: [(await campaign(maker)).id],
    body: { answer_rate: 0.4, requests: 20, days: 14 },
  }),
  [`POST ${campaigns}/{}/preflight`]: async (maker) => ({ at: [(await campaign(maker)).id], body: {} }),
  [`GET ${campaigns}/{}/board`]: async (maker) => ({ at: [(await campaign(maker)).id] }),

  [`GET ${campaigns}/{}/goal`]: async (maker) => ({ at: [(await campaign(maker)).id] }),
  [`PUT ${campaigns}/{}/goal`]: async (maker) => ({
    at: [(await campaign(maker)).id],
    body: { goal: { insight_key: "appointment", value: "booked" } },
  }),
  [`POST ${campaigns}/{}/pause`]: async (maker) => ({ at: [(await campaign(maker)).id] }),
  [`POST ${campaigns}/{}/start`]: async (maker) => ({ at: [(await campaign(maker)).id] }),
  [`GET ${campaigns}/{}/requests`]: async (maker) => ({ at: [(await campaign(maker)).id] }),
  [`POST ${campaigns}/{}/requests/retry`]: async (maker) => ({
    at: [(await campaign(maker)).id],
    body: { request_status: "FAILED", channel_manager_status: "BUSY" },
  }),
  [`POST ${campaigns}/{}/requests/retry/preview`]: async (maker) => ({
    at: [(await campaign(maker)).id],
    body: { request_status: "FAILED", channel_manager_status: "BUSY" },
  }),
  [`POST ${campaigns}/{}/requests/suppress`]: async (maker) => ({
    at: [(await campaign(maker)).id],
    body: { request_status: "FAILED" },
  }),
  [`POST ${campaigns}/{}/requests/suppress/preview`]: async (maker) => ({
    at: [(await campaign(maker)).id],
    body: { request_status: "FAILED" },
  }),
  [`GET ${campaigns}/{}/reach-rules`]: async (maker) => ({ at: [(await campaign(maker)).id] }),
  [`PUT ${campaigns}/{}/reach-rules`]: async (maker) => ({
    at: [(await campaign(maker)).id],
    body: { purpose: "marketing" },
  }),

  [`GET ${campaigns}/{}/tests`]: async (maker) => ({ at: [(await campaign(maker)).id] }),
  [`POST ${campaigns}/{}/tests`]: async (maker) => ({
    at: [(await campaign(maker)).id],
    body: { target: "+15125550199", request_variables: { name: "Alex" } },
  }),

  [`GET ${campaigns}/{}/answer-times`]: async (maker) => ({ at: [(await campaign(maker)).id] }),
  [`GET ${campaigns}/{}/spending`]: async (maker) => ({ at: [(await campaign(maker)).id] }),
  [`PUT ${campaigns}/{}/spending`]: async (maker) => ({
    at: [(await campaign(maker)).id],
    body: { cap_usd: 250 },
  }),

  [`GET ${campaigns}/{}/number-group`]: async (maker) => ({ at: [(await campaign(maker)).id] }),
  [`PUT ${campaigns}/{}/number-group`]: async (maker) => ({
    at: [(await campaign(maker)).id],
    body: { number_group_id: (await numberGroup(maker)).id },
  }),
  "GET /api/v1/outbound/contact-key": () => ({}),
  "PUT /api/v1/outbound/contact-key": () => ({ body: { variable: "patient_id" } }),
  [`GET ${campaigns}/{}/dialing-settings`]: async (maker) => ({ at: [(await campaign(maker)).id] }),
  [`PUT ${campaigns}/{}/dialing-settings`]: async (maker) => ({
    at: [(await campaign(maker)).id],
    body: { max_concurrent: 5, priority: 4 },
  }),
  [`GET ${groups}/`]: () => ({}),
  [`POST ${groups}/`]: async (maker) => ({ body: await numberGroupInput(maker) }),
  [`PUT ${groups}/`]: async (maker) => {
    const { id, channel_target_ids } = await numberGroup(maker);
    return { body: { id, name: `Numbers ${maker.next()}`, channel_target_ids, daily_cap: 20 } };
  },
  [`GET ${groups}/{}`]: async (maker) => ({ at: [(await numberGroup(maker)).id] }),
  [`DELETE ${groups}/{}`]: async (maker) => ({
    at: [(await numberGroup(maker)).id],
    query: { reason: "test" },
  }),
  [`GET ${groups}/{}/report`]: async (maker) => ({ at: [(await numberGroup(maker)).id] }),
  [`PUT ${groups}/{}/numbers/{}/rest`]: async (maker) => {
    const { id, channel_target_ids } = await numberGroup(maker);
    return { at: [id, channel_target_ids[0] as number], body: { resting_until: "2030-01-01T00:00:00Z" } };
  },

  [`GET ${campaigns}/{}/retry-hours`]: async (maker) => ({ at: [(await campaign(maker)).id] }),
  [`PUT ${campaigns}/{}/retry-hours`]: async (maker) => ({
    at: [(await campaign(maker)).id],
    body: { within_hours: 24 },
  }),
  [`GET ${campaigns}/{}/retry-rules`]: async (maker) => ({ at: [(await campaign(maker)).id] }),
  [`PUT ${campaigns}/{}/retry-rules`]: async (maker) => ({
    at: [(await campaign(maker)).id],
    body: { rules: [{ outcome: "BUSY", wait: "10m", max_retries: 3 }] },
  }),
  [`GET ${campaigns}/{}/cadence`]: async (maker) => ({ at: [(await campaign(maker)).id] }),
  [`PUT ${campaigns}/{}/cadence`]: async (maker) => {
    const source = `+1903${String(2_900_000 + maker.next())}`;
    await createSender(maker.app, maker.caller, { target: source, mode: "sms" });
    return { at: [(await campaign(maker)).id], body: { steps: [{ mode: "sms", source, wait: "10m" }] } };
  },
  "GET /api/v1/outbound/call-backs/": () => ({}),
  "DELETE /api/v1/outbound/call-backs/{}": async (maker) => ({ at: [await callBack(maker)] }),

  "GET /api/v1/do-not-call-lists/": () => ({}),
  "POST /api/v1/do-not-call-lists/": (maker) => ({ body: { name: `list-${maker.next()}` } }),
  "PUT /api/v1/do-not-call-lists/{}": async (maker) => ({
    at: [await doNotCallList(maker)],
    body: { name: `list-${maker.next()}`, kind: "national" },
  }),
  "DELETE /api/v1/do-not-call-lists/{}": async (maker) => ({
    at: [await doNotCallList(maker)],
    query: { reason: "test" },
  }),
  "POST /api/v1/do-not-call-lists/{}/csv": async (maker) => ({
    at: [await doNotCallList(maker)],
    form: { file: { filename: "list.csv", content: "212,5550123\n" } },
  }),
  "GET /api/v1/do-not-call-lists/check/{}": () => ({ at: ["+12125550123"] }),

  "GET /api/v1/outbound/confirmation": () => ({}),
  "PUT /api/v1/outbound/confirmation": () => ({ body: { above: 1_000 } }),
  "GET /api/v1/outbound/rules": () => ({}),
  "PUT /api/v1/outbound/rules": () => ({
    body: {
      person_clock: true,
      contact_hours: [{ jurisdiction: "US", channel: "call", days: ["mon"], from: "09:00", to: "20:00" }],
      caps: [{ channel: "call", attempts: 3, days: 7 }],
      days_after_conversation: 2,
    },
  }),
  "GET /api/v1/outbound/stop": () => ({}),
  "POST /api/v1/outbound/stop": () => ({}),
  "POST /api/v1/outbound/resume": () => ({}),

  [`GET ${batches}`]: () => ({}),
  [`POST ${batches}`]: async (maker) => ({ body: await batchInput(maker) }),
  [`GET ${batches}/{}`]: async (maker) => ({ at: [await batch(maker)] }),
  [`PUT ${batches}/{}`]: async (maker) => ({ at: [await batch(maker)], body: { paused: true } }),
  [`DELETE ${batches}/{}`]: async (maker) => ({ at: [await batch(maker)], form: { delete_reason: "test" } }),
  [`GET ${batches}/{}/confirmation`]: async (maker) => ({ at: [await batch(maker)] }),
  [`POST ${batches}/{}/confirmation`]: async (maker) => ({ at: [await batch(maker)], body: { people: 0 } }),
  [`GET ${batches}/{}/results`]: async (maker) => ({ at: [await batch(maker)] }),
  [`POST ${batches}/{}/requests`]: async (maker) => ({ at: [await batch(maker)], body: person(maker) }),
  [`GET ${batches}/{}/requests/{}/trace`]: async (maker) => {
    const [id, request] = [await batch(maker), person(maker)];
    await maker.post(`/outbound/batches/${id}/requests`, request);
    return { at: [id, request.reference_id] };
  },
  [`POST ${batches}/{}/requests/from`]: async (maker) => copyFrom(maker),
  [`POST ${batches}/{}/requests/from/preview`]: async (maker) => copyFrom(maker),
  [`POST ${batches}/{}/remove-requests`]: async (maker) => {
    const [id, request] = [await batch(maker), person(maker)];
    await maker.post(`/outbound/batches/${id}/requests`, request);
    return { at: [id], body: [request.reference_id] };
  },
  [`POST ${batches}/{}/upload_batch`]: async (maker) => ({
    at: [await batch(maker)],
    form: { file: { filename: "people.csv", content: "reference_id,target\r\na,+15125551234\r\n" } },
  }),
  [`POST ${campaigns}/{}/count_matches`]: async (maker) => ({ at: [(await campaign(maker)).id], body: {} }),

  [`GET ${webhooks}`]: () => ({}),
  [`POST ${webhooks}/{}/enable`]: async (maker) => ({ at: [await webhook(maker)], body: {} }),
  [`POST ${webhooks}/{}/disable`]: async (maker) => ({ at: [await webhook(maker)] }),
  [`POST ${webhooks}/{}/test`]: async (maker) => ({ at: [await webhook(maker)], body: { status: "BUSY" } }),
  [`GET ${deliveries}`]: () => ({}),
  [`GET ${deliveries}/{}`]: async (maker) => ({ at: [await delivery(maker)] }),
  [`GET ${deliveries}/{}/curl`]: async (maker) => ({ at: [await delivery(maker)] }),
  [`POST ${deliveries}/replay`]: async (maker) => ({ body: { ids: [await delivery(maker)] } }),
  [`GET ${inboxes}`]: () => ({}),
  [`POST ${inboxes}`]: (maker) => ({ body: { name: `inbox-${maker.next()}` } }),
  [`PUT ${inboxes}/{}`]: async (maker) => ({ at: [await inbox(maker)], body: { fail_next: 1 } }),
  [`DELETE ${inboxes}/{}`]: async (maker) => ({ at: [await inbox(maker)] }),
  [`GET ${inboxes}/{}/messages`]: async (maker) => ({ at: [await inbox(maker)] }),
};
