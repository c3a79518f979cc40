import { beforeAll, describe, expect, test } from "vitest";
import { createCarriers } from "../../../src/carriers/carriers.ts";
import { type Outreach, SHOWN_AFTER_ms } from "../../../src/channels/outreach.ts";
import { applySignals } from "../../../src/dialogues/outbound/text-out-store.ts";
import { goOnWith } from "../../../src/dialogues/text-dialogue.ts";
import { textSender } from "../../../src/dialogues/text-sender.ts";
import { endIdleTexts } from "../../../src/dialogues/text-session.ts";
import { createAgent } from "../../harness/agent.ts";
import {
  createNumber,
  createSimulatedApp,
  eventually,
  type SimulatedApp,
  textsWith,
} from "../../harness/simulated.ts";

let app: SimulatedApp;
let line: Awaited<ReturnType<typeof createNumber>>;
let whatsapp: Awaited<ReturnType<typeof createNumber>>;
let agent_id: number;
let silent_agent_id: number;
const opened: { key: string; session_id: number }[] = [];
let carriers: ReturnType<typeof createCarriers>;
let sender: ReturnType<typeof textSender>;
let whatsappSender: ReturnType<typeof textSender>;

beforeAll(async () => {
  app = await createSimulatedApp();
  ({ agent_id } = await createAgent(app, {
    script: 'on start -> say "May I remind you of something?"\non /.*/ -> say "Noted."',
    greeting: { type: "greeting", text: "Hello {{ vars.name }}, it is the clinic." },
    agent: { agent_initiated: true },
  }));
  ({ agent_id: silent_agent_id } = await createAgent(app, { script: 'on /.*/ -> say "Noted."' }));
  line = await createNumber(app, agent_id);
  whatsapp = await createNumber(app, agent_id, { service: "whatsapp", modes: ["whatsapp"] });
  carriers = createCarriers({
    ...app,
    publicUrl: app.config.public_url,
    operator: null,
    baseUrl: null,
  });
  const attempts = {
    async sessionStarted(_tx: unknown, key: string, { session_id }: { session_id: number }) {
      opened.push({ key, session_id });
    },
  };
  sender = textSender({ engine: app.engine, carriers }, attempts, "sms");
  whatsappSender = textSender({ engine: app.engine, carriers }, attempts, "whatsapp");
});

let tries = 0;
const outreach = (target: string, more: Partial<Outreach> = {}): Outreach => ({
  key: `try-${++tries}`,
  sub_organization_id: app.admin.sub_organization_id,
  mode: "sms",
  campaign_id: 1,
  agent_id,
  channel_id: line.channel_id,
  channel_target_id: line.targets.sms as number,
  source: line.number,
  caller_id: null,
  target,
  variables: { "vars.name": "Alex" },
  voicemail_detection: null,
  sms_session_ttl: 60,
  is_test: false,
  ...more,
});
const onWhatsapp = (target: string, variables: Record<string, string> = {}) =>
  outreach(target, {
    mode: "whatsapp",
    channel_id: whatsapp.channel_id,
    channel_target_id: whatsapp.targets.whatsapp as number,
    source: whatsapp.number,
    variables: { "vars.name": "Alex", ...variables },
  });
