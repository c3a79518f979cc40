import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import MailComposer from "nodemailer/lib/mail-composer";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { endIdleMails, enqueueGoOn } from "../../../src/dialogues/mail-dialogue.ts";
import { MAIL_TTL_MS, type MailParts } from "../../../src/dialogues/mail-parts.ts";
import { receiveMail } from "../../../src/dialogues/mail-receive.ts";
import {
  type createMailbox,
  createMailServer,
  createMailWorld,
  type MailApp,
  type MailServer,
  mailsOnce,
  mailsWith,
  settledMails,
  somebody,
  suppressionsOf,
} from "../../harness/mail.ts";
import { eventually } from "../../harness/simulated.ts";
import { waitForLocks } from "../../harness/waiting.ts";

let outside: MailServer;
let app: MailApp;
let box: Awaited<ReturnType<typeof createMailbox>>;
beforeAll(async () => {
  outside = await createMailServer();
  ({ app, box } = await createMailWorld(outside, {
    script: [
      'on "tuesday" -> say "Tuesday it is."',
      'on "invoice.pdf" -> say "Thank you for the invoice."',
      'on "leave me alone" -> call opt_out {}',
      'after opt_out -> say "We will leave you alone."',
      'on "bye" -> say "Goodbye!" then call hangup {"reason": "done"}',
      'on "without text" -> say "Please tell us what it is about."',
      'on silence -> say "Are you still there?"',
      'otherwise -> say "How can we help?"',
    ].join("\n"),
    systemTools: ["hangup", "opt_out"],
  }));
});
beforeEach(() => {
  outside.answer = null;
});

const sentTo = (address: string) => outside.mails.filter(({ envelope }) => envelope.to.includes(address));
/** Resolves with the nth mail that the outside server took for this address. */
const nthMail = async (address: string, n: number) => {
  const found = await eventually(
    async () => sentTo(address),
    (mails) => mails.length >= n,
  );
  return found[n - 1] as NonNullable<(typeof found)[number]>;
};
const settled = (address: string) => settledMails(app, address);
const session = (id: number | null) =>
  app.db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

