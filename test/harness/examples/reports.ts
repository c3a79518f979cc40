import type { Examples, Maker } from "./example.ts";

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

export const REPORTS: Examples = {
  "POST /api/v1/dashboards/list": () => ({}),
  "POST /api/v1/dashboards/fetch_info": () => ({ query: { dashboard_name: "sessions" } }),
  "POST /api/v1/dashboards/session_events": () => ({}),
  "POST /api/v1/dashboards/session_summary": () => ({}),
  "POST /api/v1/dashboards/session_transfers": () => ({}),
  "POST /api/v1/dashboards/sessions": () => ({}),

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
