import { type Example, type Examples, type Maker, plainRecord } from "./example.ts";

/** One export runs at a time, so the last one is first declared done. */
async function quiet({ app, caller }: Maker) {
  await app.db
    .updateTable("takeouts")
    .set({ status: "failed" })
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .execute();
  return {};
}
async function job(maker: Maker): Promise<string> {
  await quiet(maker);
  return (await maker.post("/takeouts/create", {})).job_id;
}

async function setAside({ app, next }: Maker) {
  const job_id = next();
  await app.db
    .insertInto("interrupted_jobs")
    .values({
      job_id,
      name: "call-session-end-tool",
      payload: JSON.stringify({ session_id: job_id }),
      interruptions: 2,
      interrupted_at: app.clock.now().toISOString(),
      set_aside_at: app.clock.now().toISOString(),
    })
    .execute();
  return { at: [job_id] };
}

const tile = { metric: { name: "sessions" }, split: { by: "day" }, chart: "line" };
const board = ({ next }: Maker) => ({ name: `Board ${next()}`, tiles: [tile] });

const WATCHED = { metric: { name: "errors" }, condition: "above", threshold: 0.05 };
const alert = ({ next }: Maker) => ({ name: `Alert ${next()}`, ...WATCHED });

const subscription = ({ next }: Maker) => ({
  name: `Receiver ${next()}`,
  url: "https://example.com/hook",
  events: ["session.ended", "alert"],
});
const subscribed = (maker: Maker) => maker.post("/webhooks/", subscription(maker));
const eventDelivery = async (maker: Maker): Promise<string> =>
  (await maker.post(`/webhooks/${(await subscribed(maker)).id}/test`, { event: "alert" })).id;

export const REPORTS: Examples = {
  "POST /api/v1/dashboards/list": () => ({}),
  "POST /api/v1/dashboards/fetch_info": () => ({ query: { dashboard_name: "sessions" } }),
  "POST /api/v1/dashboards/session_events": () => ({}),
  "POST /api/v1/dashboards/session_summary": () => ({}),
  "POST /api/v1/dashboards/session_transfers": () => ({}),
  "POST /api/v1/dashboards/sessions": () => ({}),

  ...plainRecord("/boards", board),
  "GET /api/v1/boards/{}/figures": async (maker): Promise<Example> => ({
    at: [(await maker.post("/boards/", board(maker))).id],
  }),
  "GET /api/v1/boards/overview": () => ({}),
  "POST /api/v1/boards/tile_figures": () => ({ body: { tile, period: { last_days: 7 } } }),

  ...plainRecord("/alerts", alert),
  "GET /api/v1/alerts/changes": () => ({}),
  "POST /api/v1/alerts/preview": () => ({ body: WATCHED }),
  ...plainRecord("/webhooks", subscription),
  "POST /api/v1/webhooks/{}/enable": async (maker): Promise<Example> => ({
    at: [(await subscribed(maker)).id],
    body: {},
  }),
  "POST /api/v1/webhooks/{}/disable": async (maker): Promise<Example> => ({
    at: [(await subscribed(maker)).id],
  }),
  "POST /api/v1/webhooks/{}/test": async (maker): Promise<Example> => ({
    at: [(await subscribed(maker)).id],
    body: { event: "alert" },
  }),
  "GET /api/v1/webhooks/deliveries": () => ({}),
  "GET /api/v1/webhooks/deliveries/{}": async (maker): Promise<Example> => ({
    at: [await eventDelivery(maker)],
  }),
  "POST /api/v1/webhooks/deliveries/{}/resend": async (maker): Promise<Example> => ({
    at: [await eventDelivery(maker)],
  }),

  "GET /api/v1/queues/": () => ({}),
  "GET /api/v1/queues/set_aside": () => ({}),
  "POST /api/v1/queues/set_aside/{}/retry": setAside,
  "DELETE /api/v1/queues/set_aside/{}": setAside,

  "GET /reports/{}/data": async (maker) => {
    const { guest_token } = await maker.post("/dashboards/fetch_info?dashboard_name=sessions", {});
    return { at: ["sessions"], query: { token: guest_token } };
  },

  "GET /api/v1/takeouts/": async (maker) => {
    await job(maker);
    return {};
  },
  "POST /api/v1/takeouts/create": quiet,
  "GET /api/v1/takeouts/get/{}": async (maker) => ({ at: [await job(maker)] }),
  "GET /api/v1/takeouts/get/{}/file/{}": async (maker) => ({ at: [await job(maker), "none.zip"] }),
};