describe("a conversation by mail", () => {
  test("that a person really wrote is not shown as simulated, whatever its Message-ID says", async () => {
    const ann = somebody();
    const messageId = "<SM51512e51aaaaaaaaaaaaaaaaaaaaaaaa@example.com>";
    await app.deliver({ from: ann, to: box.address, subject: "Visit", text: "Hello", messageId });
    const [mail] = await mailsOnce(app, ann, (found) => found.length === 2);
    const { body } = await app.send("GET", `/api/v1/sessions/${mail?.session_id}`);
    expect(body).toMatchObject({ channel_manager_type: "email_v1", simulated: false });
  });

  test.each(["", " \n\n"])("begins with what an empty mail is (%j), not with silence", async (text) => {
    const ann = somebody();
    await app.deliver({ from: ann, to: box.address, text });
    const first = await nthMail(ann, 1);
    expect(first.text).toContain("Please tell us what it is about.");
  });

  test("tells the subject of a mail without words, which says all where an invitation is declined", async () => {
    const ann = somebody();
    await app.deliver({ from: ann, to: box.address, subject: "Visit", text: "Hello" });
    const to = (await nthMail(ann, 1)).replyTo?.value[0]?.address ?? "";
    const invitation = "BEGIN:VCALENDAR\r\nMETHOD:REPLY\r\nEND:VCALENDAR\r\n";
    const raw = `From: ${ann}\r\nSubject: Declined: Visit on Tuesday\r\nContent-Type: text/calendar; method=REPLY\r\n\r\n${invitation}`;
    await app.deliver({ from: ann, to, raw });
    expect((await nthMail(ann, 2)).text).toContain("Tuesday it is.");
  });

  test("is answered in its thread, and goes on by the answer's address or its references", async () => {
    const ann = somebody();
    await app.deliver({
      from: `Ann <${ann}>`,
      to: box.address,
      subject: "Visit",
      text: "Hello",
      messageId: `<1.${ann}>`,
    });
    const first = await nthMail(ann, 1);
    expect(first).toMatchObject({
      subject: "Re: Visit",
      text: expect.stringContaining("How can we help?"),
      inReplyTo: `<1.${ann}>`,
      from: { value: [{ address: box.address }] },
    });
    expect(first.headers.get("auto-submitted")).toBe("auto-replied");
    expect(first.headers.has("list-unsubscribe")).toBe(false);
    const replyTo = first.replyTo?.value[0]?.address ?? "";
    expect(replyTo).toMatch(new RegExp(`^reply-\\d+-[0-9a-f]{24}@${box.domain}$`));
    expect(first.envelope.from).toBe(replyTo);

    // By the token, with the whole first mail quoted below.
    await app.deliver({
      from: ann,
      to: replyTo,
      subject: "Re: Visit",
      text: `Can I come on Tuesday?\n\nOn Wed, 18 Nov 2026, Clinic <${box.address}> wrote:\n> How can we help? bye`,
    });
    expect((await nthMail(ann, 2)).text).toContain("Tuesday it is.");

    // By References, to the plain address.
    await app.deliver({
      from: ann,
      to: box.address,
      subject: "Re: Visit",
      text: "tuesday then",
      headers: { References: (await nthMail(ann, 2)).messageId ?? "" },
    });
    await nthMail(ann, 3);
    const mails = await settled(ann);
    expect(new Set(mails.map(({ session_id }) => session_id)).size).toBe(1);
    expect(await session(mails[0]?.session_id ?? null)).toMatchObject({
      channel: "email",
      channel_manager_service: "email",
      channel_manager_type: "email_v1",
      source: ann,
      target: box.address,
      turn_count: 3,
    });
    const { items } = (
      await app.send("GET", `/api/v1/sessions/?search_fields=source&search_field_values=${ann}`)
    ).body;
    expect(items).toHaveLength(1);
  });

  test("is not gone on with by a reaction, unless that answers a question", async () => {
    const ann = somebody();
    const reaction = (to: string, id: string, about: string) =>
      app.deliver({
        from: ann,
        to,
        raw: [
          ...[`From: ${ann}`, "Subject: Re: Visit", `Message-ID: <${id}.${ann}>`, `In-Reply-To: ${about}`],
          ...[
            'Content-Type: multipart/alternative; boundary="b"',
            "",
            "--b",
            "Content-Type: text/plain; charset=utf-8",
          ],
          ...["", "👍 Ann reacted via Gmail", "--b", "Content-Type: text/vnd.google.email-reaction+json", ""],
          ...['{"emoji":"👍","version":1}', "--b--", ""],
        ].join("\r\n"),
      });
    await app.deliver({ from: ann, to: box.address, text: "tuesday" });
    const told = await nthMail(ann, 1);
    const to = told.replyTo?.value[0]?.address ?? "";
    await reaction(to, "r1", told.messageId ?? "");
    await app.deliver({ from: ann, to, text: "Hello" });
    const asked = await nthMail(ann, 2);
    expect([told.text, asked.text]).toEqual(["Tuesday it is.\n", "How can we help?\n"]);
    await reaction(to, "r2", asked.messageId ?? "");
    await nthMail(ann, 3);
    const mails = (await settled(ann)).filter(({ direction }) => direction === "in");
    expect(mails.map(({ state, note, attachments }) => [state, note, attachments])).toEqual([
      ["answered", null, []],
      ["ignored", "it is a reaction to a mail", []],
      ["answered", null, []],
      ["answered", null, []],
    ]);
  });

  test("in other hands is a session of its own", async () => {
    const [ann, eve] = [somebody(), somebody()];
    await app.deliver({ from: ann, to: box.address, text: "Hello" });
    const { replyTo } = await nthMail(ann, 1);
    await app.deliver({ from: eve, to: replyTo?.value[0]?.address ?? "", text: "Hello" });
    await nthMail(eve, 1);
    const [mine] = await settled(ann);
    const [theirs] = await settled(eve);
    expect(theirs?.session_id).not.toBe(mine?.session_id);
    expect(sentTo(ann)).toHaveLength(1);
  });

  test("that the agent ended, or that is a week old, begins anew", async () => {
    const ann = somebody();
    await app.deliver({ from: ann, to: box.address, text: "bye" });
    const first = await nthMail(ann, 1);
    expect(first.text).toContain("Goodbye!");
    await app.deliver({ from: ann, to: first.replyTo?.value[0]?.address ?? "", text: "Hello again" });
    const second = await nthMail(ann, 2);
    app.clock.advance(8 * 86_400_000);
    expect(await endIdleMails(app.engine)).toBeGreaterThan(0);
    await app.deliver({ from: ann, to: second.replyTo?.value[0]?.address ?? "", text: "Hello again" });
    await nthMail(ann, 3);
    const mails = await settled(ann);
    expect(new Set(mails.map(({ session_id }) => session_id)).size).toBe(3);
  });

  test("is answered once when a mail comes as its week runs out", async () => {
    for (const off_ms of [-50, 0, 50]) {
      const ann = somebody();
      await app.deliver({ from: ann, to: box.address, text: "Hello" });
      const first = await nthMail(ann, 1);
      await settled(ann);
      app.clock.advance(MAIL_TTL_MS + off_ms);
      const again = { from: ann, to: first.replyTo?.value[0]?.address ?? "", text: "Hello again" };
      await Promise.all([endIdleMails(app.engine), app.deliver(again), endIdleMails(app.engine)]);
      app.clock.advance(100);
      await endIdleMails(app.engine);
      await nthMail(ann, 2);
      await settled(ann);
      expect(sentTo(ann)).toHaveLength(2);
    }
  });

  test("is answered once, though the process died before it said so and came back after a week", async () => {
    const ann = somebody();
    await app.deliver({ from: ann, to: box.address, text: "Hello" });
    const first = await nthMail(ann, 1);
    await app.deliver({ from: ann, to: first.replyTo?.value[0]?.address ?? "", text: "Hello again" });
    await nthMail(ann, 2);
    const mails = await settled(ann);
    const turns = () =>
      app.db.selectFrom("sessions").select(["id", "turn_count"]).where("source", "=", ann).execute();
    const before = await turns();
    const second = mails.findLast(({ direction }) => direction === "in");
    await app.database.pool.query("delete from mail_messages where answers = $1", [second?.id]);
    await app.database.pool.query("update mail_messages set state = 'received' where id = $1", [second?.id]);
    app.clock.advance(8 * 86_400_000);
    await endIdleMails(app.engine);
    await app.db
      .transaction()
      .execute((tx) => enqueueGoOn(tx, { channel_target_id: box.target_id, source: ann }));
    await nthMail(ann, 3);
    expect(await turns()).toEqual(before);
  });

  test("keeps files, and tells the agent their names", async () => {
    const ann = somebody();
    const attachments = [{ filename: "../invoice.pdf", content: Buffer.from("%PDF-1.7") }];
    await app.deliver({ from: ann, to: box.address, text: "see below", attachments });
    expect((await nthMail(ann, 1)).text).toContain("Thank you for the invoice.");
    const [mail] = await mailsWith(app, ann);
    const [file] = (mail?.attachments ?? []) as { name: string; file_name: string; size: number }[];
    expect(file).toMatchObject({ name: ".._invoice.pdf", size: 8 });
    const bytes = readFileSync(path.join(app.config.data_dir, "mail", file?.file_name ?? ""));
    expect(bytes.toString()).toBe("%PDF-1.7");
  });

  test("leaves no files of a mail that could not be stored once that comes again, and changes none that is read", async () => {
    const ann = somebody();
    const attachments = [{ filename: "invoice.pdf", content: Buffer.from("%PDF-1.7") }];
    const mail = { from: ann, to: box.address, text: "see below", messageId: `<again.${ann}>`, attachments };
    const folder = path.join(app.config.data_dir, "mail");
    const files = () => readdirSync(folder);
    const before = files();
    const run = (words: string) => app.database.pool.query(words);
    await run(
      `create function no_room() returns trigger language plpgsql as $$ begin raise 'no room'; end $$`,
    );
    await run(`create trigger no_room before insert on mail_messages for each row
      when (new.from_address = '${ann}') execute function no_room()`);
    await expect(app.deliver(mail)).rejects.toMatchObject({ responseCode: 451 });
    await run("drop trigger no_room on mail_messages");
    expect(app.errors.splice(0).join("")).toContain("no room");
    const left = files().filter((name) => !before.includes(name));
    const file = path.join(folder, left[0] ?? "");
    writeFileSync(file, "%PDF");
    const reader = openSync(file, "r");
    await app.deliver(mail);
    expect([left.length, files().length]).toEqual([1, before.length + 1]);
    expect([readFileSync(reader, "utf8"), readFileSync(file, "utf8")]).toEqual(["%PDF", "%PDF-1.7"]);
    closeSync(reader);
  });
});

