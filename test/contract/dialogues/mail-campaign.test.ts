import { beforeAll, describe, expect, test } from "vitest";
import type { Outreach } from "../../../src/channels/outreach.ts";
import { takeMailSignals } from "../../../src/dialogues/mail-signals.ts";
import { createAgent } from "../../harness/agent.ts";
import {
  type createMailbox,
  createMailServer,
  createMailWorld,
  type MailApp,
  type MailServer,
  mailsOnce,
  mailsWith,
  suppressionsOf,
} from "../../harness/mail.ts";
import { eventually } from "../../harness/simulated.ts";

/*
 * A campaign's mails. On the simulator the adapter for SendGrid runs over real HTTP, with its signed events and inbound
 * mails; the same sender then writes by SMTP.
 */
const TEXT =
  '<p>Dear {{ vars.first_name }},</p><p>come on <a href="https://clinic.example/map">Tuesday</a>?</p>';
const HOURS = { invert: false, date: null, days_of_week: null, time_range_start: null, time_range_end: null };
const TEMPLATE = {
  type: "email_template",
  subject: "Your visit, {{ vars.first_name }}",
  text: TEXT,
  preamble: "<p>Sunrise Clinic</p>",
  rules: [{ ...HOURS, description: "Wednesdays", text: TEXT, days_of_week: ["we"] }],
};

let app: MailApp;
let box: Awaited<ReturnType<typeof createMailbox>>;
let agent_id: number;
beforeAll(async () => {
  const script = 'otherwise -> say "See you on Tuesday."';
  ({ app, box, agent_id } = await createMailWorld(null, { script, greeting: TEMPLATE }));
});

let tries = 0;
const outreach = (target: string, more: Partial<Outreach> = {}): Outreach => ({
  key: `try-${++tries}-0123456789abcdef`,
  sub_organization_id: app.admin.sub_organization_id,
  mode: "email",
  campaign_id: 1,
  agent_id,
  channel_id: box.channel_id,
  channel_target_id: box.target_id,
  source: box.address,
  caller_id: null,
  target,
  variables: { "vars.first_name": "Ann <b>" },
  voicemail_detection: null,
  sms_session_ttl: null,
  is_test: false,
  ...more,
});
const later = (seconds: number) => app.mailing.simulator.schedule.advance(app.clock, seconds * 1000);
const statusOf = async (address: string) => (await mailsWith(app, address))[0]?.channel_status;
const suppressions = (address: string) => suppressionsOf(app, address);

