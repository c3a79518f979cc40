import { pipeline, Transform } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Api } from "../api/server.ts";
import { Fault } from "../base/errors.ts";
import { createHeldBytes, type HeldBytes } from "../channels/held-bytes.ts";
import { MAX_MAIL_bytes } from "../channels/mail-listener.ts";
import { readEvents } from "../channels/sendgrid-events.ts";
import { readInboundMail } from "../channels/sendgrid-inbound.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER, whyNotSendgrids } from "../channels/sendgrid-signature.ts";
import type { MailParts } from "./mail-parts.ts";
import { receiveMail } from "./mail-receive.ts";
import { takeMailSignals } from "./mail-signals.ts";

type Channel = { Params: { channel_id: string } };

const MAX_EVENTS_bytes = 10 * 1024 * 1024;
/** A mail of the longest kind, as a form that quotes it. */
const MAX_FORM_bytes = 60 * 1024 * 1024;
/** Of all posts that are coming in: they are read before it is known who signed them. */
const MOST_HELD_bytes = 2 * MAX_FORM_bytes;

/**
 * Where SendGrid posts what became of mails, and mails that came in. Both are signed; a channel without the key to check
 * with takes neither. Bodies are taken as they are, since that is what was signed.
 */
export function mailWebhooks(api: Api, parts: MailParts): void {
  const { engine } = parts;

  /** Answers itself where the post is not to be taken. */
  const signed = async (
    request: FastifyRequest<Channel>,
    reply: FastifyReply,
    key: string,
  ): Promise<number | null> => {
    const channel = await findChannel(parts, request.params.channel_id);
    if (!channel) {
      reply.code(404).send({ detail: "Not Found" });
      return null;
    }
    const public_key = (await parts.carriers.of(channel.id))?.account.credentials[key];
    const { headers } = request;
    const post = {
      body: request.body as Buffer,
      signature: headers[SIGNATURE_HEADER] as string | undefined,
      timestamp: headers[TIMESTAMP_HEADER] as string | undefined,
    };
    const why = public_key
      ? whyNotSendgrids(public_key, post, engine.clock.now())
      : `the channel has no ${key}`;
    if (why === null) return channel.id;
    engine.log.warn(
      { channel_id: channel.id, path: request.routeOptions.url, why },
      "a post of SendGrid was refused",
    );
    reply.code(403).send({ detail: `Refused: ${why}.` });
    return null;
  };

  api.server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const held = createHeldBytes(MOST_HELD_bytes);
    scope.addHook("preParsing", async (_request, reply, body) => {
      const counted = countBody(held);
      reply.raw.once("close", counted.end);
      return pipeline(body, counted.stream, () => {});
    });
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

    scope.post<Channel>(
      "/carriers/sendgrid/:channel_id/events",
      { bodyLimit: MAX_EVENTS_bytes, schema: { hide: true } },
      async (request, reply) => {
        const channel_id = await signed(request, reply, "event_public_key");
        if (channel_id === null) return reply;
        const events = parsed(request.body as Buffer);
        if (events === undefined) return reply.code(400).send({ detail: "The body is no JSON." });
        await takeMailSignals(parts, { channel_id }, readEvents(events, engine.clock.now()));
        return { ok: true };
      },
    );

    scope.post<Channel>(
      "/carriers/sendgrid/:channel_id/inbound",
      { bodyLimit: MAX_FORM_bytes, schema: { hide: true } },
      async (request, reply) => {
        const channel_id = await signed(request, reply, "inbound_public_key");
        if (channel_id === null) return reply;
        const mail = await readInboundMail(request.body as Buffer, request.headers["content-type"] ?? "");
        // SendGrid tries again what is not answered with 200; what will never be taken is dropped here, with a line.
        if (mail === null || mail.raw.length > MAX_MAIL_bytes) {
          const why = mail === null ? "it has no mail in it" : "it is larger than 25 MB";
          engine.log.warn({ channel_id, why }, "an inbound mail was dropped");
          return { taken: "dropped" };
        }
        return { taken: await receiveMail(parts, mail.raw, mail, channel_id) };
      },
    );
  });
}

/** What of a post is in memory, until it is answered. SendGrid sends again what is answered 503. */
function countBody(held: HeldBytes): { stream: Transform; end(): void } {
  let kept = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (!held.take(chunk.length)) {
        const busy = new Fault("unavailable", "Too many mails at once; send it again later.", {
          retry_after_s: 30,
        });
        return done(Object.assign(busy, { statusCode: 503 }));
      }
      kept += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, end: () => held.give(kept) };
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

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