/** Sends each line when the one before was answered; resolves with the answers, the greeting first. */
async function bySocket(port: number, lines: string[]): Promise<string[]> {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  const answers: string[] = [];
  let text = "";
  for await (const chunk of socket) {
    text += chunk;
    // An answer's last line has a space behind its code.
    if (!/^\d{3} .*\r\n$/m.test(text)) continue;
    answers.push(text.trim());
    text = "";
    const next = lines.shift();
    if (next === undefined) break;
    socket.write(`${next}\r\n`);
  }
  return answers;
}

describe("our own SMTP server", () => {
  test("takes mails to agents only", async () => {
    await expect(
      app.deliver({ from: somebody(), to: "nobody@elsewhere.example", text: "x" }),
    ).rejects.toMatchObject({
      responseCode: 550,
    });
    expect(app.logged.join("")).toContain("a mail to nobody here was refused");
    const forged = `reply-1-000000000000000000000000@${box.domain}`;
    await expect(app.deliver({ from: somebody(), to: forged, text: "x" })).rejects.toMatchObject({
      responseCode: 550,
    });
  });

  test("takes a mail that comes twice once", async () => {
    const ann = somebody();
    const mail = { from: ann, to: box.address, text: "Hello", messageId: `<twice.${ann}>` };
    await Promise.all([app.deliver(mail), app.deliver(mail)]);
    await app.deliver(mail);
    await settled(ann);
    expect(sentTo(ann)).toHaveLength(1);
  });

  test("refuses a mail of 30 MB, announced or not, with the code that says why", async () => {
    const ann = somebody();
    const content = Buffer.alloc(22 * 1024 * 1024, 7);
    await expect(
      app.deliver({ from: ann, to: box.address, text: "x", attachments: [{ filename: "a", content }] }),
    ).rejects.toMatchObject({ responseCode: 552 });
    const answers = await bySocket(app.smtpPort, [
      "EHLO mx.example.com",
      `MAIL FROM:<${ann}>`,
      `RCPT TO:<${box.address}>`,
      "DATA",
      `From: ${ann}\r\n\r\n${`${"x".repeat(998)}\r\n`.repeat(30_000)}.`,
    ]);
    expect(answers.at(-1)).toMatch(/^552 5\.3\.4/);
    expect(app.logged.join("")).toContain("5.3.4 the mail is larger than 25 MB");
    expect(await mailsWith(app, ann)).toEqual([]);
  });

  test.each([
    ["an auto-reply", { headers: { "Auto-Submitted": "auto-replied" } }],
    ["a mailing list", { headers: { Precedence: "list" } }],
    ["a bounce", { returnPath: "" }],
  ])("takes %s and answers nothing", async (_, more) => {
    const ann = somebody();
    await app.deliver({ from: ann, to: box.address, text: "I am away", ...more });
    expect(await mailsWith(app, ann)).toMatchObject([{ state: "ignored", session_id: null }]);
    expect(sentTo(ann)).toEqual([]);
  });

  test("answers no address of ours, and stops two programs that answer each other", async () => {
    await app.deliver({ from: box.address, to: box.address, text: "Hello" });
    const toOurselves = (await mailsWith(app, box.address)).filter(
      (mail) => mail.from_address === box.address,
    );
    expect(toOurselves.filter(({ direction }) => direction === "in")).toMatchObject([
      { state: "ignored", note: "it is from an address of ours" },
    ]);
    const bot = somebody();
    for (let n = 1; n <= 10; n++) {
      await app.deliver({ from: bot, to: box.address, text: `Hello ${n}` });
      await nthMail(bot, n);
    }
    await app.deliver({ from: bot, to: box.address, text: "Hello 11" });
    const mails = await settled(bot);
    expect(mails.at(-1)).toMatchObject({ state: "ignored", note: expect.stringContaining("loop") });
    expect(sentTo(bot)).toHaveLength(10);
  });

  test.each([
    ["no header at all", "just bytes"],
    [
      "a broken multipart",
      `From: BROKEN\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x`,
    ],
    [
      "an unknown charset",
      "From: BROKEN\r\nContent-Type: text/plain; charset=none\r\nContent-Transfer-Encoding: base64\r\n\r\n%%%",
    ],
  ])("takes a mail of %s without falling over", async (_, raw) => {
    const ann = somebody();
    const taken = await app.deliver({ from: ann, to: box.address, raw: raw.replace("BROKEN", ann) });
    expect(taken.accepted).toEqual([box.address]);
    expect(app.errors).toEqual([]);
    if (raw.includes("BROKEN")) expect(await settled(ann)).toMatchObject([{ from_address: ann }, {}]);
    else expect(app.logged.join("")).toContain("a mail without a sender was ignored");
  });
});