const session = (id: number | null) =>
  app.db
    .selectFrom("sessions")
    .select(["channel_manager_sid", "is_outbound", "source", "target", "ended_at", "end_reason"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();

describe("reaching somebody by text", () => {
  test("opens the session with the agent's first words and sends them, before anybody answers", async () => {
    const out = outreach("+15126671111");
    const reached = await sender.send(out);
    expect(reached).toMatchObject({ sid: expect.stringMatching(/^SM/), status: "QUEUED" });
    expect(opened).toContainEqual({ key: out.key, session_id: reached.session_id });
    expect(await session(reached.session_id)).toMatchObject({
      channel_manager_sid: reached.sid,
      is_outbound: true,
      source: "+15126671111",
      target: line.number,
      ended_at: null,
    });
    const [first] = await textsWith(app, "+15126671111");
    expect(first).toMatchObject({
      key: out.key,
      text: "Hello Alex, it is the clinic.\n\nMay I remind you of something?",
    });
    expect(await sender.find(out, app.clock.now())).toMatchObject({
      sid: reached.sid,
      session_id: reached.session_id,
    });
  });

  test("a reply goes on with that session within the campaign's time", async () => {
    const { session_id } = await sender.send(outreach("+15126671211"));
    await app.simulator.text(line.account_sid, { from: "+15126671211", to: line.number, body: "Yes" });
    const texts = await eventually(
      () => textsWith(app, "+15126671211"),
      (all) => all.some(({ text, status }) => text === "Noted." && status === "DELIVERED"),
    );
    expect(new Set(texts.map((text) => text.session_id))).toEqual(new Set([session_id]));
    app.clock.advance(61 * 60_000);
    await app.simulator.text(line.account_sid, {
      from: "+15126671211",
      to: line.number,
      body: "Still there?",
    });
    const later = await eventually(
      () => textsWith(app, "+15126671211"),
      (all) => all.at(-1)?.text === "Noted." && all.length > texts.length,
    );
    expect(later.at(-1)?.session_id).not.toBe(session_id);
  });

  test("the largest time that a campaign may name sends the text, and keeps the dialogue open", async () => {
    const { session_id } = await sender.send(
      outreach("+15126671221", { sms_session_ttl: Number.MAX_SAFE_INTEGER }),
    );
    app.clock.advance(48 * 60 * 60_000);
    await endIdleTexts(app.engine);
    expect((await session(session_id)).ended_at).toBeNull();
  });

  test("what the carrier refuses ends the session and says why", async () => {
    const fault = await sender.send(outreach("+15126671316")).catch((error) => error);
    expect(fault).toMatchObject({ fate: "refused", status: "INVALID" });
    const last = opened.at(-1);
    expect(await session(last?.session_id ?? 0)).toMatchObject({ end_reason: "error" });
  });

  test("who wrote STOP to the carrier is on the list for calls and mails, too", async () => {
    const fault = await sender.send(outreach("+15126671324")).catch((error) => error);
    expect(fault).toMatchObject({ fate: "refused", status: "PRIOR_UNSUBSCRIBED" });
    const list = await app.send("GET", "/api/v1/suppressions/");
    expect(list.body.items).toMatchObject([
      {
        address: "+15126671324",
        scope: "all",
        through: "carrier",
        session_id: String(opened.at(-1)?.session_id),
      },
    ]);
  });

  test("what the carrier took although it failed is found, and what it did not take is not", async () => {
    const since = app.clock.now();
    const taken = outreach("+15126671431");
    expect(await sender.send(taken).catch((error) => error)).toMatchObject({ fate: "unknown" });
    expect(await sender.find(taken, since)).toMatchObject({
      sid: expect.stringMatching(/^SM/),
      session_id: expect.any(Number),
    });
    const lost = outreach("+15126671532");
    expect(await sender.send(lost).catch((error) => error)).toMatchObject({ fate: "unknown" });
    expect(await sender.find(lost, since)).toBeNull();
    expect(await sender.find(outreach("+15126671611"), since)).toBeNull();
  });

  test("what the carrier doesn't show yet has not failed; what it shows after all is believed", async () => {
    const out = outreach("+15126671932");
    const stands = async () => {
      const [text] = await textsWith(app, out.target);
      return [text?.status, text?.error_code];
    };
    expect(await sender.send(out).catch((error) => error)).toMatchObject({ fate: "unknown" });
    expect(await sender.find(out, app.clock.now())).toBeNull();
    expect(await stands()).toEqual(["PENDING", null]);
    app.clock.advance(SHOWN_AFTER_ms);
    expect(await sender.find(out, app.clock.now())).toBeNull();
    expect(await stands()).toEqual(["DELIVERY_FAILED", "not-sent"]);
    const word = {
      status: "SENT",
      word: "sent",
      sid: "SMlate",
      error_code: null,
      is_transient: null,
    } as const;
    const signal = { ...word, key: out.key, channel_id: line.channel_id, at: app.clock.now() };
    await applySignals(app.db, [signal], app.clock.now());
    expect(await stands()).toEqual(["SENT", null]);
    expect(await sender.find(out, app.clock.now())).toMatchObject({ sid: "SMlate", status: "SENT" });
  });

  test("what fails after the carrier took it ends no conversation, and is found", async () => {
    const out = outreach("+15126672137");
    const run = (words: string) => app.database.pool.query(words);
    await run(
      `create function no_room() returns trigger language plpgsql as $$ begin raise 'no room'; end $$`,
    );
    await run(`create trigger no_room before update of sid on text_messages for each row
      when (new.sid is not null and new.source = '${out.target}') execute function no_room()`);
    await expect(sender.send(out)).rejects.toThrow("no room");
    const session_id = opened.at(-1)?.session_id ?? 0;
    expect(await session(session_id)).toMatchObject({ ended_at: null });
    await run("drop trigger no_room on text_messages");
    expect(await sender.find(out, app.clock.now())).toMatchObject({
      sid: expect.stringMatching(/^SM/),
      session_id,
    });
  });

  test("words that don't fit into one text follow it as soon as the carrier is known to have it, and never without it", async () => {
    const words = Array.from({ length: 300 }, (_, n) => `Word ${n}.`).join(" ");
    const { agent_id } = await createAgent(app, { script: "", greeting: { type: "greeting", text: words } });
    const went = async (target: string) =>
      (await textsWith(app, target)).map(({ status, error_code }) =>
        error_code === null ? status : error_code,
      );
    const handedOver = async (source: string) =>
      (
        await app.db
          .selectFrom("text_messages")
          .select("asked_at")
          .where("source", "=", source)
          .orderBy("id")
          .execute()
      ).map(({ asked_at }) => asked_at !== null);
    const goOn = ({ channel_target_id, target: source }: Outreach) =>
      goOnWith({ engine: app.engine, carriers }, { channel_target_id, source });
    const late = outreach("+15126673032", { agent_id });
    expect(await sender.send(late).catch((error) => error)).toMatchObject({ fate: "unknown" });
    await goOn(late);
    expect(await handedOver(late.target)).toEqual([true, false]);
    expect(await went(late.target)).toEqual(["PENDING", "PENDING"]);
    const word = {
      status: "SENT",
      word: "sent",
      sid: "SMlong",
      error_code: null,
      is_transient: null,
    } as const;
    const signal = { ...word, key: late.key, channel_id: line.channel_id, at: app.clock.now() };
    await applySignals(app.db, [signal], app.clock.now());
    // This person's carrier answers 500 to whatever it is handed, be it by this or by the job that is at it beside.
    await goOn(late).catch((error) => expect(String(error)).toMatch(/500|Somebody else sends/));
    await eventually(
      () => handedOver(late.target),
      (handed) => handed.every(Boolean),
    );

    const lost = outreach("+15126673132", { agent_id });
    expect(await sender.send(lost).catch((error) => error)).toMatchObject({ fate: "unknown" });
    app.clock.advance(SHOWN_AFTER_ms);
    expect(await sender.find(lost, app.clock.now())).toBeNull();
    expect(await went(lost.target)).toEqual(["not-sent", "not-sent"]);
    await goOn(lost);
  });

  test("of two like texts in the same seconds, none is taken for the other's", async () => {
    // Nothing is called back for them: what was sent is known by its answer alone.
    const target = "+15126672037";
    const [first, second] = [outreach(target), outreach(target)];
    const sids = [(await sender.send(first)).sid, (await sender.send(second)).sid];
    for (const out of [second, first]) {
      await app.database.pool.query(
        "update text_messages set status = 'PENDING', sid = null where key = $1",
        [out.key],
      );
      expect((await sender.find(out, app.clock.now()))?.sid).toBe(sids[out === first ? 0 : 1]);
    }
  });

  test("a text of a try whose sending is under way is not sent by the dialogue's job beside it", async () => {
    // Nothing is called back for them, so that only who sends could give the row its sid.
    const target = "+15126671837";
    const out = outreach(target);
    await sender.send(out);
    // As the row stands while the carrier is being asked.
    await app.database.pool.query("update text_messages set status = 'PENDING', sid = null where key = $1", [
      out.key,
    ]);
    await app.simulator.text(line.account_sid, { from: target, to: line.number, body: "Hello?" });
    const texts = await eventually(
      () => textsWith(app, target),
      (all) => all.some(({ text, sid }) => text === "Noted." && sid !== null),
    );
    expect(texts.find(({ key }) => key === out.key)).toMatchObject({ sid: null });
  });

  test("an agent that has nothing to say first sends nothing", async () => {
    const out = outreach("+15126671711", { agent_id: silent_agent_id });
    expect(await sender.send(out).catch((error) => error)).toMatchObject({
      fate: "refused",
      ours: "step",
      message: expect.stringContaining("no greeting"),
    });
    expect(await textsWith(app, "+15126671711")).toEqual([]);
  });
});

describe("WhatsApp", () => {
  test("free text is refused unless the person wrote within 24 hours", async () => {
    const target = "+15126672111";
    expect(await whatsappSender.send(onWhatsapp(target)).catch((error) => error)).toMatchObject({
      name: "Withdrawn",
      message: expect.stringContaining("24 hours"),
    });
    await app.simulator.text(whatsapp.account_sid, {
      from: `whatsapp:${target}`,
      to: `whatsapp:${whatsapp.number}`,
      body: "Hi",
    });
    await eventually(
      () => textsWith(app, target),
      (all) => all.some(({ status }) => status === "DELIVERED"),
    );
    expect(await whatsappSender.send(onWhatsapp(target))).toMatchObject({ status: "QUEUED" });
    app.clock.advance(25 * 3_600_000);
    expect(await whatsappSender.send(onWhatsapp(target)).catch((error) => error)).toMatchObject({
      name: "Withdrawn",
    });
  });

  test("an approved template may open a dialogue at any time", async () => {
    const variables = { "vars.whatsapp_template": "HX1", "vars.whatsapp_template_1": "Alex" };
    const reached = await whatsappSender.send(onWhatsapp("+15126672211", variables));
    expect(reached).toMatchObject({ status: "QUEUED" });
  });

  test("a template goes out alone, however long the words are that it stands for", async () => {
    const words = Array.from({ length: 300 }, (_, n) => `Word ${n}.`).join(" ");
    const { agent_id } = await createAgent(app, { script: "", greeting: { type: "greeting", text: words } });
    const out = onWhatsapp("+15126672311", { "vars.whatsapp_template": "HX1" });
    await whatsappSender.send({ ...out, agent_id });
    const texts = await textsWith(app, "+15126672311");
    expect(texts.map(({ key }) => key)).toEqual([out.key]);
  });
});
