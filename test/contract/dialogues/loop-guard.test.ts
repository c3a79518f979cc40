import { expect, test } from "vitest";
import { loadHistory } from "../../../src/turns/turn-history.ts";
import { createAgent } from "../../harness/agent.ts";
import type { TestApp } from "../../harness/app.ts";
import {
  createMailServer,
  createMailWorld,
  mailsOnce,
  settledMails,
  somebody,
  suppressionsOf,
} from "../../harness/mail.ts";
import { createNumber, createSimulatedApp, eventually, textsWith } from "../../harness/simulated.ts";

/* A program that answers each of our messages by itself is answered a bounded number of times. */

const SCRIPT = 'otherwise -> say "How can we help?"';
const AWAY = (n: number) =>
  `We are closed. Your request has the number ${1000 + n} and will be read next week.`;

const heldEvents = async (app: TestApp, person: string) =>
  (
    await app.send("GET", "/api/v1/events/?search_fields=type&search_field_values=answers-held")
  ).body.items.filter(({ user_id }: { user_id: string }) => user_id === person);

test("an auto-responder by text is answered three times, told of once, and answered again when it says something else", async () => {
  const quiet = { number: "+1512667*", person: { name: "quiet", text: { replies_after_s: null } } };
  const app = await createSimulatedApp({ scenario: { people: [quiet] } });
  const { agent_id } = await createAgent(app, { script: SCRIPT });
  const line = await createNumber(app, agent_id);
  const bot = "+15126670001";
  const write = async (body: string, answers: number) => {
    await app.simulator.text(line.account_sid, { from: bot, to: line.number, body });
    return eventually(
      () => textsWith(app, bot),
      (texts) =>
        texts.every(({ status }) => status !== "RECEIVED" && status !== "PENDING") &&
        texts.filter(({ direction }) => direction === "out").length === answers,
    );
  };
  for (let n = 1; n <= 61; n++) await write(AWAY(n), Math.min(n, 3));
  const events = await heldEvents(app, bot);
  expect(events).toMatchObject([
    { category: "text", attributes: { why: "repeated", our_address: line.number, words: AWAY(4) } },
  ]);
  await write("Hello, this is Ann. May I come on Tuesday?", 4);
  const held = await app.db.selectFrom("text_messages").select("id").where("held", "=", "repeated").execute();
  expect(held).toHaveLength(58);
});

test("an auto-responder by WhatsApp is answered three times, told of once, and answered again when it says something else", async () => {
  const quiet = { number: "+1512667*", person: { name: "quiet", text: { replies_after_s: null } } };
  const app = await createSimulatedApp({ scenario: { people: [quiet] } });
  const { agent_id } = await createAgent(app, { script: SCRIPT });
  const line = await createNumber(app, agent_id, { service: "whatsapp", modes: ["whatsapp"] });
  const bot = "+15126670002";
  const write = async (body: string, answers: number) => {
    await app.simulator.text(line.account_sid, {
      from: `whatsapp:${bot}`,
      to: `whatsapp:${line.number}`,
      body,
    });
    return eventually(
      () => textsWith(app, bot),
      (texts) =>
        texts.every(({ status }) => status !== "RECEIVED" && status !== "PENDING") &&
        texts.filter(({ direction }) => direction === "out").length === answers,
    );
  };
  for (let n = 1; n <= 12; n++) await write(AWAY(n), Math.min(n, 3));
  expect(await heldEvents(app, bot)).toMatchObject([
    { category: "text", attributes: { why: "repeated", our_address: line.number, words: AWAY(4) } },
  ]);
  await write("Hello, this is Ann. May I come on Tuesday?", 4);
  const kept = await app.db
    .selectFrom("text_messages")
    .select(["medium", "text"])
    .where("held", "=", "repeated")
    .orderBy("id")
    .execute();
  expect(kept).toHaveLength(9);
  expect(kept[0]).toEqual({ medium: "whatsapp", text: AWAY(4) });

  // A day later WhatsApp takes no free text: an answer to what was held would be lost, so nobody is let to believe in it.
  const [session_id, held] = await heldIn(app, bot);
  app.clock.advance(25 * 3_600_000);
  const of = `/api/v1/sessions/${session_id}/held_messages/${held[0].held.message_id}`;
  const blocked = { status: 412, body: { detail: expect.stringContaining("within 24 hours") } };
  expect(await app.send("POST", `${of}/release`)).toMatchObject(blocked);
  expect(await app.send("POST", `${of}/answer`, { text: "Hello" })).toMatchObject(blocked);
  expect((await heldIn(app, bot))[1]).toHaveLength(held.length);
});