describe("an opt-out by mail", () => {
  const suppressions = (address: string) => suppressionsOf(app, address);

  test("is done before any model, with its proof, and confirmed in the thread", async () => {
    const ann = somebody();
    await app.deliver({ from: ann, to: box.address, text: "Hello" });
    const { replyTo } = await nthMail(ann, 1);
    await app.deliver({ from: ann, to: replyTo?.value[0]?.address ?? "", text: "Unsubscribe.\n\n-- \nAnn" });
    expect((await nthMail(ann, 2)).text).toContain("will not hear from us again");
    expect(await suppressions(ann)).toMatchObject([
      { reason: "unsubscribed", scope: "all", through: "mail", said: "Unsubscribe." },
    ]);
    expect(await session((await mailsWith(app, ann))[0]?.session_id ?? null)).toMatchObject({
      turn_count: 1,
    });

    await app.deliver({ from: ann, to: replyTo?.value[0]?.address ?? "", text: "START" });
    expect((await nthMail(ann, 3)).text).toContain("will hear from us again");
    expect(await suppressions(ann)).toEqual([]);
  });

  test("that is delivered twice changes nothing the second time, though START was stored between", async () => {
    const ann = somebody();
    await app.deliver({ from: ann, to: box.address, text: "Hello" });
    const to = (await nthMail(ann, 1)).replyTo?.value[0]?.address ?? "";
    // Its second delivery found nothing stored yet, and goes on when all else is done.
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const storage = {
      ...app.engine.storage,
      async hasRoom() {
        reached.resolve();
        await go.promise;
        return true;
      },
    };
    const parts: MailParts = {
      engine: { ...app.engine, storage },
      vault: app.vault,
      attempts: { sessionStarted: async () => {}, signal: async () => {} },
      carriers: app.mailing.carriers,
      reader: app.mailing.reader,
      publicUrl: "",
      dataDir: app.config.data_dir,
    };
    const attachments = [{ filename: "logo.png", content: "x" }];
    const stop = { from: ann, to, text: "STOP", messageId: `<stop.${ann}>`, attachments };
    const raw = await new MailComposer(stop).compile().build();
    const late = receiveMail(parts, raw, { envelope: { from: ann, to: [to] }, checks: null });
    await reached.promise;
    await app.deliver(stop);
    await app.deliver({ from: ann, to, text: "START" });
    expect(await suppressions(ann)).toEqual([]);
    go.resolve();
    expect(await late).toBe("known");
    expect(await suppressions(ann)).toEqual([]);
    expect((await settled(ann)).filter(({ direction }) => direction === "in")).toHaveLength(3);
  });

  test("is one also where the mail that it answers is attached to it", async () => {
    const ann = somebody();
    await app.deliver({ from: ann, to: box.address, text: "Hello" });
    const { replyTo } = await nthMail(ann, 1);
    const content = "From: clinic@example.com\r\nSubject: Visit\r\n\r\nCan you come on Tuesday?";
    const attachments = [{ filename: "Visit.eml", contentType: "message/rfc822", content }];
    const to = replyTo?.value[0]?.address ?? "";
    await app.deliver({ from: ann, to, text: "What is this?", attachments });
    expect((await nthMail(ann, 2)).text).toContain("Tuesday it is.");
    await app.deliver({ from: ann, to, text: "STOP", attachments });
    expect((await nthMail(ann, 3)).text).toContain("will not hear from us again");
    expect(await suppressions(ann)).toMatchObject([{ said: "STOP" }]);
  });

  test("from an address that may be forged is done, but writes to nobody, and START needs a thread", async () => {
    const ann = somebody();
    await app.deliver({ from: ann, to: box.address, subject: "unsubscribe", text: "" });
    await settled(ann);
    expect(await suppressions(ann)).toHaveLength(1);
    expect(sentTo(ann)).toEqual([]);
    await app.deliver({ from: ann, to: box.address, text: "start" });
    await settled(ann);
    expect(await suppressions(ann)).toHaveLength(1);
  });
});

