import type { FastifyReply, FastifyRequest } from "fastify";
import type { Api } from "../api/server.ts";
import { tryParseJson } from "../base/parse-json.ts";
import { readEvents } from "../carriers/sendgrid/sendgrid-events.ts";
import {
  SIGNATURE_HEADER,
  type SignatureCheck,
  signatureCheck,
  TIMESTAMP_HEADER,
  whyNotSendgrids,
} from "../carriers/sendgrid/sendgrid-signature.ts";
import { MAX_MAIL_bytes } from "../carriers/smtp/mail-listener.ts";
import { networkOf } from "../carriers/smtp/smtp-connections.ts";
import { createHeldBytes } from "../mime/held-bytes.ts";
import { UnreadableMail } from "../mime/mail-reader.ts";
import type { MailParts } from "./mail-parts.ts";
import { receiveMail } from "./mail-receive.ts";
import { tellUnreadable } from "./mail-refused.ts";
import { takeMailSignals } from "./mail-signals.ts";
import { mailTargetsOf } from "./mail-store.ts";
import { BODY_LIMITS, postedBody } from "./posted-body.ts";

type ChannelPath = { Params: { channel_id: string } };
/** A post whose channel and headers are right; whether SendGrid signed its body is known when all of it is there. */
type Post = { channel_id: number; signature: SignatureCheck };

/** SendGrid posts events by 768 KB at most. */
const MAX_EVENTS_bytes = 2 * 1024 * 1024;
/** A mail of the longest kind, as a form that quotes it. */
const MAX_FORM_bytes = 60 * 1024 * 1024;
/** What SendGrid posts beside the mail itself: who, where to, what its checks say. */
const MOST_OTHER_FIELDS_bytes = 1024 * 1024;
/** Of all posts that are coming in: only with its last byte is it known who signed one. */
const MOST_HELD_bytes = 4 * MAX_FORM_bytes;

/**
 * Where SendGrid posts what became of mails, and mails that came in. Both are signed; a channel without the key to check
 * with takes neither. Bodies are taken as they are, since that is what was signed; no byte of one is taken whose channel,
 * key or headers are wrong.
 */
export function mailWebhooks(api: Api, parts: MailParts): void {
  const { engine } = parts;
  const posts = new WeakMap<object, Post>();

  const refuse = (request: FastifyRequest, reply: FastifyReply, why: string): FastifyReply => {
    const path = request.routeOptions.url;
    engine.log.warn({ params: request.params, path, why }, "a post of SendGrid was refused");
    return reply.code(403).send({ detail: `Refused: ${why}.` });
  };

  /** Answers itself where the post is not to be taken; before the body is read. */
  const expectPost =
    (key: "event_public_key" | "inbound_public_key") =>
    async (request: FastifyRequest<ChannelPath>, reply: FastifyReply): Promise<FastifyReply | undefined> => {
      const channel = await findChannel(parts, request.params.channel_id);
      if (!channel) return reply.code(404).send({ detail: "Not Found" });
      const public_key = (await parts.carriers.of(channel.id))?.account.credentials[key];
      if (!public_key) return refuse(request, reply, `the channel has no ${key}`);
      const headers = {
        signature: request.headers[SIGNATURE_HEADER] as string | undefined,
        timestamp: request.headers[TIMESTAMP_HEADER] as string | undefined,
      };
      const why = whyNotSendgrids(headers, engine.clock.now());
      if (why !== null) return refuse(request, reply, why);
      posts.set(request, { channel_id: channel.id, signature: signatureCheck(public_key, headers) });
      return undefined;
    };

  /** The channel whose account signed the post; null where it was answered. */
  const signedBy = (request: FastifyRequest, reply: FastifyReply): number | null => {
    const post = posts.get(request);
    if (post?.signature.isRight()) return post.channel_id;
    refuse(request, reply, "its signature is wrong");
    return null;
  };

  api.server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const held = createHeldBytes(MOST_HELD_bytes, MAX_FORM_bytes);
    scope.addHook("preParsing", async (request, reply, body) => {
      const owner = networkOf(request.ip);
      const posted = postedBody(body, { held, owner, limits: BODY_LIMITS }, (chunk) =>
        posts.get(request)?.signature.update(chunk),
      );
      reply.raw.once("close", posted.end);
      return posted.stream;
    });
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

    scope.post<ChannelPath>(
      "/carriers/sendgrid/:channel_id/events",
      { bodyLimit: MAX_EVENTS_bytes, schema: { hide: true }, onRequest: expectPost("event_public_key") },
      async (request, reply) => {
        const channel_id = signedBy(request, reply);
        if (channel_id === null) return reply;
        const events = tryParseJson(request.body as Buffer);
        if (events === undefined) return reply.code(400).send({ detail: "The body is no JSON." });
        await takeMailSignals(parts, { channel_id }, readEvents(events, engine.clock.now()));
        return { ok: true };
      },
    );

    scope.post<ChannelPath>(
      "/carriers/sendgrid/:channel_id/inbound",
      { bodyLimit: MAX_FORM_bytes, schema: { hide: true }, onRequest: expectPost("inbound_public_key") },
      async (request, reply) => {
        const channel_id = signedBy(request, reply);
        if (channel_id === null) return reply;
        const type = request.headers["content-type"] ?? "";
        return { taken: await takeInbound(parts, channel_id, request.body as Buffer, type) };
      },
    );
  });
}

/** SendGrid tries again what is not answered with 200; what will never be taken is dropped here, with an event or a line. */
async function takeInbound(
  parts: MailParts,
  channel_id: number,
  body: Buffer,
  content_type: string,
): Promise<string> {
  const { engine, reader } = parts;
  let isKnownToRecipients = false;
  const drop = (why: string) => {
    engine.log.warn({ channel_id, why }, "an inbound mail was dropped");
    return "dropped";
  };
  if (body.length > MAX_MAIL_bytes + MOST_OTHER_FIELDS_bytes) return drop("it is larger than 25 MB");
  try {
    const mail = await reader.inbound(body, content_type);
    if (mail === null) return drop("it has no mail in it");
    if (mail.raw.length > MAX_MAIL_bytes) return drop("it is larger than 25 MB");
    isKnownToRecipients = true;
    return await receiveMail(parts, mail.raw, mail, channel_id);
  } catch (error) {
    if (!(error instanceof UnreadableMail)) throw error;
    // Of a form that can't be read nobody knows whom it was for: whoever has an address of the channel is told.
    if (!isKnownToRecipients) {
      await tellUnreadable(engine, await mailTargetsOf(engine.db, channel_id), null, error.message);
    }
    return "unreadable";
  }
}

async function findChannel({ engine }: MailParts, id: string): Promise<{ id: number } | undefined> {
  if (!/^\d{1,15}$/.test(id)) return undefined;
  return engine.db
    .selectFrom("channels")
    .select("id")
    .where("id", "=", Number(id))
    .where("channel_service", "=", "email")
    .executeTakeFirst();
}
