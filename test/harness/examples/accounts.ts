import { createOrganization } from "../../../src/accounts/bootstrap.ts";
import { png } from "../form.ts";
import { type Example, type Examples, type Maker, plainRecord } from "./example.ts";

const organization = (maker: Maker) => ({
  display_name: `Organization ${maker.next()}`,
  logo: { filename: "logo.png", content: png(120, 120) },
});

/** May do nothing, so that whoever may write roles and users may make it. */
const roleInput = (maker: Maker) => ({ name: `Role ${maker.next()}`, permissions: [] });

const userInput = async (maker: Maker) => ({
  email: `person-${maker.next()}@example.com`,
  role_id: (await maker.post("/roles/", roleInput(maker))).id,
});
const user = async (maker: Maker) => maker.post("/users/", await userInput(maker));

/** The administrator of an organization that only this call is about. */
const stranger = (maker: Maker) =>
  maker.app.db.transaction().execute((tx) =>
    createOrganization(tx, maker.app.clock, {
      display_name: "Short-lived",
      email: `stranger-${maker.next()}@example.net`,
    }),
  );

async function secondAdministrator(maker: Maker): Promise<Example> {
  const { items } = (await maker.send("GET", "/api/v1/roles/?search_fields=name&search_field_values=admin"))
    .body;
  const email = `second-${maker.next()}@example.com`;
  const { id } = await maker.post("/users/", { email, role_id: items[0].id });
  return { caller: { ...maker.caller, email, user_id: id } };
}

const singleSignOn = (maker: Maker) => ({
  name: "Okta",
  // Nobody listens there.
  issuer: "https://127.0.0.1:1/acme",
  client_id: "parley",
  client_secret: "s3cret",
  domains: [`d${maker.next()}.example.com`],
});

const ranges = "/api/v1/organizations/sip_ip_ranges/";
const rangeInput = (maker: Maker) => {
  const n = maker.next();
  return { type: "media", ip_range: `93.${n >> 16}.${(n >> 8) % 256}.${n % 256}/32` };
};
const range = async (maker: Maker) =>
  (await maker.post("/organizations/sip_ip_ranges/", rangeInput(maker))).id;

const token = (maker: Maker) => ({ name: `Token ${maker.next()}`, permissions: [] });

export const ACCOUNTS: Examples = {
  "GET /api/v1/permissions/": () => ({}),
  ...plainRecord("/roles", roleInput),

  "GET /api/v1/users/": () => ({}),
  "POST /api/v1/users/": async (maker) => ({ body: await userInput(maker) }),
  "PUT /api/v1/users/": async (maker) => {
    const { email, role_id } = await user(maker);
    return { body: { email, role_id, first_name: "Ann" } };
  },
  "DELETE /api/v1/users/": async (maker) => ({ body: { email: (await user(maker)).email, reason: "test" } }),
  "GET /api/v1/users/{}": async (maker) => ({ at: [(await user(maker)).email] }),
  "POST /api/v1/users/{}/send_email": async (maker) => ({ at: [(await user(maker)).email] }),
  "POST /api/v1/users/{}/sign_in_link": async (maker) => ({ at: [(await user(maker)).email] }),
  "DELETE /api/v1/users/delete_account": secondAdministrator,

  "GET /api/v1/organizations/": () => ({}),
  "GET /api/v1/organizations/storage": () => ({}),
  "GET /api/v1/organizations/limits": () => ({}),
  "PUT /api/v1/organizations/limits": () => ({ body: { calls_at_once: 50 } }),
  "GET /api/v1/organizations/privacy": () => ({}),
  "PUT /api/v1/organizations/privacy": () => ({ body: { retention: { recording: 30 } } }),
  "GET /api/v1/organizations/access_rules": () => ({}),
  "PUT /api/v1/organizations/access_rules": () => ({ body: { idle_minutes: 30, longest_hours: 8 } }),
  "GET /api/v1/organizations/single_sign_on": () => ({}),
  "PUT /api/v1/organizations/single_sign_on": (maker) => ({ body: singleSignOn(maker) }),
  "DELETE /api/v1/organizations/single_sign_on": async (maker) => {
    await maker.call("PUT /api/v1/organizations/single_sign_on", { body: singleSignOn(maker) });
    return {};
  },
  "POST /api/v1/organizations/single_sign_on/test": async (maker) => {
    await maker.call("PUT /api/v1/organizations/single_sign_on", { body: singleSignOn(maker) });
    return {};
  },
  "GET /api/v1/organizations/announcements": () => ({}),
  "PUT /api/v1/organizations/announcements": () => ({
    body: {
      rows: [
        {
          kind: "recording",
          jurisdiction: "US-CA",
          channels: ["call"],
          default_language: "en",
          texts: { en: "This call is recorded." },
        },
      ],
    },
  }),
  "GET /api/v1/organizations/safety_rules": () => ({}),
  "PUT /api/v1/organizations/safety_rules": () => ({ body: { calls_per_tool: 20 } }),
  "GET /api/v1/organizations/redaction": () => ({}),
  "PUT /api/v1/organizations/redaction": () => ({ body: { kinds: ["card"] } }),
  "POST /api/v1/organizations/redaction/preview": () => ({
    body: { kinds: ["card"], text: "4111 1111 1111 1111" },
  }),
  "PUT /api/v1/organizations/": (maker) => ({ form: { display_name: `Organization ${maker.next()}` } }),
  "POST /api/v1/organizations/": (maker) => ({ form: organization(maker) }),
  "DELETE /api/v1/organizations/": async (maker) => ({
    caller: await stranger(maker),
    form: { delete_comments: "test" },
  }),
  "POST /api/v1/organizations/{}/restore": async (maker) => {
    const { organization_id } = await stranger(maker);
    await maker.app.db
      .updateTable("organizations")
      .set({ deleted_at: maker.app.clock.now().toISOString() })
      .where("id", "=", organization_id)
      .execute();
    return { at: [organization_id] };
  },
  [`GET ${ranges}`]: () => ({}),
  [`POST ${ranges}`]: (maker) => ({ body: rangeInput(maker) }),
  [`PUT ${ranges}{}`]: async (maker) => ({ at: [await range(maker)], body: rangeInput(maker) }),
  [`PUT ${ranges}{}/verified`]: async (maker) => ({ at: [await range(maker)], body: { verified: true } }),
  [`DELETE ${ranges}{}`]: async (maker) => ({ at: [await range(maker)] }),

  "GET /api/v1/api_tokens/": () => ({}),
  "POST /api/v1/api_tokens/": (maker) => ({ body: token(maker) }),
  "DELETE /api/v1/api_tokens/{}": async (maker) => ({
    at: [(await maker.post("/api_tokens/", token(maker))).id],
  }),

  "GET /api/v1/audit_entries/": () => ({}),
  "GET /api/v1/audit_entries/verification": () => ({ query: { from_position: "1" } }),

  "GET /api/v1/llm_providers/": () => ({}),
  "PUT /api/v1/llm_providers/{}": () => ({ at: ["openai"], body: { api_key: "sk-test" } }),
  "POST /api/v1/llm_providers/{}/test": async (maker) => {
    // Nobody listens on the port for discarding.
    await maker.send("PUT", "/api/v1/llm_providers/google", {
      api_key: "key",
      base_url: "http://127.0.0.1:9",
    });
    return { at: ["google"] };
  },
  "DELETE /api/v1/llm_providers/{}": async (maker) => {
    await maker.send("PUT", "/api/v1/llm_providers/anthropic", { api_key: "sk-test" });
    return { at: ["anthropic"] };
  },
};
