import { expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { createVault } from "../../src/base/crypto.ts";
import { simulatedAccount } from "../../src/carriers/simulator-account.ts";
import { signature } from "../../src/simulator/callbacks.ts";
import type { TestApp } from "../harness/app.ts";
import { FAKE_KEY, startLlmServer } from "../harness/llm-server.ts";
import { createMailbox } from "../harness/mail.ts";
import { createPeer } from "../harness/peer.ts";
import { ofThisRun } from "../harness/seed.ts";
import { sendgridCredentials, sendgridOf } from "../harness/sendgrid.ts";
import { type Answer, newFolder, type Program, parley, send } from "./program.ts";

const SECRET_KEY = "a key for this test that is long enough for anyone";
/** A dialogue of the way before still holds its own. */
const poisonOf = (way: { name: string }) => `the words that end the program by ${way.name}`;

/** How somebody reaches the agent, and what came of what they said. */
type Way = {
  /** The name of the work in the list of what was set aside. */
  name: string;
  /** Says it as this person; again where the program died of it, as a page does. */
  say(person: string, text: string): Promise<unknown>;
  /** Whether this person was answered. */
  isAnswered(person: string): Promise<boolean>;
};

/** In the suite one of the three, by the seed. */
const WAYS = ofThisRun([
  ["a text", textWay],
  ["a mail", mailWay],
  ["a web chat", chatWay],
] as const);

test(`what kills the program (${WAYS.map(([name]) => name).join(", ")}) is set aside after two deaths, others are answered, and a retry works`, async () => {
  const folder = newFolder();
  const llm = await startLlmServer();
  const sendgrid = await createPeer();
  sendgrid.respond((_, response) => response.writeHead(202, { "x-message-id": "sg-1" }).end());
  const env: Record<string, string> = {
    SECRET_KEY,
    OPENAI_API_KEY: FAKE_KEY,
    OPENAI_BASE_URL: llm.settings.openai?.base_url ?? "",
    EGRESS_ALLOW: "127.0.0.1",
    MAIL_CHECK_SENDERS: "off",
  };
  let program = parley(["start"], { folder, env });
  const { url, token = "" } = await program.ready();
  env.PORT = new URL(url).port;
  const api = (method: string, path: string, body?: unknown) =>
    send(method, `${url}${path}`, body, { "service-api-key": token });

  let armed: string | null = null;
  let deaths = 0;
  llm.answer(({ body }) => {
    if (armed !== null && JSON.stringify(body).includes(armed)) program.child.kill("SIGKILL");
    return { text: ["We are open all day."] };
  });
  /** Whatever starts the program again: until it stays up and this holds. */
  const keepUp = async (holds: () => Promise<boolean>): Promise<void> => {
    await holding(async () => {
      if (await hasDied(program)) {
        deaths++;
        program = parley(["start"], { folder, env });
        await program.ready();
      }
      return holds().catch(() => false);
    });
  };

  for (const [, make] of WAYS) {
    const way = await make({ url, api, sendgrid: sendgrid.url });
    const poison = poisonOf(way);
    armed = poison;
    deaths = 0;
    await way.say("ann", poison).catch(() => {});
    const setAside = async (): Promise<Record<string, unknown>[]> =>
      (await api("GET", "/api/v1/queues/set_aside")).body;
    await keepUp(async () => {
      if (way.name === "web-chat") await way.say("ann", poison);
      return (await setAside()).length > 0;
    });
    expect(deaths).toBe(2);
    const [work] = await setAside();
    expect(work).toMatchObject({ interruptions: 2, [way.name === "web-chat" ? "kind" : "name"]: way.name });
    expect(work?.session_id).toEqual(expect.any(Number));
    // The program stays up, also for who writes again in that conversation.
    await way.say("ann", "Hello?").catch(() => {});
    await way.say("ben", "When are you open?");
    await holding(() => way.isAnswered("ben"));
    expect(await way.isAnswered("ann")).toBe(false);
    expect(deaths).toBe(2);
    expect(await hasDied(program)).toBe(false);
    const { items } = (
      await api("GET", "/api/v1/events/?search_fields=type&search_field_values=job_set_aside")
    ).body;
    expect(items[0].description).toContain("the program stopped");
    expect(program.stdout() + program.stderr()).toContain("was set aside: its process died on it twice");

    armed = null;
    expect((await api("POST", `/api/v1/queues/set_aside/${work?.job_id}/retry`)).status).toBe(200);
    if (way.name === "web-chat") await way.say("ann", poison);
    await holding(() => way.isAnswered("ann"));
    expect(await setAside()).toEqual([]);
  }
  await program.end("SIGTERM");
  await llm.close();
});

const holding = (look: () => Promise<boolean>): Promise<void> =>
  expect.poll(look, { interval: 100 }).toBe(true);

type Setting = {
  url: string;
  api: (method: string, path: string, body?: unknown) => Promise<Answer>;
  sendgrid: string;
};

/** A kill takes a moment to be seen. */
async function hasDied(program: Program): Promise<boolean> {
  if (!program.child.killed && program.child.exitCode === null) return false;
  await program.ended;
  return true;
}

let agents = 0;

/** An agent of the model that runs outside. */
async function agentOf(api: Setting["api"]): Promise<number> {
  const name = `Agent ${++agents}`;
  const { body: prompt } = await api("POST", "/api/v1/prompts/", {
    name,
    type: "prompt_v1",
    context: "You are a test.",
    tools: [],
    llm_config: { provider: "openai", model: "gpt-6-sol" },
  });
  const { status, body: agent } = await api("POST", "/api/v1/agents/", {
    name,
    type: "ca_v1",
    prompt_id: prompt.id,
    custom_message_id: null,
    timezone: "America/New_York",
    prompt_tool_defaults: [],
    languages: [],
    variables: {},
    tool_headers: null,
  });
  expect(status).toBe(200);
  return agent.id;
}

const PHONES: Record<string, string> = { ann: "+14155550101", ben: "+14155550111" };

async function textWay({ url, api }: Setting): Promise<Way> {
  const { body: channel } = await api("POST", "/api/v1/channels/", {
    name: "Texts",
    channel_service: "twilio",
    config: {},
  });
  const { body: bought } = await api("POST", `/api/v1/channels/twilio/${channel.id}/numbers`, {
    area_code: "512",
    friendly_name: "Clinic",
  });
  await api("POST", `/api/v1/channels/${channel.id}/targets`, {
    agent_id: await agentOf(api),
    channel_id: channel.id,
    target: bought.phone_number,
    target_mode: "sms",
  });
  const { auth_token = "" } = simulatedAccount(createVault(SECRET_KEY), channel.id);
  const address = `${url}/carriers/twilio/${channel.id}/messages`;
  let count = 0;
  return {
    name: "go-on-with-texts",
    async say(person, text) {
      const form = {
        AccountSid: "AC1",
        MessageSid: `SM${++count}`,
        From: PHONES[person] ?? "",
        To: bought.phone_number,
        Body: text,
        NumMedia: "0",
      };
      const headers = {
        "content-type": "application/x-www-form-urlencoded",
        "x-twilio-signature": signature(auth_token, address, form),
      };
      const answer = await fetch(address, { method: "POST", headers, body: new URLSearchParams(form) });
      expect(answer.status).toBe(200);
    },
    isAnswered: (person) => isHeard(api, PHONES[person] ?? ""),
  };
}

async function mailWay({ url, api, sendgrid }: Setting): Promise<Way> {
  const app = {
    send: api,
    clock: systemClock,
    sendAs: () => async (method: string, path: string, body: Buffer, headers: Record<string, string>) =>
      fetch(`${url}${path}`, { method, headers, body: new Uint8Array(body) }),
  } as unknown as TestApp;
  const box = await createMailbox(app, await agentOf(api), sendgridCredentials(sendgrid));
  const side = sendgridOf(app, box);
  let count = 0;
  const addressOf = (person: string) => `${person}@example.com`;
  return {
    name: "go-on-with-mails",
    async say(person, text) {
      const answer = await side.inbound({
        email: side.raw(
          addressOf(person),
          `Message-ID: <${++count}@mails.example>\r\nSubject: Hours\r\n`,
          text,
        ),
        envelope: side.envelope(addressOf(person)),
        SPF: "pass",
        dkim: "{@example.com : pass}",
      });
      expect(answer.status).toBe(200);
    },
    isAnswered: (person) => isHeard(api, addressOf(person)),
  };
}

async function chatWay({ url, api }: Setting): Promise<Way> {
  const { body: channel } = await api("POST", "/api/v1/channels/", {
    name: "Poisoned web",
    channel_service: "webchat",
    config: {},
  });
  const target = { target: "poisoned", target_mode: "chat" };
  await api("POST", `/api/v1/channels/${channel.id}/targets`, {
    agent_id: await agentOf(api),
    channel_id: channel.id,
    ...target,
  });
  const open = async () =>
    (await send("POST", `${url}/chat/v1/sessions`, { client_id: "poisoned" })).body as {
      session_id: string;
      token: string;
    };
  const chats: Record<string, Awaited<ReturnType<typeof open>>> = { ann: await open(), ben: await open() };
  const at = (person: string, below = "") =>
    `${url}/chat/v1/sessions/${chats[person]?.session_id}${below}?token=${chats[person]?.token}`;
  return {
    name: "web-chat",
    // Sent again, it is the same message.
    say: (person, text) => send("POST", at(person, "/messages"), { text, id: `${person}-${text}` }),
    async isAnswered(person) {
      const { messages } = (await send("GET", at(person))).body;
      return messages.at(-1)?.role === "agent";
    },
  };
}

/** Whether the agent's words are the last of this person's newest session. */
async function isHeard(api: Setting["api"], source: string): Promise<boolean> {
  const query = `search_fields=source&search_field_values=${encodeURIComponent(source)}`;
  const [session] = (await api("GET", `/api/v1/sessions/?${query}`)).body.items;
  if (!session) return false;
  const { transcription } = (await api("GET", `/api/v1/sessions/transcript/${session.session_id}`)).body;
  return transcription.at(-1)?.source === "agent";
}