/** What the people who work here are told of answers that this person did not get. */
const undelivered = async (person: string): Promise<string[]> => {
  const { items } = (
    await app.send("GET", "/api/v1/events/?search_fields=type&search_field_values=answer-not-delivered")
  ).body;
  return (items as { description: string; user_id: string }[])
    .filter(({ user_id }) => user_id === person)
    .map(({ description }) => description);
};

describe("an answer that can't be sent", () => {
  test("is refused for good where the server says so", async () => {
    const ann = somebody();
    outside.answer = 550;
    await app.deliver({ from: ann, to: box.address, text: "Hello" });
    const mails = await settled(ann);
    expect(mails.at(-1)).toMatchObject({ state: "failed", note: expect.stringContaining("refused") });
    expect(await undelivered(ann)).toEqual([
      expect.stringContaining(`An answer to ${ann} by e-mail was not delivered: `),
    ]);
  });

  test("waits where the server says to come later, and goes out then, once", async () => {
    const ann = somebody();
    outside.answer = 451;
    await app.deliver({ from: ann, to: box.address, text: "Hello" });
    const waiting = await mailsOnce(app, ann, (mails) => mails.at(-1)?.note != null);
    expect(waiting.at(-1)).toMatchObject({ state: "queued", direction: "out" });
    outside.answer = null;
    // The job is put back a moment after its mail is.
    await eventually(
      async () => {
        await app.database.pool.query("update graphile_worker._private_jobs set run_at = now()");
        return sentTo(ann).length;
      },
      (sent) => sent > 0,
    );
    expect((await nthMail(ann, 1)).messageId).toBe(`<${waiting.at(-1)?.key}@${box.domain}>`);
    await settled(ann);
    expect(sentTo(ann)).toHaveLength(1);
  });

  test("is not sent once its reader has asked to hear no more, and who writes again is answered", async () => {
    const ann = somebody();
    outside.answer = 451;
    await app.deliver({ from: ann, to: box.address, text: "Hello" });
    const waiting = await mailsOnce(app, ann, (mails) => mails.at(-1)?.note != null);
    const key = waiting.at(-1)?.key;
    app.clock.advance(60_000);
    await app.deliver({ from: ann, to: box.address, subject: "unsubscribe", text: "" });
    const answer = await eventually(
      async () => {
        await app.database.pool.query("update graphile_worker._private_jobs set run_at = now()");
        return (await mailsWith(app, ann)).find((mail) => mail.key === key);
      },
      (mail) => mail?.state !== "queued" && mail?.state !== "handing",
    );
    outside.answer = null;
    expect(answer).toMatchObject({ state: "failed", channel_status: "PRIOR_UNSUBSCRIBED" });
    expect(sentTo(ann)).toEqual([]);

    app.clock.advance(60_000);
    await app.deliver({ from: ann, to: box.address, text: "Is Tuesday free? tuesday" });
    expect((await nthMail(ann, 1)).text).toContain("Tuesday it is.");
    await settled(ann);
    expect(sentTo(ann)).toHaveLength(1);
  });

  test("is not sent once its reader has asked to hear no more while it was written", async () => {
    const ann = somebody();
    await app.deliver({ from: ann, to: box.address, text: "Hello" });
    const to = (await nthMail(ann, 1)).replyTo?.value[0]?.address ?? "";
    const [first] = await settled(ann);
    // Its turn waits for the session.
    await app.db.transaction().execute(async (tx) => {
      const held = tx
        .selectFrom("sessions")
        .select("id")
        .where("id", "=", first?.session_id ?? 0);
      await held.forNoKeyUpdate().execute();
      await app.deliver({ from: ann, to, text: "Is Tuesday free? tuesday" });
      await waitForLocks(app.database.pool, 1);
      app.clock.advance(60_000);
      await app.deliver({ from: ann, to, text: "STOP" });
      app.clock.advance(60_000);
    });
    expect((await nthMail(ann, 2)).text).toContain("will not hear from us again");
    expect((await settled(ann)).filter(({ direction }) => direction === "out")).toMatchObject([
      { state: "sent" },
      { state: "sent" },
      { state: "failed", channel_status: "PRIOR_UNSUBSCRIBED" },
    ]);
    expect(sentTo(ann)).toHaveLength(2);
  });

  test("is not sent either once somebody who was on the list before has said so once more", async () => {
    const ann = somebody();
    await app.deliver({ from: ann, to: box.address, subject: "unsubscribe", text: "" });
    await settled(ann);
    app.clock.advance(60_000);
    outside.answer = 451;
    await app.deliver({ from: ann, to: box.address, text: "Is Tuesday free? tuesday" });
    await mailsOnce(app, ann, (mails) => mails.at(-1)?.note != null && mails.length === 3);
    app.clock.advance(60_000);
    await app.deliver({ from: ann, to: box.address, subject: "unsubscribe", text: "" });
    const [answer] = await eventually(
      async () => {
        await app.database.pool.query("update graphile_worker._private_jobs set run_at = now()");
        return (await mailsWith(app, ann)).filter(({ direction }) => direction === "out");
      },
      ([mail]) => mail?.state !== "queued" && mail?.state !== "handing",
    );
    expect(answer).toMatchObject({ state: "failed", channel_status: "PRIOR_UNSUBSCRIBED" });
    expect(sentTo(ann)).toEqual([]);
  });

  test("is sent where it confirms what its own reader asked the agent for", async () => {
    const ann = somebody();
    await app.deliver({ from: ann, to: box.address, text: "Please leave me alone for good." });
    expect((await nthMail(ann, 1)).text).toContain("We will leave you alone.");
    expect(await suppressionsOf(app, ann)).toMatchObject([{ reason: "unsubscribed", through: "mail" }]);
    await settled(ann);
  });

  test("whose fate is unknown is never sent again, and somebody is told", async () => {
    const ann = somebody();
    outside.answer = "hang-up";
    await app.deliver({ from: ann, to: box.address, text: "Hello" });
    const mails = await settled(ann);
    expect(mails.at(-1)).toMatchObject({ state: "unknown" });
    outside.answer = null;
    const { items } = (
      await app.send("GET", `/api/v1/events/?search_fields=type&search_field_values=mail-fate-unknown`)
    ).body;
    expect(items).toMatchObject([{ user_id: ann }]);
    expect(sentTo(ann)).toHaveLength(1);
  });
});
