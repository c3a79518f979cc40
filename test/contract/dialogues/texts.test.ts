import { beforeAll, describe, expect, test } from "vitest";
import { createCarriers } from "../../../src/carriers/carriers.ts";
import { SHOWN_AFTER_ms } from "../../../src/channels/outreach.ts";
import { suppressed } from "../../../src/consent/suppression.ts";
import { sendTexts } from "../../../src/dialogues/outbound/text-outbox.ts";
import { goOnWith } from "../../../src/dialogues/text-dialogue.ts";
import { endIdleTexts } from "../../../src/dialogues/text-session.ts";
import { waitingTexts } from "../../../src/dialogues/text-store.ts";
import { isAtWork } from "../../../src/jobs/at-work.ts";
import type { PersonsText } from "../../../src/simulator/message.ts";
import { endAsIdle } from "../../../src/turns/end-session.ts";
import { createAgent } from "../../harness/agent.ts";
import {
  createNumber,
  createSimulatedApp,
  eventually,
  type SimulatedApp,
  textsWith,
} from "../../harness/simulated.ts";

const SCRIPT = `on /bye/ -> say "Goodbye." then call hangup {}
on /everything/ -> say "${"All of it. ".repeat(200).trim()}"
on /what/ -> say "Noted."
on "without text" -> say "Please write it in words."
on silence -> say "Are you still there?"`;

let app: SimulatedApp;
let agent_id: number;
let line: Awaited<ReturnType<typeof createNumber>>;
beforeAll(async () => {
  app = await createSimulatedApp({
    scenario: {
      people: [
        {
          number: "+1512661*",
          person: { name: "429 first", api: { too_many_times: 2 }, text: { replies_after_s: null } },
        },
        {
          number: "+1512662*",
          person: {
            name: "taken, but said 500",
            api: { trouble: "500-taken" },
            text: { replies_after_s: null },
          },
        },
        { number: "+1512663*", person: { name: "off", text: { outcome: "undelivered", error_code: 30003 } } },
        {
          number: "+1512668*",
          person: { name: "ours", text: { outcome: "undelivered", error_code: 30034 } },
        },
        { number: "+1512664*", person: { name: "blocked", api: { error_code: 21610 } } },
        {
          number: "+1512665*",
          person: { name: "twice", api: { callbacks: "twice" }, text: { replies_after_s: null } },
        },
        {
          number: "+1512666*",
          person: { name: "out of order", api: { callbacks: "reordered" }, text: { replies_after_s: null } },
        },
        { number: "+1512667*", person: { name: "quiet", text: { replies_after_s: null } } },
      ],
    },
  });
  ({ agent_id } = await createAgent(app, {
    script: SCRIPT,
    systemTools: ["hangup"],
    greeting: { type: "greeting", text: "Hello from the clinic." },
  }));
  line = await createNumber(app, agent_id);
});

let people = 0;
/** Somebody new, of a kind of the scenario; most never write back by themselves. */
const somebody = (kind = 7) => `+151266${kind}${String(++people).padStart(4, "0")}`;
const write = (from: string, body: string, more: Partial<PersonsText> = {}) =>
  app.simulator.text(line.account_sid, { from, to: line.number, body, ...more });
type Texts = Awaited<ReturnType<typeof textsWith>>;
const sent = (texts: Texts) => texts.filter((text) => text.direction === "out");
const untilSent = (from: string, count: number, status = "DELIVERED") =>
  eventually(
    // An answer may be on its way before the job that makes it is done with the text.
    async () => ({ isBusy: await isAtWork(app.db, from), texts: await textsWith(app, from) }),
    ({ isBusy, texts }) => !isBusy && sent(texts).filter((text) => text.status === status).length >= count,
  ).then(({ texts }) => texts);
