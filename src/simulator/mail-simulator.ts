import { createECDH, createPrivateKey, createPublicKey, randomUUID, sign } from "node:crypto";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { sha256, type Vault } from "../base/crypto.ts";
import type { Log } from "../base/log.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../carriers/sendgrid/sendgrid-signature.ts";
import type { Credentials } from "../channels/credentials/channel-credentials.ts";
import { type MailStep, mailPlan, personAt } from "./mail-people.ts";
import { replyTo } from "./person.ts";
import { createSchedule, type SimulatedTime } from "./schedule.ts";
import { bounded } from "./world.ts";

/**
 * A mail service that reaches nobody: it takes mails by SendGrid's API, plays the people they go to (mail-people.ts), and
 * tells the platform of it by signed events and inbound mails over real HTTP, so that the very adapter runs that talks
 * with SendGrid. It is what a platform without a mail server writes with.
 */
export const MAIL_SIMULATOR_HOST = "mail.parley.internal";
export const MAIL_SIMULATOR_PREFIX = "/mail-simulator/";
const BASE_URL = `http://${MAIL_SIMULATOR_HOST}${MAIL_SIMULATOR_PREFIX.slice(0, -1)}`;

export type MailSimulator = {
  /** What a channel without credentials signs in with. */
  accountOf(channel_id: number): Credentials;
  schedule: SimulatedTime;
  /** Somebody writes to an address of ours on their own, and goes on with the dialogue where `personAt` knows them. */
  write(channel_id: number, mail: { from: string; to: string; subject: string; text: string }): Promise<void>;
};

/** The parts of SendGrid's request that matter here. */
const Posted = z.object({
  personalizations: z.array(z.object({ to: z.array(z.object({ email: z.string() })).min(1) })).min(1),
  from: z.object({ email: z.string() }),
  reply_to: z.object({ email: z.string() }).optional(),
  subject: z.string().min(1),
  content: z.array(z.object({ type: z.string(), value: z.string().min(1) })).min(1),
  headers: z.record(z.string(), z.string()).default({}),
  custom_args: z.record(z.string(), z.string()).default({}),
});
type Posted = z.infer<typeof Posted>;
type TakenMail = { channel_id: number; sid: string; mail: Posted };

