import { agent } from "./agents.ts";
import type { Examples, Made, Maker } from "./example.ts";

const channelInput = (maker: Maker) => ({
  name: `Channel ${maker.next()}`,
  channel_service: "webchat",
  config: {},
});
const channel = (maker: Maker): Promise<Made> => maker.post("/channels/", channelInput(maker));

async function targetInput(maker: Maker) {
  const [on, by] = [await channel(maker), await agent(maker)];
  return { agent_id: by.id, channel_id: on.id, target: `chat-${maker.next()}`, target_mode: "chat" };
}
export async function target(maker: Maker): Promise<Made> {
  const input = await targetInput(maker);
  return maker.post(`/channels/${input.channel_id}/targets`, input);
}

const twilioInput = (maker: Maker) => ({
  name: `Twilio ${maker.next()}`,
  config: { account_sid: "AC0", auth_token: "secret" },
});
const twilio = async (maker: Maker) => (await maker.post("/channels/twilio/", twilioInput(maker))).id;

/** On the account of the installation, which may be the simulator's. */
const shared = async (maker: Maker) =>
  (await maker.post("/channels/", { ...channelInput(maker), channel_service: "twilio" })).id;

const domainInput = (maker: Maker) => ({ domain: `clinic${maker.next()}.example` });
const domain = async (maker: Maker) => (await maker.post("/mail_domains/", domainInput(maker))).id;

const consents = "/api/v1/consents";
const consentInput = (maker: Maker) => ({
  address: `+1512557${String(1000 + maker.next())}`,
  channel: "call",
  given_through: "form",
  wording: "Yes, call me about offers.",
});
const consent = async (maker: Maker): Promise<number> =>
  (await maker.post("/consents/", consentInput(maker))).id;

const suppressions = "/api/v1/suppressions";
const suppressionInput = (maker: Maker) => ({ address: `person-${maker.next()}@example.com` });
const suppression = async (maker: Maker): Promise<number> =>
  (await maker.post("/suppressions/", suppressionInput(maker))).id;

const targets = "/api/v1/channels/{}/targets";
const numbers = "/api/v1/channels/twilio/{}/numbers";