/** What the people who work here are told of answers that this person did not get. */
const undelivered = async (person: string) => {
  const { items } = (
    await app.send("GET", "/api/v1/events/?search_fields=type&search_field_values=answer-not-delivered")
  ).body;
  return (items as { description: string; session_id: string | null; user_id: string }[]).filter(
    ({ user_id }) => user_id === person,
  );
};
const asked = async (from: string) => {
  const answer = await app.egress.send({
    url: `http://carrier.parley.internal/carrier-simulator/2010-04-01/Accounts/${line.account_sid}/Messages.json?To=${encodeURIComponent(from)}`,
    method: "GET",
    headers: {
      authorization: `Basic ${Buffer.from(`${line.account_sid}:${line.auth_token}`).toString("base64")}`,
    },
    timeout_ms: 5000,
    max_response_bytes: 1e6,
  });
  if (answer.kind !== "response") throw new Error(answer.kind);
  return JSON.parse(answer.body.toString()).messages as { body: string }[];
};

describe("a text that comes in", () => {
  test("is greeted and answered by the agent, and the answers' delivery is told", async () => {
    const from = somebody();
    await write(from, "Hi there");
    const texts = await untilSent(from, 2);
    expect(texts.map(({ direction, text, status }) => [direction, text, status])).toEqual([
      ["in", "Hi there", "ANSWERED"],
      ["out", "Hello from the clinic.", "DELIVERED"],
      ["out", expect.any(String), "DELIVERED"],
    ]);
  });

  test("opens a session that is found by the carrier's id of the text", async () => {
    const from = somebody();
    const sid = await write(from, "what");
    await untilSent(from, 2);
    const found = await app.send("GET", `/api/v1/session_debug/sid/sms/${sid}`);
    expect(found.status).toBe(200);
    const { rows } = await app.database.pool.query(
      "select channel, channel_manager_service, channel_manager_type, source, target, is_outbound from sessions where channel_manager_sid = $1",
      [sid],
    );
    expect(rows).toEqual([
      {
        channel: "sms",
        channel_manager_service: "sms",
        channel_manager_type: "sms_twilio_v1",
        source: from,
        target: line.number,
        is_outbound: false,
      },
    ]);
  });

  test("goes on with the person's open session, and opens a new one after its time", async () => {
    const from = somebody();
    await write(from, "what");
    await untilSent(from, 2);
    app.clock.advance(719 * 60_000);
    await write(from, "what");
    const [first, , , second] = await untilSent(from, 3);
    expect(second?.session_id).toBe(first?.session_id);
    app.clock.advance(721 * 60_000);
    await write(from, "what");
    const texts = await untilSent(from, 5);
    const third = texts.filter((text) => text.direction === "in").at(-1);
    expect(third?.session_id).not.toBe(first?.session_id);
    expect(sent(texts).at(-2)?.text).toBe("Hello from the clinic.");
  });

  test("sent twice by the carrier, it is answered once", async () => {
    const from = somebody();
    const sid = "SM0123456789abcdef0123456789abcdef";
    await Promise.all([1, 2, 3].map(() => write(from, "what", { sid })));
    await untilSent(from, 2);
    await write(from, "what", { sid });
    expect((await textsWith(app, from)).map(({ text }) => text)).toEqual([
      "what",
      "Hello from the clinic.",
      "Noted.",
    ]);
  });

  test("several at once are answered one after the other, in one session", async () => {
    const from = somebody();
    await Promise.all(["what", "what", "what"].map((text) => write(from, text)));
    const texts = await untilSent(from, 4);
    expect(new Set(texts.map((text) => text.session_id)).size).toBe(1);
    expect(sent(texts).map(({ text }) => text)).toEqual([
      "Hello from the clinic.",
      "Noted.",
      "Noted.",
      "Noted.",
    ]);
  });

  test("a long answer goes out in several texts that fit, in order", async () => {
    const from = somebody();
    await write(from, "everything");
    const texts = sent(await untilSent(from, 3)).slice(1);
    expect(texts.length).toBe(2);
    expect(texts.every(({ text }) => text.length <= 1600)).toBe(true);
    expect(texts.map(({ text }) => text).join(" ")).toBe("All of it. ".repeat(200).trim());
  });

  const heardFrom = async (from: string) => {
    const { rows } = await app.database.pool.query<{ text: string }>(
      "select m.text from session_messages m join sessions s on s.id = m.session_id where s.source = $1 and m.role = 'user'",
      [from],
    );
    return rows.map(({ text }) => text);
  };

  test("with what no database stores is read without it", async () => {
    const from = somebody();
    await write(from, "wh\0at");
    const [text] = await untilSent(from, 2);
    expect(text).toMatchObject({ text: "what", status: "ANSWERED" });
    await write(from, "STOP\0");
    expect((await untilSent(from, 3)).at(-1)?.text).toContain("You will not hear from us again");
  });

  test("pictures that come with it are named to the agent", async () => {
    const from = somebody();
    await write(from, "what is this", {
      media: [{ type: "image/jpeg", url: "https://api.example/Media/ME123" }],
    });
    await untilSent(from, 2);
    expect(await heardFrom(from)).toEqual(["what is this\n[attached: image/jpeg ME123]"]);
  });

  test.each(["", " \n"])("without words (%j) is told to the agent as such, not as silence", async (words) => {
    const from = somebody();
    await write(from, words);
    const texts = await untilSent(from, 2);
    expect(await heardFrom(from)).toEqual(["[message without text]"]);
    expect(texts.at(-1)?.text).toBe("Please write it in words.");
  });

  test("that is only a reaction is not answered, and opens no session after the dialogue is over", async () => {
    const from = somebody();
    await write(from, "what");
    await untilSent(from, 2);
    await write(from, "Liked “Noted.”");
    await write(from, "bye");
    await untilSent(from, 3);
    await write(from, "Loved “Goodbye.”");
    await write(from, "Questioned “Noted.”");
    await write(from, "Liked “what you do”");
    const texts = await untilSent(from, 5);
    expect(sent(texts).map(({ text }) => text)).toEqual([
      "Hello from the clinic.",
      "Noted.",
      "Goodbye.",
      "Hello from the clinic.",
      "Noted.",
    ]);
    const said = texts.filter(({ direction }) => direction === "in");
    expect(said.map(({ text, status, session_id }) => [text, status, session_id !== null])).toEqual([
      ["what", "ANSWERED", true],
      ["Liked “Noted.”", "ANSWERED", false],
      ["bye", "ANSWERED", true],
      ["Loved “Goodbye.”", "ANSWERED", false],
      ["Questioned “Noted.”", "ANSWERED", false],
      ["Liked “what you do”", "ANSWERED", true],
    ]);
  });

  test("after the agent ended the session, the next text opens a new one", async () => {
    const from = somebody();
    await write(from, "bye");
    await untilSent(from, 2);
    await write(from, "what");
    const texts = await untilSent(from, 4);
    const [first, second] = texts.filter((text) => text.direction === "in");
    expect(second?.session_id).not.toBe(first?.session_id);
  });

  test("to a number that no agent answers it is acknowledged and dropped", async () => {
    const from = somebody();
    await app.simulator.text(line.account_sid, { from, to: "+15125559999", body: "anyone?" });
    expect(await textsWith(app, from)).toEqual([]);
  });
});