export function createMailSimulator(
  api: Api,
  parts: { clock: Clock; log: Log; vault: Vault; speed: number | "moved" },
): MailSimulator {
  const { clock, log, vault, speed } = parts;
  const key = simulatedKey(vault);
  const schedule = createSchedule({
    clock,
    speed,
    onError: (error) => log.error({ err: error }, "the mail simulator failed at something"),
  });
  const passwordOf = (channel_id: number): string =>
    `SG.simulated.${channel_id}.${sha256(vault.sign("mail-simulator", String(channel_id))).slice(0, 32)}`;

  /** What finds no answer, or a 5xx, is posted again, as SendGrid does for days. */
  const post = async (
    path: string,
    body: Buffer,
    content_type: string,
    tries = MOST_POSTS,
  ): Promise<void> => {
    const timestamp = String(Math.floor(clock.now().getTime() / 1000));
    const signature = sign("sha256", Buffer.concat([Buffer.from(timestamp), body]), key.secret).toString(
      "base64",
    );
    const headers = {
      "content-type": content_type,
      [SIGNATURE_HEADER]: signature,
      [TIMESTAMP_HEADER]: timestamp,
    };
    const request = { method: "POST", headers, body: new Uint8Array(body) };
    const answered = await fetch(`${listeningAt(api)}${path}`, request)
      .then(async (answer) => ({ status: answer.status, said: await answer.text() }))
      .catch((err: unknown) => ({ status: null, err }));
    if (answered.status !== null && answered.status < 400) return;
    const again = tries > 1 && (answered.status === null || answered.status >= 500);
    log.warn({ path, again, ...answered }, "what the mail simulator posted was not taken");
    if (again) schedule.after(POSTS_AGAIN_S * 1000, () => post(path, body, content_type, tries - 1));
  };

  const tell = (
    { channel_id, sid, mail }: TakenMail,
    step: Extract<MailStep, { event: string }>,
  ): Promise<void> => {
    const { after_s: _, ...words } = step;
    const event = {
      email: recipientOf(mail),
      timestamp: Math.floor(clock.now().getTime() / 1000),
      "smtp-id": mail.headers["Message-ID"] ?? "",
      sg_event_id: randomUUID(),
      sg_message_id: `${sid}.simulated-0`,
      ...mail.custom_args,
      ...words,
    };
    return post(
      `/carriers/sendgrid/${channel_id}/events`,
      Buffer.from(JSON.stringify([event])),
      "application/json",
    );
  };

  const writeTo = async (channel_id: number, from: string, to: string, mail: object): Promise<void> => {
    const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
    const raw = await new MailComposer({ from, to, ...mail }).compile().build();
    const form = new FormData();
    form.set("envelope", JSON.stringify({ to: [to], from }));
    form.set("email", raw.toString());
    form.set("SPF", "pass");
    form.set("dkim", `{@${from.split("@")[1]} : pass}`);
    const encoded = new Response(form);
    const body = Buffer.from(await encoded.arrayBuffer());
    await post(`/carriers/sendgrid/${channel_id}/inbound`, body, encoded.headers.get("content-type") ?? "");
  };

  const reply = (
    { channel_id, mail }: TakenMail,
    step: Extract<MailStep, { reply: string }>,
  ): Promise<void> => {
    const quoted = (mail.content[0]?.value ?? "").split("\n").map((line) => `> ${line}`);
    const said = [
      step.reply,
      "",
      `On ${clock.now().toUTCString()}, ${mail.from.email} wrote:`,
      ...quoted,
    ].join("\n");
    const id = mail.headers["Message-ID"] ?? "";
    return writeTo(channel_id, recipientOf(mail), mail.reply_to?.email ?? mail.from.email, {
      subject: `Re: ${mail.subject}`,
      text: said,
      inReplyTo: id,
      references: [id],
      ...(step.automatic && { headers: { "Auto-Submitted": "auto-replied" } }),
    });
  };

  /** As a mail program does (RFC 8058). */
  const unsubscribe = async ({ mail }: TakenMail): Promise<void> => {
    const link = /<(https?:[^>]+)>/.exec(mail.headers["List-Unsubscribe"] ?? "")?.[1];
    if (!link || !mail.headers["List-Unsubscribe-Post"]) return;
    const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    await fetch(`${listeningAt(api)}${new URL(link).pathname}`, { method: "POST", body });
  };

  /** How often each person has answered in the dialogue that they began; `LEFT`: they said their last word. */
  const answered = bounded<number>(MOST_DIALOGUES);

  /** Somebody who began to write reads the answer, and writes back until they have what they came for. */
  const goOn = (taken: TakenMail): void => {
    const { channel_id, mail } = taken;
    const who = personAt(recipientOf(mail));
    const dialogue = dialogueOf(channel_id, recipientOf(mail), mail.from.email);
    const turn = answered.get(dialogue);
    if (!who || turn === undefined || turn === LEFT) return;
    const next = replyTo(who, mail.content[0]?.value ?? "", turn);
    answered.set(dialogue, next === null || next.then_leaves ? LEFT : turn + 1);
    if (next === null) return;
    const step = { after_s: WRITES_BACK_S, reply: next.say, automatic: false };
    schedule.after(step.after_s * 1000, () => reply(taken, step));
  };

  const play = (taken: TakenMail, step: MailStep): Promise<void> => {
    if ("event" in step) return tell(taken, step);
    return "reply" in step ? reply(taken, step) : unsubscribe(taken);
  };

  api.server.route({
    method: "POST",
    url: `${MAIL_SIMULATOR_PREFIX}v3/mail/send`,
    schema: { hide: true },
    handler: (request, answer) => {
      const token = /^Bearer (SG\.simulated\.(\d{1,15})\.\w+)$/.exec(request.headers.authorization ?? "");
      const channel_id = Number(token?.[2]);
      if (token?.[1] !== passwordOf(channel_id))
        return answer.code(401).send(errors("Permission denied, wrong credentials"));
      const posted = Posted.safeParse(request.body);
      if (!posted.success)
        return answer.code(400).send(errors(posted.error.issues[0]?.message ?? "Bad Request"));
      const plan = mailPlan(recipientOf(posted.data));
      switch (plan.post) {
        case "refused":
          return answer.code(400).send(errors("Does not contain a valid address."));
        case "busy":
          return answer.code(429).send(errors("too many requests"));
        case "down":
          return answer.code(503).send(errors("service unavailable"));
      }
      const sid = randomUUID().replaceAll("-", "").slice(0, 22);
      const taken: TakenMail = { channel_id, sid, mail: posted.data };
      // An answer to a plan's reply is not answered again: two programs would write to each other without end.
      const isAnswer = "In-Reply-To" in posted.data.headers;
      const steps = plan.steps.filter((step) => !(isAnswer && "reply" in step));
      for (const step of steps) schedule.after(step.after_s * 1000, () => play(taken, step));
      if (isAnswer) goOn(taken);
      return answer.code(202).header("x-message-id", sid).send();
    },
  });
  api.server.addHook("preClose", async () => schedule.stop());

  return {
    accountOf: (channel_id) => ({
      api_key: passwordOf(channel_id),
      base_url: BASE_URL,
      event_public_key: key.public,
      inbound_public_key: key.public,
    }),
    schedule,
    write(channel_id, { from, to, ...mail }) {
      answered.set(dialogueOf(channel_id, from, to), 0);
      return writeTo(channel_id, from, to, mail);
    },
  };
}

const MOST_POSTS = 4;
/** SendGrid waits for minutes. */
const POSTS_AGAIN_S = 10;
const MOST_DIALOGUES = 100_000;
const LEFT = -1;
/** People take minutes; whoever watches a simulation has seconds. */
const WRITES_BACK_S = 5;
const dialogueOf = (channel_id: number, person: string, ours: string): string =>
  `${channel_id} ${person.toLowerCase()} ${ours.toLowerCase()}`;

const recipientOf = ({ personalizations }: Posted): string => personalizations[0]?.to[0]?.email ?? "";

const errors = (message: string) => ({ errors: [{ message, field: null, help: null }] });

/** The same pair in every process of an installation: each may be the one that a post comes to. */
function simulatedKey(vault: Vault) {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(Buffer.from(sha256(vault.sign("mail-simulator", "key")), "hex"));
  const point = curve.getPublicKey();
  const part = (from: number) => point.subarray(from, from + 32).toString("base64url");
  const d = curve.getPrivateKey().toString("base64url");
  const jwk = { kty: "EC", crv: "P-256", d, x: part(1), y: part(33) };
  const secret = createPrivateKey({ key: jwk, format: "jwk" });
  return {
    secret,
    public: createPublicKey(secret).export({ format: "der", type: "spki" }).toString("base64"),
  };
}

function listeningAt(api: Api): string {
  const address = api.server.server.address() as AddressInfo | null;
  if (!address) throw new Error("the platform does not listen yet");
  const host = address.address === "0.0.0.0" || address.address === "::" ? "127.0.0.1" : address.address;
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}
