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

export const OUTBOUND: Examples = {
  [`GET ${campaigns}`]: () => ({}),
  [`POST ${campaigns}`]: async (maker) => ({ body: await campaignInput(maker) }),
  [`GET ${campaigns}/{}`]: async (maker) => ({ at: [(await campaign(maker)).id] }),
  [`PUT ${campaigns}/{}`]: async (maker) => ({
    at: [(await campaign(maker)).id],
    body: await campaignInput(maker),
  }),
  [`DELETE ${campaigns}/{}`]: async (maker) => ({ at: [(await campaign(maker)).id] }),

  [`GET ${batches}`]: () => ({}),
  [`POST ${batches}`]: async (maker) => ({ body: await batchInput(maker) }),
  [`GET ${batches}/{}`]: async (maker) => ({ at: [await batch(maker)] }),
  [`PUT ${batches}/{}`]: async (maker) => ({ at: [await batch(maker)], body: { paused: true } }),
  [`DELETE ${batches}/{}`]: async (maker) => ({ at: [await batch(maker)], form: { delete_reason: "test" } }),
  [`GET ${batches}/{}/results`]: async (maker) => ({ at: [await batch(maker)] }),
  [`POST ${batches}/{}/requests`]: async (maker) => ({ at: [await batch(maker)], body: person(maker) }),
  [`POST ${batches}/{}/remove-requests`]: async (maker) => {
    const [id, request] = [await batch(maker), person(maker)];
    await maker.post(`/outbound/batches/${id}/requests`, request);
    return { at: [id], body: [request.reference_id] };
  },
  [`POST ${batches}/{}/upload_batch`]: async (maker) => ({
    at: [await batch(maker)],
    form: { file: { filename: "people.csv", content: "reference_id,target\r\na,+15125551234\r\n" } },
  }),
};