describe("opt-outs", () => {
  test("STOP is confirmed once, asked of no model, and nothing more is sent; the person's history says what was answered", async () => {
    const from = somebody();
    await write(from, "STOP");
    const texts = await untilSent(from, 1);
    expect(sent(texts)).toHaveLength(1);
    const { rows } = await app.database.pool.query(
      "select count(*)::int as n from sessions where source = $1",
      [from],
    );
    expect(rows[0].n).toBe(0);
    await write(from, "what");
    await eventually(
      () => textsWith(app, from),
      (all) => all.filter((text) => text.direction === "in").every((text) => text.status === "ANSWERED"),
    );
    expect(sent(await textsWith(app, from))).toHaveLength(1);

    const { body } = await app.send("GET", `/api/v1/contacts/${encodeURIComponent(from)}`);
    const texts_in = body.entries.filter(({ direction }: { direction: string }) => direction === "in");
    expect(
      Object.fromEntries(
        texts_in.map(({ text, status }: { text: string; status: string }) => [text, status]),
      ),
    ).toEqual({ STOP: "ANSWERED", what: "UNANSWERED" });
  });

  test("STOP said again is not confirmed again, and neither word is answered without end", async () => {
    const from = somebody();
    const settled = () =>
      eventually(
        () => textsWith(app, from),
        (all) => all.every(({ status }) => status !== "RECEIVED" && status !== "PENDING"),
      );
    for (let n = 1; n <= 5; n++) await write(from, "STOP");
    expect(sent(await settled())).toHaveLength(1);
    for (let n = 1; n <= 20; n++) await write(from, "HELP");
    expect(sent(await settled())).toHaveLength(1 + 12);
    const events = await app.db
      .selectFrom("events")
      .select(["category", "description", "attributes"])
      .where("type", "=", "answers-held")
      .where("user_id", "=", from)
      .execute();
    expect(events).toMatchObject([
      {
        category: "text",
        description: expect.stringContaining(`${from} is not answered: the same words came again and again`),
        attributes: { why: "repeated", words: "HELP" },
      },
    ]);
    expect((await suppressed(app.db, app.admin.sub_organization_id, "sms", [from])).size).toBe(1);
    await write(from, "START");
    expect(sent(await settled())).toHaveLength(1 + 12 + 1);
    expect((await suppressed(app.db, app.admin.sub_organization_id, "sms", [from])).size).toBe(0);
  });

  test("STOP and START count, and are confirmed, where no agent answers texts; all else is for nobody", async () => {
    const called = await createNumber(app, agent_id, { modes: ["voice"] });
    const from = somebody();
    const say = (body: string) => app.simulator.text(called.account_sid, { from, to: called.number, body });
    const listed = async () =>
      (await suppressed(app.db, app.admin.sub_organization_id, "voice", [from])).size;
    await say("what");
    await say("START");
    expect((await textsWith(app, from)).map(({ text, status }) => [text, status])).toEqual([
      ["START", "ANSWERED"],
    ]);
    await say("STOP");
    expect(await listed()).toBe(1);
    await untilSent(from, 1);
    await say("Start");
    expect(await listed()).toBe(0);
    expect(sent(await untilSent(from, 2))).toHaveLength(2);
  });

  test("that the carrier has answered itself are stored, and neither confirmed again nor the agent's", async () => {
    const from = somebody();
    await write(from, "adiós", { opt_out_type: "STOP" });
    expect((await suppressed(app.db, app.admin.sub_organization_id, "sms", [from])).size).toBe(1);
    await write(from, "hola", { opt_out_type: "START" });
    await write(from, "what");
    const texts = await untilSent(from, 2);
    expect(texts.map(({ direction, text }) => `${direction} ${text}`)).toEqual([
      "in adiós",
      "in hola",
      "in what",
      "out Hello from the clinic.",
      "out Noted.",
    ]);
  });

  test("are confirmed in the language of the conversation", async () => {
    const from = somebody();
    await write(from, "what");
    const [first] = await untilSent(from, 2);
    await app.database.pool.query(
      `update sessions set state = (state::jsonb || '{"language": "es-US"}')::json where id = $1`,
      [first?.session_id],
    );
    await write(from, "STOP");
    expect(sent(await untilSent(from, 3)).at(-1)?.text).toContain("No volverá a recibir mensajes");
  });

  test("START after STOP lets the agent answer again", async () => {
    const from = somebody();
    await write(from, "STOP");
    await untilSent(from, 1);
    await write(from, "START");
    await untilSent(from, 2);
    await write(from, "what");
    expect(sent(await untilSent(from, 4)).at(-1)?.text).toBe("Noted.");
  });
});