test("an auto-responder by mail without a header that says so is answered three times, and told of once", async () => {
  const server = await createMailServer();
  const { app, box } = await createMailWorld(server, { script: SCRIPT });
  const bot = somebody();
  for (let n = 1; n <= 8; n++) {
    await app.deliver({ from: bot, to: box.address, subject: "Re: your message", text: AWAY(n) });
    await mailsOnce(
      app,
      bot,
      (mails) =>
        mails.filter(({ direction }) => direction === "in").length === n &&
        mails.every(({ state }) => !["received", "queued", "handing"].includes(state)),
    );
  }
  expect(server.mails.filter(({ envelope }) => envelope.to.includes(bot))).toHaveLength(3);
  expect(await heldEvents(app, bot)).toMatchObject([{ category: "mail", attributes: { why: "repeated" } }]);
  await app.deliver({ from: bot, to: box.address, text: "Hello, this is Ann. May I come on Tuesday?" });
  await mailsOnce(app, bot, (mails) => mails.at(-1)?.state === "sent");
  expect((await settledMails(app, bot)).filter(({ held }) => held === "repeated")).toHaveLength(5);

  const found = await app.db
    .selectFrom("mail_messages")
    .select(["id", "held_in"])
    .where("held", "is not", null)
    .orderBy("id")
    .execute();
  expect(found).toHaveLength(5);
  const [{ id, held_in }] = found as [{ id: number; held_in: number }];
  const timeline = await app.send("GET", `/api/v1/sessions/timeline/${held_in}`);
  expect(timeline.body.events.filter((event: { held?: object }) => event.held)[0]).toMatchObject({
    text: AWAY(4),
    held: { message_id: `mail-${id}`, why: "repeated" },
  });
  const before = server.mails.length;
  const release = `/api/v1/sessions/${held_in}/held_messages/mail-${id}/release`;
  expect(await app.send("POST", release)).toMatchObject({ status: 200 });
  await mailsOnce(
    app,
    bot,
    (mails) => mails.some(({ state }) => state === "sent") && server.mails.length > before,
  );
  expect((await settledMails(app, bot)).filter(({ held }) => held === "repeated")).toHaveLength(4);
});

test("texts that were held stand in the dialogue, and are answered when a person releases them", async () => {
  const quiet = { number: "+1512667*", person: { name: "quiet", text: { replies_after_s: null } } };
  const app = await createSimulatedApp({ scenario: { people: [quiet] } });
  const { agent_id } = await createAgent(app, { script: SCRIPT });
  const line = await createNumber(app, agent_id);
  const bot = "+15126670003";
  const settled = (answers: number) =>
    eventually(
      () => textsWith(app, bot),
      (texts) =>
        texts.every(({ status }) => status !== "RECEIVED" && status !== "PENDING") &&
        texts.filter(({ direction }) => direction === "out").length === answers,
    );
  for (let n = 1; n <= 5; n++) {
    await app.simulator.text(line.account_sid, { from: bot, to: line.number, body: AWAY(n) });
    await eventually(
      () => textsWith(app, bot),
      (texts) => texts.filter(({ direction }) => direction === "in").length === n,
    );
    await settled(Math.min(n, 3));
  }
  const [session_id, held] = await heldIn(app, bot);
  expect(held).toMatchObject([
    { kind: "transcript", source: "user", text: AWAY(4), held: { why: "repeated" } },
    { kind: "transcript", source: "user", text: AWAY(5), held: { why: "repeated" } },
  ]);
  const transcript = await app.send("GET", `/api/v1/sessions/transcript/${session_id}`);
  expect(transcript.body.transcription.slice(-2)).toMatchObject([
    { text: AWAY(4), held: { why: "repeated" } },
    { text: AWAY(5), held: { why: "repeated" } },
  ]);

  const release = `/api/v1/sessions/${session_id}/held_messages/${held[0].held.message_id}/release`;
  const neighbour = await app.createNeighbour();
  expect(await neighbour.send("POST", release)).toMatchObject({ status: 404 });
  expect(await app.send("POST", release)).toMatchObject({ status: 200 });
  await settled(4);
  expect((await heldIn(app, bot))[1]).toMatchObject([{ text: AWAY(5) }]);
  expect(await app.send("POST", release)).toMatchObject({ status: 404 });
  const audit = await app.send(
    "GET",
    "/api/v1/audit_entries/?search_fields=resource&search_field_values=held_messages",
  );
  expect(audit.body.items).toMatchObject([{ resource_id: held[0].held.message_id, action: "update" }]);
  const nonsense = `/api/v1/sessions/${session_id}/held_messages/text-x/release`;
  expect((await app.send("POST", nonsense)).status).toBe(404);
});

