import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { beforeAll, describe, expect, test } from "vitest";
import { steps } from "../../../src/workflows/run-steps.examples.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES } from "../../harness/batch.ts";
import {
  createMailbox,
  createMailServer,
  createMailWorld,
  type MailApp,
  type MailServer,
  mailsOnce,
  somebody,
} from "../../harness/mail.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { workflow } from "../../harness/planned-session.ts";
import { runJobs } from "../../harness/running-jobs.ts";
import { eventually } from "../../harness/simulated.ts";

/*
 * What a campaign's people are told first, read off what left: the SMTP server's mails, and the forms that Twilio got.
 */
const AI = "I am an AI assistant.";
const SCRIPT = 'otherwise -> say "You said {user.text}."';
const announce = async (app: TestApp, channels: string[]) => {
  const row = { kind: "ai", jurisdiction: "US-CA", channels, source: "B&P Code 17941" };
  const rows = [{ ...row, texts: { en: AI }, default_language: "en" }];
  expect((await app.send("PUT", "/api/v1/organizations/announcements", { rows })).status).toBe(200);
};
const make = async (app: TestApp, path: string, body: unknown) => {
  const answer = await app.send("POST", path, body as object);
  if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};
/** A campaign from `source` to one person, whose first try is handed over. */
async function reach(app: TestApp, mode: string, source: string, target: string, variables: object = {}) {
  const batch_id = `to ${target}`;
  const campaign = await make(app, "/api/v1/outbound/campaigns", {
    campaign_name: batch_id,
    campaign_variables: variables,
    mode,
    source,
    caller_id: null,
    active_days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
    hourly_rate: 3600,
  });
  await make(app, BATCHES, { batch_id, campaign_id: campaign.id });
  await make(app, `${BATCHES}/${batch_id}/requests`, [
    { reference_id: "a", target, request_variables: { name: "Alex" } },
  ]);
  app.clock.advance(1_000);
  await app.dialer.tick();
}

describe("a campaign's first mail", () => {
  const TEMPLATE = { type: "email_template", subject: "Your visit", rules: [], preamble: null };
  let server: MailServer;
  let app: MailApp;
  let box: { address: string };
  beforeAll(async () => {
    server = await createMailServer();
    const greeting = { ...TEMPLATE, text: "<p>Dear {{ vars.name }}.</p>" };
    ({ app, box } = await createMailWorld(server, { script: SCRIPT, greeting }));
  });

  test("says it in both parts before the template, the answer does not say it again, and the trace names the row", async () => {
    await announce(app, ["email"]);
    const ann = somebody();
    await reach(app, "email", box.address, ann);
    const [first] = server.mails.filter(({ envelope }) => envelope.to.includes(ann));
    expect(first?.text).toMatch(/^I am an AI assistant\.\n\nDear Alex\./);
    expect(first?.html).toMatch(/^<p>I am an AI assistant\.<\/p><p>Dear Alex\.<\/p>/);
    const session_id = (await mailsOnce(app, ann, (mails) => mails.length > 0))[0]?.session_id;
    const trace = (await app.send("GET", `/api/v1/sessions/${session_id}/trace`)).body.entries;
    expect(trace.map(({ label }: { label: string }) => label)).toContain("announcement: ai");
    const transcript = (await app.send("GET", `/api/v1/sessions/transcript/${session_id}`)).body;
    expect(JSON.stringify(transcript)).toContain(AI);
    await app.deliver({
      from: ann,
      to: box.address,
      subject: "Re: Your visit",
      text: "hello",
      inReplyTo: first?.messageId as string,
    });
    await mailsOnce(app, ann, (mails) => mails.length === 3 && mails.at(-1)?.state === "sent");
    expect(server.mails.at(-1)?.envelope.to).toEqual([ann]);
    expect(server.mails.at(-1)?.text).toMatch(/^You said /);
    expect(server.mails.at(-1)?.text).not.toContain(AI);
  });

  test("says it, and not an opening that reaches nobody, where the agent's workflow speaks first", async () => {
    await announce(app, ["email"]);
    const flow = workflow(steps([{ id: "A", on: { start: [{ action: "say", text: "One moment." }] } }]));
    const { agent_id } = await createAgent(app, {
      script: SCRIPT,
      greeting: { ...TEMPLATE, text: "Dear {{ vars.name }}." },
      tools: [flow.record],
    });
    const own = await createMailbox(app, agent_id);
    const cid = somebody();
    await reach(app, "email", own.address, cid);
    const [first] = server.mails.filter(({ envelope }) => envelope.to.includes(cid));
    expect(first?.text).toMatch(/^I am an AI assistant\.\n\nDear Alex\./);
    await app.deliver({
      from: cid,
      to: own.address,
      subject: "Re: Your visit",
      text: "hello",
      inReplyTo: first?.messageId as string,
    });
    await mailsOnce(app, cid, (mails) => mails.length === 3 && mails.at(-1)?.state === "sent");
    expect(server.mails.at(-1)?.text).not.toContain(AI);
  });

  test("says nothing where the row is of other channels", async () => {
    await announce(app, ["call", "text", "chat"]);
    const bob = somebody();
    await reach(app, "email", box.address, bob);
    expect(server.mails.at(-1)?.envelope.to).toEqual([bob]);
    expect(server.mails.at(-1)?.text).toMatch(/^Dear Alex\./);
  });
});