describe("what goes out", () => {
  test("is sent again after a 429, once", async () => {
    const from = somebody(1);
    await write(from, "what");
    await untilSent(from, 2);
    expect(await asked(from)).toHaveLength(2);
  });

  test("that the carrier took but answered 500 to is found, and not sent twice", async () => {
    const from = somebody(2);
    await write(from, "what");
    await untilSent(from, 2);
    expect((await asked(from)).map(({ body }) => body)).toEqual(["Noted.", "Hello from the clinic."]);
  });

  test("that did not arrive says so, with the carrier's code", async () => {
    const from = somebody(3);
    await write(from, "what");
    const texts = await untilSent(from, 2, "UNDELIVERED");
    expect(sent(texts).map((text) => text.error_code)).toEqual(["30003", "30003"]);
    // Beside the words as they were said, and in the event log.
    const told = await undelivered(from);
    expect(told.map(({ description }) => description)).toEqual(
      Array(2).fill(`An answer to ${from} by SMS was not delivered: error 30003`),
    );
    const { events } = (await app.send("GET", `/api/v1/sessions/timeline/${told[0]?.session_id}`)).body;
    expect(events.filter(({ kind }: { kind: string }) => kind === "note")).toMatchObject(
      told.map(({ description: text }) => ({ label: "Not delivered", text })),
    );
  });

  test("that did not arrive because of us says what to mend", async () => {
    const from = somebody(8);
    await write(from, "what");
    await untilSent(from, 2, "UNDELIVERED");
    const told = (await undelivered(from)).map(({ description }) => description);
    expect(told).toEqual(Array(2).fill(expect.stringContaining("not registered for texts to the US")));
  });

  test("to somebody the carrier knows as opted out is refused for good, and nobody asks again", async () => {
    const from = somebody(4);
    await write(from, "what");
    const texts = await untilSent(from, 2, "PRIOR_UNSUBSCRIBED");
    expect(await asked(from)).toEqual([]);
    expect(sent(texts)[0]?.sid).toBeNull();
    const told = (await undelivered(from)).map(({ description }) => description);
    expect(told).toEqual([expect.stringMatching(/by SMS was not delivered: Twilio answered .*21610/)]);
  });

  test("to somebody who wrote STOP to the carrier alone puts them on the list for every channel, until they write START", async () => {
    const from = somebody(4);
    const held = async () =>
      (
        await app.send(
          "GET",
          `/api/v1/suppressions/?search_fields=address&search_field_values=%2B${from.slice(1)}`,
        )
      ).body.items;
    await write(from, "what");
    await untilSent(from, 2, "PRIOR_UNSUBSCRIBED");
    expect(await held()).toMatchObject([
      {
        address: from,
        scope: "all",
        reason: "unsubscribed",
        through: "carrier",
        said: expect.stringContaining("21610"),
      },
    ]);
    await write(from, "START");
    // Its confirmation is refused, too: the simulated carrier knows no START.
    await untilSent(from, 3, "PRIOR_UNSUBSCRIBED");
    expect(await held()).toEqual([]);
  });

  test.each([
    [5, "twice"],
    [6, "out of order"],
  ])("is delivered whether callbacks come %s: %s", async (kind) => {
    const from = somebody(kind);
    await write(from, "what");
    await untilSent(from, 2);
    // A callback is answered when what it tells is stored.
    await app.simulator.quiet();
    expect(sent(await textsWith(app, from)).map(({ status }) => status)).toEqual(["DELIVERED", "DELIVERED"]);
  });
});