describe("a mail of a campaign", () => {
  test("is the agent's template, escaped, with a plain part, in a session that answers go on with", async () => {
    const ann = "ann+reply@example.com";
    const reached = await app.mailing.sender.send(outreach(ann));
    expect(reached).toMatchObject({
      status: "PROCESSED",
      session_id: expect.any(Number),
      conversation_id: expect.any(Number),
    });
    const [mail] = await mailsWith(app, ann);
    expect(mail).toMatchObject({
      state: "sent",
      subject: "Your visit, Ann <b>",
      html: expect.stringContaining("<p>Dear Ann &#60;b&#62;,</p>"),
      text: expect.stringMatching(/Sunrise Clinic[\s\S]*Dear Ann <b>,[\s\S]*https:\/\/clinic\.example\/map/),
    });
    const transcript = (await app.send("GET", `/api/v1/sessions/transcript/${reached.session_id}`)).body;
    expect(JSON.stringify(transcript)).toContain("Dear Ann");
    // Which rule of the template won, as greetings tell it.
    const { entries } = (await app.send("GET", `/api/v1/sessions/${reached.session_id}/trace`)).body;
    const chosen = entries.filter(({ category }: { category: string }) => category === "greeting");
    expect(chosen).toMatchObject([
      {
        label: "rule",
        turn_index: 0,
        details: { message: "email_template", rule: 0, description: "Wednesdays", kind: "days_of_week" },
      },
    ]);

    await later(200);
    const mails = await mailsOnce(app, ann, (found) => found.length === 3 && found[2]?.state === "sent");
    expect(mails.map(({ direction, session_id }) => [direction, session_id])).toEqual([
      ["out", reached.session_id],
      ["in", reached.session_id],
      ["out", reached.session_id],
    ]);
    expect(mails[1]).toMatchObject({ new_text: "Yes, please." });
    expect(mails[2]).toMatchObject({ text: "See you on Tuesday.", answers: mails[1]?.id });
    expect(mails[0]?.channel_status).toBe("OPENED");
    // Its mails reached nobody, and the session says so.
    expect((await app.send("GET", `/api/v1/sessions/${reached.session_id}`)).body.simulated).toBe(true);
    const listed = await app.send("GET", "/api/v1/sessions/");
    expect(listed.body.items).toContainEqual(
      expect.objectContaining({ session_id: String(reached.session_id), simulated: true }),
    );
  });

  test.each([
    [
      "nobody+bounce@example.com",
      "BOUNCED",
      [{ reason: "bounced", scope: "email", said: "550 5.1.1 no such user" }],
    ],
    ["busy+blocked@example.com", "BOUNCED", []],
    ["slow+deferred@example.com", "DELIVERED", []],
    ["old+dropped@example.com", "PRIOR_BOUNCED", [{ reason: "bounced", scope: "email" }]],
    ["eve+spam@example.com", "SPAM_REPORT", [{ reason: "spam-report", scope: "all", through: "carrier" }]],
    ["joe+click@example.com", "CLICKED", []],
  ])("to %s ends as %s", async (address, status, listed) => {
    await app.mailing.sender.send(outreach(address));
    await later(300);
    await eventually(
      () => statusOf(address),
      (found) => found === status,
    );
    expect(await suppressions(address)).toMatchObject(listed);
    expect(await suppressions(address)).toHaveLength(listed.length);
  });

  test("whose unsubscribing is told again after the person was let back in stays lifted, and a new click counts", async () => {
    const address = "ada@example.com";
    const one = outreach(address);
    await app.mailing.sender.send(one);
    const attempts = { sessionStarted: async () => {}, signal: async () => {} };
    const click = (at: Date) =>
      takeMailSignals({ engine: app.engine, attempts }, { channel_id: one.channel_id }, [
        {
          key: one.key,
          sid: "sg1",
          status: "UNSUBSCRIBED",
          word: "unsubscribe",
          error_code: null,
          is_transient: null,
          at,
          address,
          reason: null,
        },
      ]);
    const first = app.clock.now();
    for (let times = 0; times < 2; times++) await click(first);
    const [entry] = await suppressions(address);
    expect(await suppressions(address)).toMatchObject([{ reason: "unsubscribed", through: "carrier" }]);
    await app.send("DELETE", `/api/v1/suppressions/${entry.id}?reason=asked`);
    await click(first);
    expect(await suppressions(address)).toEqual([]);
    await click(new Date(first.getTime() + 60_000));
    expect(await suppressions(address)).toHaveLength(1);
  });

  test("can be answered with STOP, and with a vacation notice that nobody answers", async () => {
    for (const address of ["ann+reply.stop@example.com", "bob+vacation@example.com"]) {
      await app.mailing.sender.send(outreach(address));
    }
    await later(300);
    await mailsOnce(
      app,
      "ann+reply.stop@example.com",
      (mails) => mails.at(-1)?.direction === "out" && mails.length === 3,
    );
    expect(await suppressions("ann+reply.stop@example.com")).toMatchObject([
      { reason: "unsubscribed", through: "mail" },
    ]);
    expect((await mailsWith(app, "bob+vacation@example.com")).map(({ state }) => state)).toEqual([
      "sent",
      "ignored",
    ]);
  });

  test("that is not taken tells why: refused, too many, or unknown", async () => {
    const { sender } = app.mailing;
    await expect(sender.send(outreach("x+refused@example.com"))).rejects.toMatchObject({
      fate: "refused",
      status: "DROPPED",
    });
    await expect(sender.send(outreach("x+busy@example.com"))).rejects.toMatchObject({
      fate: "not-sent",
      retry_after_s: 60,
    });
    const lost = outreach("x+down@example.com");
    await expect(sender.send(lost)).rejects.toMatchObject({ fate: "unknown" });
    expect(await sender.find(lost, app.clock.now())).toMatchObject({ status: "DELIVERY_UNKNOWN" });
    // Never a second mail for one try, whoever asks.
    expect(await sender.send(lost)).toMatchObject({ status: "DELIVERY_UNKNOWN" });
    expect(await mailsWith(app, "x+down@example.com")).toHaveLength(1);
  });

  test("that its carrier put off has ended, with its session: what is tried again is a mail of its own", async () => {
    const { sender } = app.mailing;
    const put_off = outreach("y+busy@example.com");
    await expect(sender.send(put_off)).rejects.toMatchObject({ fate: "not-sent" });
    const [mail] = await mailsWith(app, put_off.target);
    expect(mail).toMatchObject({ state: "failed", channel_status: "DEFERRED" });
    expect((await app.send("GET", `/api/v1/sessions/${mail?.session_id}`)).body).toMatchObject({
      end_reason: "error",
    });
    // Whoever goes on for a process that died right then finds that it never left.
    expect(await sender.find(put_off, app.clock.now())).toBeNull();
  });

  test("is sent once however often its try is begun, and not after it was called off", async () => {
    const { sender } = app.mailing;
    const once = outreach("once@example.com");
    const results = await Promise.allSettled([sender.send(once), sender.send(once), sender.send(once)]);
    expect(results.some(({ status }) => status === "fulfilled")).toBe(true);
    expect(await mailsWith(app, "once@example.com")).toMatchObject([{ state: "sent" }]);
    expect(await sender.find(outreach("never@example.com"), app.clock.now())).toBeNull();
  });

  test("whose delivery is told before its carrier has answered stays delivered", async () => {
    const address = "early@example.com";
    const run = (words: string) => app.database.pool.query(words);
    await run(`create function told_early() returns trigger language plpgsql as
      $$ begin new.channel_status := 'DELIVERED'; return new; end $$`);
    await run(`create trigger told_early before update of state on mail_messages for each row
      when (new.state = 'handing' and new.to_address = '${address}') execute function told_early()`);
    await app.mailing.sender.send(outreach(address));
    await run("drop trigger told_early on mail_messages");
    expect(await mailsWith(app, address)).toMatchObject([{ state: "sent", channel_status: "DELIVERED" }]);
  });

  test("that its carrier told of before the process that sent it died was sent, and nobody is told otherwise", async () => {
    const out = outreach("told@example.com");
    await app.mailing.sender.send(out);
    await app.database.pool.query(
      "update mail_messages set state = 'handing', channel_status = null, carrier_sid = null where key = $1",
      [out.key],
    );
    await later(600);
    await mailsOnce(app, out.target, ([mail]) => mail?.channel_status === "DELIVERED");
    expect(await app.mailing.sender.find(out, app.clock.now())).toMatchObject({ status: "DELIVERED" });
    expect(await mailsWith(app, out.target)).toMatchObject([{ state: "sent" }]);
    const { rows } = await app.database.pool.query(
      "select count(*)::int as n from events where type = 'mail-fate-unknown' and user_id = $1",
      [out.target],
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  test("says what its session froze, whatever was changed before it was written", async () => {
    const address = "froze@example.com";
    const out = outreach(address);
    const run = (words: string) => app.database.pool.query(words);
    await run(
      `create function no_room() returns trigger language plpgsql as $$ begin raise 'no room'; end $$`,
    );
    await run(`create trigger no_room before insert on mail_messages for each row
      when (new.to_address = '${address}') execute function no_room()`);
    await expect(app.mailing.sender.send(out)).rejects.toThrow("no room");
    await run("drop trigger no_room on mail_messages");
    const messages = app.db.updateTable("custom_messages").where("type", "=", "email_template");
    await messages.set({ subject: "Something else" }).execute();
    await app.mailing.sender.send(out);
    await messages.set({ subject: TEMPLATE.subject }).execute();
    expect(await mailsWith(app, address)).toMatchObject([{ subject: "Your visit, Ann <b>" }]);
  });

  test("that a process died over may have left: it is unknown, somebody is told once, and it is not sent again", async () => {
    const out = outreach("ann+died@example.com");
    await app.mailing.sender.send(out);
    await app.database.pool.query(
      "update mail_messages set state = 'handing', channel_status = null, carrier_sid = null where key = $1",
      [out.key],
    );
    for (let times = 0; times < 2; times++) {
      expect(await app.mailing.sender.find(out, app.clock.now())).toMatchObject({
        status: "DELIVERY_UNKNOWN",
      });
    }
    expect(await mailsWith(app, out.target)).toMatchObject([{ state: "unknown" }]);
    const { rows } = await app.database.pool.query(
      "select count(*)::int as n from events where type = 'mail-fate-unknown' and user_id = $1",
      [out.target],
    );
    expect(rows).toEqual([{ n: 1 }]);
    expect(await app.mailing.sender.send(out)).toMatchObject({ status: "DELIVERY_UNKNOWN" });
  });

  test("needs a template", async () => {
    const { agent_id: plain } = await createAgent(app, { script: 'otherwise -> say "Hi"' });
    await expect(
      app.mailing.sender.send(outreach("y@example.com", { agent_id: plain })),
    ).rejects.toMatchObject({
      fate: "refused",
      message: expect.stringContaining("no message of type email_template"),
    });
  });
});

describe("the link below a mail", () => {
  let outside: MailServer;
  let smtp: MailApp;
  let link: string;
  beforeAll(async () => {
    outside = await createMailServer();
    const account = { host: "127.0.0.1", port: String(outside.port), user: "parley", password: "right" };
    const agent = { script: 'otherwise -> say "Hi"', greeting: TEMPLATE };
    const made = await createMailWorld(outside, agent, { provider_credentials: account });
    const inbox = made.box;
    smtp = made.app;
    await smtp.mailing.sender.send(
      outreach("zoe@example.com", {
        agent_id: made.agent_id,
        channel_id: inbox.channel_id,
        channel_target_id: inbox.target_id,
        source: inbox.address,
      }),
    );
    const [mail] = outside.mails;
    const list = mail?.headers.get("list") as unknown as { unsubscribe: { url: string } };
    link = new URL(list.unsubscribe.url).pathname;
    expect(mail?.headers.get("list-unsubscribe-post") ?? list).toBeTruthy();
    expect(mail).toMatchObject({
      subject: "Your visit, Ann <b>",
      html: expect.stringContaining(`<a href="${list.unsubscribe.url}">Unsubscribe</a>`),
      text: expect.stringContaining(`Unsubscribe: ${list.unsubscribe.url}`),
    });
  });
  const listed = async () =>
    (await smtp.send("GET", "/api/v1/suppressions/?search_fields=address&search_field_values=zoe")).body
      .items;

  test("asks first, and changes nothing by being looked at", async () => {
    const page = await smtp.sendAs(null)("GET", link);
    expect(page).toMatchObject({
      status: 200,
      body: expect.stringContaining("<button>Unsubscribe</button>"),
    });
    expect(await listed()).toEqual([]);
  });

  test("takes the recipient off every list with one post, however often", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    for (let n = 0; n < 2; n++) {
      const done = await smtp.sendAs(null)("POST", link, "List-Unsubscribe=One-Click", form);
      expect(done).toMatchObject({
        status: 200,
        body: expect.stringContaining("zoe@example.com will not be written to"),
      });
    }
    expect(await listed()).toMatchObject([{ reason: "unsubscribed", scope: "all", through: "link" }]);
  });

  test("works for nobody else", async () => {
    for (const wrong of [`${link}x`, "/unsubscribe/x.y", "/unsubscribe/%00"]) {
      const answer = await smtp.sendAs(null)("POST", wrong, "", {
        "content-type": "application/x-www-form-urlencoded",
      });
      expect([404, 422]).toContain(answer.status);
    }
    expect(await listed()).toHaveLength(1);
  });
});