describe("a campaign's first text", () => {
  const PUBLIC_URL = "https://parley.example.com";
  const ACCOUNT = { account_sid: "AC00000000000000000000000000000001", auth_token: "a token" };
  const [SMS, WHATSAPP] = ["+14155238880", "+14155238886"];
  let twilio: Peer;
  let app: TestApp;
  let url: string;
  const channels: Record<string, number> = {};
  let sids = 0;
  beforeAll(async () => {
    twilio = await createPeer();
    twilio.respond(({ path }, response) => {
      const sid = `SM${String(++sids).padStart(32, "0")}`;
      if (path.includes("IncomingPhoneNumbers")) {
        const number = { sid: "PN1", phone_number: SMS, friendly_name: "SMS" };
        json(response, 200, { ...number, incoming_phone_numbers: [number] });
      } else json(response, 201, { account_sid: ACCOUNT.account_sid, sid, status: "queued" });
    });
    app = await createTestApp({ TWILIO_BASE_URL: twilio.url, PUBLIC_URL }, undefined, {
      carriers: undefined as never,
    });
    url = await app.listen();
    await runJobs(app);
    const greeting = { type: "greeting", text: "Hello {{ vars.name }}." };
    const { agent_id } = await createAgent(app, { script: SCRIPT, greeting });
    for (const [channel_service, target_mode, target] of [
      ["twilio", "sms", SMS],
      ["whatsapp", "whatsapp", WHATSAPP],
    ] as const) {
      const { id } = await make(app, "/api/v1/channels/", {
        name: channel_service,
        channel_service,
        config: ACCOUNT,
      });
      channels[target_mode] = id;
      await make(app, `/api/v1/channels/${id}/targets`, { agent_id, channel_id: id, target, target_mode });
    }
    await announce(app, ["text"]);
  });

  const formsTo = (target: string): Record<string, string>[] =>
    twilio.requests
      .filter(({ path }) => path.endsWith("/Messages.json"))
      .map(({ body }) => Object.fromEntries(new URLSearchParams(body)))
      .filter(({ To }) => To === target);
  /** The person writes; resolves with the next form that Twilio got for them. */
  async function answerTo(mode: string, from: string, to: string, Body: string) {
    const before = formsTo(from).length;
    const path = `/carriers/twilio/${channels[mode]}/messages`;
    const form = {
      From: from,
      To: to,
      MessageSid: `SM9${String(++sids).padStart(31, "0")}`,
      Body,
      NumMedia: "0",
    };
    const signature = getExpectedTwilioSignature(ACCOUNT.auth_token, PUBLIC_URL + path, form);
    const headers = { "x-twilio-signature": signature };
    const told = await fetch(url + path, { method: "POST", headers, body: new URLSearchParams(form) });
    expect(told.status).toBeLessThan(300);
    const forms = await eventually(
      async () => formsTo(from),
      (found) => found.length > before,
    );
    return forms.slice(before).map((each) => each.Body);
  }

  test("says it before the greeting, and the answer does not say it again", async () => {
    const ann = "+14155550171";
    await reach(app, "sms", SMS as string, ann);
    expect(formsTo(ann).map(({ Body }) => Body)).toEqual([`${AI}\n\nHello Alex.`]);
    expect(await answerTo("sms", ann, SMS as string, "hi")).toEqual(["You said hi."]);
  });

  test("by an approved template of WhatsApp has no place for it, so the first answer says it, once", async () => {
    const bob = "+14155550172";
    const [person, ours] = [`whatsapp:${bob}`, `whatsapp:${WHATSAPP}`];
    await reach(app, "sms", WHATSAPP as string, bob, { whatsapp_template: "HX0123" });
    expect(formsTo(person)).toMatchObject([{ ContentSid: "HX0123" }]);
    expect((await answerTo("whatsapp", person, ours, "hi")).join("\n")).toContain(AI);
    await eventually(
      async () => formsTo(person).map(({ Body }) => Body),
      (bodies) => bodies.some((body) => body?.includes("You said hi.")),
    );
    expect(await answerTo("whatsapp", person, ours, "more")).toEqual(["You said more."]);
  });
});