test("a dialogue that nobody goes on with ends after its time, as idle", async () => {
  const from = somebody();
  await write(from, "what");
  await untilSent(from, 2);
  app.clock.advance(12 * 3_600_000);
  await endIdleTexts(app.engine);
  const state = () =>
    app.database.pool
      .query("select end_reason from sessions where source = $1", [from])
      .then(({ rows }) => rows);
  expect(await state()).toEqual([{ end_reason: null }]);
  app.clock.advance(60_000);
  await endIdleTexts(app.engine);
  expect(await state()).toEqual([{ end_reason: "idle" }]);
});

describe("a text that comes as its dialogue's time runs out", () => {
  const TTL_MS = 12 * 3_600_000;
  const sessionsOf = async (source: string) =>
    (
      await app.database.pool.query(
        "select id, turn_count, end_reason from sessions where source = $1 order by id",
        [source],
      )
    ).rows as { id: number; turn_count: number; end_reason: string | null }[];

  test.each([-50, -1, 0, 1, 50])("%i ms from its end is answered, once", async (off_ms) => {
    const from = somebody();
    await write(from, "what");
    await untilSent(from, 2);
    app.clock.advance(TTL_MS + off_ms);
    await Promise.all([endIdleTexts(app.engine), write(from, "what else"), endIdleTexts(app.engine)]);
    app.clock.advance(100);
    await endIdleTexts(app.engine);
    const texts = await eventually(
      () => textsWith(app, from),
      (found) => found.every(({ status }) => status === "ANSWERED" || status === "DELIVERED"),
    );
    const answers = sent(texts).filter(({ text }) => text === "Noted.");
    expect(answers).toHaveLength(2);
    const said = await sessionsOf(from);
    expect(said.reduce((sum, { turn_count }) => sum + turn_count, 0)).toBe(2);
  });

  test("and waits for its turn is read in that dialogue, which doesn't end under it", async () => {
    const from = somebody();
    await write(from, "what");
    await untilSent(from, 2);
    // Its job is late, as when a model is slow for everybody.
    app.clock.advance(TTL_MS - 1000);
    await app.database.pool.query(
      `insert into text_messages (sub_organization_id, channel_id, channel_target_id, direction, medium, purpose, key,
         target, source, text, media, status, created_at, updated_at)
       select sub_organization_id, channel_id, channel_target_id, 'in', medium, purpose, 'late-' || key, target, source,
         'what else', media, 'RECEIVED', $2, $2 from text_messages where source = $1 and direction = 'in'`,
      [from, app.clock.now().toISOString()],
    );
    app.clock.advance(120_000);
    await endIdleTexts(app.engine);
    expect(await sessionsOf(from)).toMatchObject([{ end_reason: null }]);
    await goOnWith(
      { engine: app.engine, carriers: simulatedCarriers() },
      { channel_target_id: line.targets.sms as number, source: from },
    );
    expect(await sessionsOf(from)).toMatchObject([{ end_reason: null, turn_count: 2 }]);
  });

  test("keeps a dialogue going that was found idle just before", async () => {
    const from = somebody();
    await write(from, "what");
    await untilSent(from, 2);
    const found = await sessionsOf(from);
    await write(from, "what else");
    await untilSent(from, 3);
    await endAsIdle(app.engine, found);
    expect(await sessionsOf(from)).toMatchObject([{ end_reason: null, turn_count: 2 }]);
  });
});

