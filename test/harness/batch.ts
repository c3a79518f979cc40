import type { Answer, TestApp } from "./app.ts";
import { sendForm, sendUrlEncoded } from "./form.ts";
import { createSender } from "./sender.ts";

export const BATCHES = "/api/v1/outbound/batches";
/** In the United States, so that is where national numbers are read. */
export const SOURCE = "+19032900844";
export const DESK = "desk@clinic.example";

let counter = 0;

/** Addresses to send from, and campaigns and batches made through the API. */
export async function createOutbound(app: TestApp) {
  await createSender(app, app.admin, { target: SOURCE });
  await createSender(app, app.admin, { target: DESK, mode: "email" });

  const made = async (answer: Promise<Answer>) => {
    const { status, body } = await answer;
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body;
  };
  const createCampaign = (more: object = {}) =>
    made(
      app.send("POST", "/api/v1/outbound/campaigns", {
        campaign_name: `Campaign ${++counter}`,
        campaign_variables: {},
        source: SOURCE,
        caller_id: SOURCE,
        active_days: ["mon"],
        ...more,
      }),
    );
  const createMailCampaign = () => createCampaign({ mode: "email", source: DESK, caller_id: DESK });
  const campaign_id: number = (await createCampaign()).id;

  return {
    campaign_id,
    createCampaign,
    createMailCampaign,
    createBatch: (more: object = {}) =>
      made(app.send("POST", BATCHES, { batch_id: `batch-${++counter}`, campaign_id, ...more })),
    get: (batch_id: string) => app.send("GET", `${BATCHES}/${batch_id}`),
    put: (batch_id: string, body: object) => app.send("PUT", `${BATCHES}/${batch_id}`, body),
    remove: (batch_id: string, delete_reason = "test") =>
      sendUrlEncoded(app, "DELETE", `${BATCHES}/${batch_id}`, { delete_reason }),
    add: (batch_id: string, requests: unknown) =>
      app.send("POST", `${BATCHES}/${batch_id}/requests`, requests),
    results: (batch_id: string, query = "") => app.send("GET", `${BATCHES}/${batch_id}/results${query}`),
    upload: (batch_id: string, csv: string | Buffer, more?: UploadMore) => upload(app, batch_id, csv, more),
  };
}

type UploadMore = { filename?: string; field?: string; token?: string };

/** A file for a batch. */
export const upload = (
  app: TestApp,
  batch_id: string,
  content: string | Buffer,
  { filename = "people.csv", field = "file", token = app.token }: UploadMore = {},
): Promise<Answer> =>
  sendForm(app, "POST", `${BATCHES}/${batch_id}/upload_batch`, { [field]: { filename, content } }, token);

export const request = (reference_id: string, target: string, request_variables: object = {}) => ({
  reference_id,
  target,
  request_variables,
});
