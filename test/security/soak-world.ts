import { generateKeyPairSync, randomBytes } from "node:crypto";
import { insertToken, newToken } from "../../src/accounts/api-token.ts";
import { createOrganization } from "../../src/accounts/bootstrap.ts";
import type { Caller } from "../../src/api/caller.ts";
import { systemClock } from "../../src/base/clock.ts";
import type { Db } from "../../src/db/database.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import type { Target, World } from "./soak-attack.ts";
import { POISONED_PROMPT } from "./soak-bodies.ts";
import { ATTACKERS_WORDS, type Doubles, SECRET } from "./soak-doubles.ts";

export const DOMAIN = "mail.victim.example";

/** Two organizations in a program that has just begun, one with what the other is after. Made once for all programs. */
export async function createWorld(
  db: Db,
  programs: Target[],
  operator: string,
  doubles: Doubles,
): Promise<World> {
  const url = programs[0]?.url;
  const as =
    (token: string | null) =>
    async <T extends object = { id: number }>(method: string, path: string, body?: object): Promise<T> => {
      const answer = await fetch(url + path, {
        method,
        headers: {
          ...(token !== null && { "Service-API-Key": token }),
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return JSON.parse(text) as T;
    };
  type Call = ReturnType<typeof as>;

  const tokenOf = async (caller: Caller, permissions: string[] | null) => {
    const token = newToken();
    const created_at = systemClock.now();
    const row = {
      sub_organization_id: caller.sub_organization_id,
      user_id: caller.user_id,
      name: token.slice(-6),
      permissions,
      created_by: caller.email,
      created_at,
      expires_at: new Date(created_at.getTime() + 86_400_000),
    };
    await db.transaction().execute((tx) => insertToken(tx, row, token));
    return token;
  };
  const tenant = async (name: string) => {
    const email = `${name}@${name}.example`;
    const caller = await db
      .transaction()
      .execute((tx) => createOrganization(tx, systemClock, { display_name: name, email }));
    const token = await tokenOf(caller, null);
    return { caller, email, token, call: as(token) };
  };
  const agentOf = async (call: Call, script: string, name = "Agent") => {
    const prompt = await call("POST", "/api/v1/prompts/", {
      name,
      type: "prompt_v1",
      context: `You answer.\n\`\`\`script\n${script}\n\`\`\``,
      llm_config: { provider: "openai", model: "scripted" },
      tools: [],
    });
    const agent = await call("POST", "/api/v1/agents/", {
      name,
      type: "ca_v1",
      prompt_id: prompt.id,
      custom_message_id: null,
      timezone: "UTC",
      prompt_tool_defaults: [],
      languages: [],
      variables: {},
      tool_headers: null,
    });
    return { agent_id: agent.id, prompt_id: prompt.id };
  };
  const channelOf = (call: Call, name: string, channel_service: string, config: object = {}) =>
    call("POST", "/api/v1/channels/", { name, channel_service, config });
  const link = (call: Call, agent_id: number, channel_id: number, target: string, target_mode: string) =>
    call("POST", `/api/v1/channels/${channel_id}/targets`, { agent_id, channel_id, target, target_mode });

  const mine = await tenant("victim");
  const { agent_id, prompt_id } = await agentOf(mine.call, 'otherwise -> say "Thank you."');
  const service = await mine.call("POST", "/api/v1/services/", {
    name: "Billing",
    description: "",
    auth_type: "bearer",
    auth_values: { token: SECRET },
  });
  const tool = await mine.call("POST", "/api/v1/tools/", {
    name: "bill",
    service_id: service.id,
    definition: endpointTool("bill", `${doubles.honest_url}/bill`),
  });
  const oauth = await mine.call("POST", "/api/v1/services/", {
    name: "CRM",
    description: "",
    auth_type: "oauth2",
    auth_values: { client_id: "us", client_secret: SECRET, auth_url: `${doubles.honest_url}/token` },
  });
  const web = await channelOf(mine.call, "Web", "webchat");
  const chat = `chat-${randomBytes(6).toString("hex")}`;
  const target = await link(mine.call, agent_id, web.id, chat, "chat");
  await mine.call("POST", `/api/v1/channels/${web.id}/targets/${target.id}/identity_key`, {});
  const opened = await as(null)<{ session_id: string; token: string }>("POST", "/chat/v1/sessions", {
    client_id: chat,
  });
  await as(null)("POST", `/chat/v1/sessions/${opened.session_id}/messages?token=${opened.token}`, {
    text: "Words that are nobody else's.",
  });

  const claim = await mine.call("POST", "/api/v1/mail_domains/", { domain: DOMAIN });
  await as(operator)("PUT", `/api/v1/mail_domains/claims/${claim.id}`);
  const mail = await channelOf(mine.call, DOMAIN, "email", { email: { sending_domain: DOMAIN } });
  const mailbox = `support@${DOMAIN}`;
  await link(mine.call, agent_id, mail.id, mailbox, "email");
  const public_key = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
    .publicKey.export({ format: "der", type: "spki" })
    .toString("base64");
  const sendgrid = await channelOf(mine.call, "SendGrid", "email", {
    email: { sending_domain: `sendgrid.${DOMAIN}` },
    provider_credentials: {
      api_key: "SG.key",
      base_url: doubles.honest_url,
      event_public_key: public_key,
      inbound_public_key: public_key,
    },
  });
  await link(mine.call, agent_id, sendgrid.id, `support@sendgrid.${DOMAIN}`, "email");

  const theirs = await tenant("attacker");
  const number = "+15125550001";
  const phone = await channelOf(mine.call, "Telephone", "twilio");
  await as(operator)("PUT", `/api/v1/number_owners/${encodeURIComponent(number)}`, {
    organization_id: mine.caller.organization_id,
  });
  const { agent_id: attackers } = await agentOf(theirs.call, `otherwise -> say "${ATTACKERS_WORDS}"`);
  const attackersPhone = await channelOf(theirs.call, "Telephone", "twilio");
  const attackersMail = await channelOf(theirs.call, DOMAIN, "email", { email: { sending_domain: DOMAIN } });
  await link(theirs.call, attackers, attackersMail.id, `sales@${DOMAIN}`, "email");
  const poisoned = await agentOf(theirs.call, 'otherwise -> say "Else."', "Poisoned");
  // Such a script is refused when it is saved; an earlier version may have stored one.
  await db
    .updateTable("prompt_versions")
    .set({ prompt_text: POISONED_PROMPT })
    .where("prompt_id", "=", poisoned.prompt_id)
    .execute();
  const poisoned_chat = `${chat}-poisoned`;
  const attackersWeb = await channelOf(theirs.call, "Web", "webchat");
  await link(theirs.call, poisoned.agent_id, attackersWeb.id, poisoned_chat, "chat");

  return {
    programs,
    victim: {
      insider: await tokenOf(mine.caller, ["tools_write", "tools_read"]),
      token: mine.token,
      email: mine.email,
      paths: [
        `/api/v1/agents/${agent_id}`,
        `/api/v1/prompts/${prompt_id}`,
        `/api/v1/services/${service.id}`,
        `/api/v1/tools/${tool.id}`,
        `/api/v1/channels/${web.id}/targets/${target.id}`,
        `/api/v1/channels/${phone.id}/carrier`,
        `/api/v1/sessions/${opened.session_id}`,
        `/api/v1/sessions/transcript/${opened.session_id}`,
        `/api/v1/sessions/timeline/${opened.session_id}`,
        `/api/v1/mail_domains/${claim.id}`,
      ],
      chat,
      session: opened.session_id,
      user_id: "customer-7",
      number,
      number_sid: "PN1",
      target_id: target.id,
      domain: DOMAIN,
      mailbox,
      sendgrid_channel: sendgrid.id,
      service_id: service.id,
      oauth_service_id: oauth.id,
    },
    attacker: {
      token: theirs.token,
      agent_id: attackers,
      organization_id: theirs.caller.organization_id,
      twilio_channel: attackersPhone.id,
      mailbox: `sales@${DOMAIN}`,
      poisoned_chat,
    },
    evil_url: doubles.evil_url,
  };
}

/** The victim's records; no attack may change them. What changes with each use is left out. */
export async function victimsRecords({ programs, victim }: World): Promise<string> {
  const lists = [
    "agents",
    "prompts",
    "services",
    "tools",
    "channels",
    "channels/targets",
    "users",
    "mail_domains",
  ];
  const found: unknown[] = [];
  for (const list of [...lists.map((each) => `${each}${each.includes("/") ? "" : "/"}`), "number_owners/"]) {
    const answer = await fetch(`${programs[0]?.url}/api/v1/${list}`, {
      headers: { "Service-API-Key": victim.token },
    });
    if (!answer.ok) throw new Error(`the victim's ${list}: ${answer.status}`);
    found.push(await answer.json());
  }
  return JSON.stringify(found, (key, value) =>
    /^last_(used|seen|checked)|^checked_at/.test(key) ? undefined : value,
  );
}