test("a text that was held is answered by hand: sent, shown with who wrote it, and read by the agent in later turns", async () => {
  const quiet = { number: "+1512667*", person: { name: "quiet", text: { replies_after_s: null } } };
  const app = await createSimulatedApp({ scenario: { people: [quiet] } });
  const { agent_id } = await createAgent(app, { script: SCRIPT });
  const line = await createNumber(app, agent_id);
  const bot = "+15126670004";
  const settled = (answers: number) =>
    eventually(
      () => textsWith(app, bot),
      (texts) =>
        texts.every(({ status }) => status !== "RECEIVED" && status !== "PENDING") &&
        texts.filter(({ direction }) => direction === "out").length === answers,
    );
  for (let n = 1; n <= 4; n++) {
    await app.simulator.text(line.account_sid, { from: bot, to: line.number, body: AWAY(n) });
    await eventually(
      () => textsWith(app, bot),
      (texts) => texts.filter(({ direction }) => direction === "in").length === n,
    );
    await settled(Math.min(n, 3));
  }
  const [session_id, held] = await heldIn(app, bot);
  const answer = `/api/v1/sessions/${session_id}/held_messages/${held[0].held.message_id}/answer`;
  expect(await app.send("POST", answer, { text: "  " })).toMatchObject({ status: 422 });
  const neighbour = await app.createNeighbour();
  expect(await neighbour.send("POST", answer, { text: "Hello" })).toMatchObject({ status: 404 });

  const words = "We call you back tomorrow. Ann from the clinic";
  const both = await Promise.all([1, 2].map(() => app.send("POST", answer, { text: words })));
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  const texts = await settled(4);
  expect(texts.findLast(({ direction }) => direction === "out")).toMatchObject({ text: words });

  const { transcription } = (await app.send("GET", `/api/v1/sessions/transcript/${session_id}`)).body;
  expect(transcription.slice(-2)).toMatchObject([
    { source: "user", text: AWAY(4), written_by: null },
    { source: "agent", text: words, written_by: app.admin.email },
  ]);
  expect(await heldIn(app, bot)).toEqual([session_id, []]);
  const audit = await app.send(
    "GET",
    "/api/v1/audit_entries/?search_fields=resource&search_field_values=held_messages",
  );
  expect(audit.body.items).toMatchObject([{ resource_id: held[0].held.message_id, action: "update" }]);

  const history = await loadHistory(app.engine, Number(session_id));
  expect(history.toSorted((a, b) => a.seq - b.seq).slice(-2)).toMatchObject([
    { kind: "message", role: "user", text: AWAY(4), aside: false },
    { kind: "message", role: "agent", text: words, aside: false },
  ]);
  await app.simulator.text(line.account_sid, { from: bot, to: line.number, body: "When is that, please?" });
  await settled(5);
  const timeline = await app.send("GET", `/api/v1/sessions/timeline/${session_id}`);
  expect(
    timeline.body.events
      .filter(({ kind }: { kind: string }) => kind === "transcript")
      .slice(-4)
      .map(({ source, text }: { source: string; text: string }) => [source, text]),
  ).toEqual([
    ["user", AWAY(4)],
    ["agent", words],
    ["user", "When is that, please?"],
    ["agent", "How can we help?"],
  ]);
});

test("a mail that was held is answered by hand, in its thread, unless its sender opted out since", async () => {
  const server = await createMailServer();
  const { app, box } = await createMailWorld(server, { script: SCRIPT });
  const bot = somebody();
  for (let n = 1; n <= 4; n++) {
    await app.deliver({ from: bot, to: box.address, subject: "Re: your message", text: AWAY(n) });
    await mailsOnce(
      app,
      bot,
      (mails) =>
        mails.filter(({ direction }) => direction === "in").length === n &&
        mails.every(({ state }) => !["received", "queued", "handing"].includes(state)),
    );
  }
  const { id, held_in, message_id } = await app.db
    .selectFrom("mail_messages")
    .select(["id", "held_in", "message_id"])
    .where("held", "is not", null)
    .executeTakeFirstOrThrow();
  const answer = `/api/v1/sessions/${held_in}/held_messages/mail-${id}/answer`;
  // Not once they have opted out since; again once that was a mistake.
  app.clock.advance(1_000);
  await app.deliver({ from: bot, to: box.address, text: "STOP" });
  await mailsOnce(app, bot, (mails) => mails.some(({ note }) => note === "suppressed"));
  expect(await app.send("POST", answer, { text: "We call you back." })).toMatchObject({
    status: 412,
    body: { detail: expect.stringContaining("no more messages") },
  });
  const [listed] = await suppressionsOf(app, bot);
  await app.send("DELETE", `/api/v1/suppressions/${listed.id}?reason=mistake`);
  await settledMails(app, bot);
  const before = server.mails.length;
  expect(await app.send("POST", answer, { text: "We call you back." })).toMatchObject({ status: 200 });
  await mailsOnce(app, bot, () => server.mails.length > before);
  expect(server.mails.at(-1)?.text).toContain("We call you back.");
  expect(server.mails.at(-1)?.inReplyTo).toBe(`<${message_id}>`);
  const { transcription } = (await app.send("GET", `/api/v1/sessions/transcript/${held_in}`)).body;
  expect(transcription.at(-1)).toMatchObject({
    source: "agent",
    text: "We call you back.",
    written_by: app.admin.email,
  });
  expect((await settledMails(app, bot)).find((mail) => mail.id === id)).toMatchObject({
    state: "answered",
    held: null,
  });
});

/** A person's newest session, and what is held in it. */
// biome-ignore lint/suspicious/noExplicitAny: an answer of our own API
async function heldIn(app: TestApp, person: string): Promise<[string, any[]]> {
  const { body } = await app.send(
    "GET",
    `/api/v1/sessions/?search_fields=source&search_field_values=${encodeURIComponent(person)}`,
  );
  const { session_id } = body.items[0];
  const timeline = await app.send("GET", `/api/v1/sessions/timeline/${session_id}`);
  return [session_id, timeline.body.events.filter((event: { held?: object }) => event.held)];
}