test("the neighbours of a sub-organization see nothing of its texts", async () => {
  const from = somebody();
  const sid = await write(from, "what");
  await untilSent(from, 2);
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("GET", `/api/v1/session_debug/sid/sms/${sid}`)).status).toBe(404);
});

describe("a process that dies", () => {
  const dialogueOf = (source: string) => ({ channel_target_id: line.targets.sms as number, source });
  const turnsOf = async (source: string) =>
    (
      await app.database.pool.query(
        "select count(*)::int as n from session_messages m join sessions s on s.id = m.session_id where s.source = $1",
        [source],
      )
    ).rows[0].n;

  test("between the agent's answer and its sending, sends that answer and asks no model again", async () => {
    const from = somebody();
    await write(from, "what");
    await untilSent(from, 2);
    const said = await turnsOf(from);
    // As the row stood before the answers were stored.
    await app.database.pool.query("delete from text_messages where source = $1 and direction = 'out'", [
      from,
    ]);
    await app.database.pool.query("update text_messages set status = 'RECEIVED' where source = $1", [from]);
    await goOnWith({ engine: app.engine, carriers: simulatedCarriers() }, dialogueOf(from));
    expect(sent(await textsWith(app, from)).map(({ text }) => text)).toEqual([
      "Hello from the clinic.",
      "Noted.",
    ]);
    expect(await turnsOf(from)).toBe(said);
  });

  test("after the answer that ended the session, still sends it", async () => {
    const from = somebody();
    await write(from, "bye");
    await untilSent(from, 2);
    await app.database.pool.query("delete from text_messages where source = $1 and direction = 'out'", [
      from,
    ]);
    await app.database.pool.query("update text_messages set status = 'RECEIVED' where source = $1", [from]);
    await goOnWith({ engine: app.engine, carriers: simulatedCarriers() }, dialogueOf(from));
    expect(sent(await textsWith(app, from)).map(({ text }) => text)).toEqual([
      "Hello from the clinic.",
      "Goodbye.",
    ]);
  });

  test("while the carrier was asked, asks whether it has the text before sending it again", async () => {
    const from = somebody();
    await write(from, "what");
    await untilSent(from, 2);
    await app.database.pool.query(
      "update text_messages set status = 'PENDING', sid = null where source = $1 and direction = 'out'",
      [from],
    );
    await goOnWith({ engine: app.engine, carriers: simulatedCarriers() }, dialogueOf(from));
    expect(await asked(from)).toHaveLength(2);
    expect(sent(await textsWith(app, from)).every(({ sid }) => sid !== null)).toBe(true);
  });

  test("gives the carrier time to show what it took, before it sends it again", async () => {
    const from = somebody();
    await write(from, "what");
    await untilSent(from, 2);
    // Asked for at a moment at which the carrier has nothing of it.
    const asked_at = new Date(app.clock.now().getTime() + 10_000);
    await app.database.pool.query(
      "update text_messages set status = 'PENDING', sid = null, asked_at = $2 where source = $1 and direction = 'out'",
      [from, asked_at.toISOString()],
    );
    const parts = { engine: app.engine, carriers: simulatedCarriers() };
    const [text] = await waitingTexts(app.db, dialogueOf(from), "out");
    expect(await sendTexts(parts, [text!])).toEqual(new Date(asked_at.getTime() + SHOWN_AFTER_ms));
    expect(await asked(from)).toHaveLength(2);
    app.clock.advance(10_000 + SHOWN_AFTER_ms);
    expect(await sendTexts(parts, [text!])).toBeNull();
    expect(await asked(from)).toHaveLength(3);
  });

  test("for more than a day still asks for what the carrier may have taken before", async () => {
    const from = somebody();
    await write(from, "what");
    await untilSent(from, 2);
    await app.database.pool.query(
      "update text_messages set status = 'PENDING', sid = null where source = $1 and direction = 'out'",
      [from],
    );
    app.clock.advance(25 * 3_600_000);
    await goOnWith({ engine: app.engine, carriers: simulatedCarriers() }, dialogueOf(from));
    expect(sent(await textsWith(app, from))).toEqual(
      [1, 2].map(() => expect.objectContaining({ sid: expect.stringMatching(/^SM/), error_code: null })),
    );
    expect(await asked(from)).toHaveLength(2);
  });

  test("for more than a day leaves answers that nobody waits for unsent", async () => {
    const from = somebody();
    await write(from, "what");
    await untilSent(from, 2);
    await app.database.pool.query(
      "update text_messages set status = 'PENDING', sid = null, asked_at = null where source = $1 and direction = 'out'",
      [from],
    );
    app.clock.advance(25 * 3_600_000);
    await goOnWith({ engine: app.engine, carriers: simulatedCarriers() }, dialogueOf(from));
    expect(sent(await textsWith(app, from)).map(({ error_code }) => error_code)).toEqual([
      "too-late",
      "too-late",
    ]);
  });
});

const simulatedCarriers = () =>
  createCarriers({ ...app, publicUrl: app.config.public_url, operator: null, baseUrl: null });
