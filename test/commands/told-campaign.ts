import { expect } from "vitest";
import { type Answer, send } from "./program.ts";

export type Caller = (method: string, path: string, body?: object) => Promise<Answer>;

/** Calls the API of a running program, as whoever has the token. */
export const callerOf =
  (url: string, token: string | undefined): Caller =>
  (method, path, body) =>
    send(method, `${url}/api/v1${path}`, body, { "Service-API-Key": token ?? "" });

/** A campaign whose one webhook tells an inbox; the inbox is made where there is none of this name. */
export async function createTold(
  call: Caller,
  inboxName: string,
  auth_values?: { hmac_secret: string },
): Promise<{ webhook_id: number }> {
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
  const inboxes = (await call("GET", "/outbound/webhook_inboxes")).body.items;
  const inbox =
    inboxes.find(({ name }: { name: string }) => name === inboxName) ??
    (await made("/outbound/webhook_inboxes", { name: inboxName }));
  const webhook = { url: inbox.url, request_method: "POST", trigger_statuses: ["COMPLETED"] };
  const campaign = await made("/outbound/campaigns", {
    campaign_name: "Told",
    mode: "email",
    campaign_variables: {},
    source: target.target,
    caller_id: null,
    active_days: ["mon"],
    webhooks: [{ ...webhook, ...(auth_values && { auth_values }) }],
  });
  return { webhook_id: campaign.webhooks[0].id };
}