export const CHANNELS: Examples = {
  "GET /api/v1/channels/": () => ({}),
  "POST /api/v1/channels/": (maker) => ({ body: channelInput(maker) }),
  "PUT /api/v1/channels/": async (maker) => ({
    body: { id: (await channel(maker)).id, ...channelInput(maker) },
  }),
  "GET /api/v1/channels/targets": () => ({}),
  "GET /api/v1/channels/available-targets": () => ({}),
  "DELETE /api/v1/channels/{}": async (maker) => {
    const made = await target(maker);
    return { at: [made.channel_id], query: { target_id: String(made.id) } };
  },
  "GET /api/v1/channels/{}/carrier": async (maker) => ({ at: [(await channel(maker)).id] }),
  "POST /api/v1/channels/{}/carrier/test": async (maker) => ({ at: [(await channel(maker)).id] }),
  "POST /api/v1/channels/{}/simulated_contacts": async (maker) => {
    const config = { email: { sending_domain: `clinic${maker.next()}.example` } };
    const input = { name: `Mail ${maker.next()}`, channel_service: "email", config };
    const { id } = await maker.post("/channels/", input);
    const to = `desk@${config.email.sending_domain}`;
    const desk = { agent_id: (await agent(maker)).id, channel_id: id, target: to, target_mode: "email" };
    await maker.post(`/channels/${id}/targets`, desk);
    const text = "Hello, can you help me?";
    return { at: [id], body: { mode: "email", from: "ann@people.example", to, subject: "Hello", text } };
  },
  [`POST ${targets}`]: async (maker) => {
    const body = await targetInput(maker);
    return { at: [body.channel_id], body };
  },
  [`GET ${targets}/{}`]: async (maker) => {
    const made = await target(maker);
    return { at: [made.channel_id, made.id] };
  },
  [`PUT ${targets}/{}`]: async (maker) => {
    const { id, agent_id, channel_id, target_mode } = await target(maker);
    const body = { id, agent_id, channel_id, target: `chat-${maker.next()}`, target_mode };
    return { at: [channel_id, id], body };
  },

  [`POST ${targets}/{}/identity_key`]: async (maker) => {
    const made = await target(maker);
    return { at: [made.channel_id, made.id] };
  },
  [`PUT ${targets}/{}/browser_calls`]: async (maker) => {
    const made = await target(maker);
    return { at: [made.channel_id, made.id], body: { browser_calls: true } };
  },
  [`DELETE ${targets}/{}/identity_key`]: async (maker) => {
    const made = await target(maker);
    return { at: [made.channel_id, made.id] };
  },
  "GET /api/v1/mail_domains/": () => ({}),
  "POST /api/v1/mail_domains/": (maker) => ({ body: domainInput(maker) }),
  "POST /api/v1/mail_domains/{}/verify": async (maker) => ({ at: [await domain(maker)] }),
  "DELETE /api/v1/mail_domains/{}": async (maker) => ({ at: [await domain(maker)] }),
  "GET /api/v1/mail_domains/claims": () => ({}),
  "PUT /api/v1/mail_domains/claims/{}": async (maker) => ({ at: [await domain(maker)] }),
  "DELETE /api/v1/mail_domains/claims/{}": async (maker) => ({ at: [await domain(maker)] }),

  "GET /api/v1/number_owners/": () => ({}),
  "PUT /api/v1/number_owners/{}": (maker) => ({
    at: [`+1512555${String(1000 + maker.next())}`],
    body: { organization_id: maker.caller.organization_id },
  }),
  "DELETE /api/v1/number_owners/{}": async (maker) => {
    const number = `+1512556${String(1000 + maker.next())}`;
    const { organization_id, email } = maker.caller;
    const assigned_at = maker.app.clock.now().toISOString();
    const row = { number, organization_id, assigned_at, assigned_by: email };
    await maker.app.db.insertInto("number_owners").values(row).execute();
    return { at: [number] };
  },

  "POST /api/v1/channels/twilio/": (maker) => ({ body: twilioInput(maker) }),
  "PUT /api/v1/channels/twilio/": async (maker) => ({
    body: { id: await twilio(maker), ...twilioInput(maker) },
  }),
  "GET /api/v1/channels/twilio/{}": async (maker) => ({ at: [await twilio(maker)] }),
  [`GET ${numbers}`]: async (maker) => ({ at: [await shared(maker)] }),
  [`POST ${numbers}`]: async (maker) => ({
    at: [await twilio(maker)],
    body: { friendly_name: "Front desk", area_code: "512" },
  }),
  [`PUT ${numbers}`]: async (maker) => ({
    at: [await twilio(maker)],
    body: { friendly_name: "Front desk", phone_sid: "PN0" },
  }),
  [`DELETE ${numbers}/{}`]: async (maker) => ({ at: [await twilio(maker), "+15125551234"] }),
  [`POST ${numbers}/verify-a2p-compliance`]: async (maker) => ({
    at: [await twilio(maker)],
    body: { phone: "+15125551234" },
  }),

  [`GET ${suppressions}/`]: () => ({}),
  [`POST ${suppressions}/`]: (maker) => ({ body: suppressionInput(maker) }),
  [`GET ${suppressions}/{}`]: async (maker) => ({ at: [await suppression(maker)] }),
  [`DELETE ${suppressions}/{}`]: async (maker) => ({
    at: [await suppression(maker)],
    query: { reason: "test" },
  }),
  [`GET ${suppressions}/csv`]: () => ({}),
  [`POST ${suppressions}/csv`]: () => ({
    form: { file: { filename: "list.csv", content: "address\r\n+15125551234\r\n" } },
  }),

  [`GET ${consents}/`]: () => ({}),
  [`POST ${consents}/`]: (maker) => ({ body: consentInput(maker) }),
  [`GET ${consents}/{}`]: async (maker) => ({ at: [await consent(maker)] }),
  [`DELETE ${consents}/{}`]: async (maker) => ({ at: [await consent(maker)], query: { reason: "test" } }),
  [`GET ${consents}/csv`]: () => ({}),
  [`POST ${consents}/csv`]: () => ({
    form: {
      file: {
        filename: "consents.csv",
        content:
          "address,purpose,channel,given_through,valid_from\r\n+15125551234,marketing,call,form,2025-01-31\r\n",
      },
    },
  }),
};
