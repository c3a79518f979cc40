import type { FastifyReply, FastifyRequest } from "fastify";
import { loggedPath } from "../../api/logged-path.ts";
import type { Api } from "../../api/server.ts";
import { tryParseJson } from "../../base/parse-json.ts";
import { TELNYX_NAME, TELNYX_PREFIX } from "../../carriers/telnyx/telnyx-carrier.ts";
import { whyNotTelnyxs } from "../../carriers/telnyx/telnyx-events.ts";
import { readTelnyxTextEvent } from "../../carriers/telnyx/telnyx-text-events.ts";
import type { Carriers } from "../../channels/carrier.ts";
import { carrierOfChannel } from "../../channels/channel-carrier.ts";
import type { AttemptReports } from "../../channels/outreach.ts";
import { receiveText } from "../../dialogues/text-dialogue.ts";
import { textSignals } from "../../dialogues/text-signals.ts";
import type { Engine } from "../../sessions/engine.ts";

type Parts = { engine: Engine; carriers: Carriers; attempts: Pick<AttemptReports, "signal"> };
type TextPath = { Params: { channel_id: string; key?: string } };

const MAX_EVENT_BYTES = 100_000;

/**
 * Texts over Telnyx: those that come in, and what became of ours. An event may come twice, late, or out of order; what is
 * of no text of the channel is acknowledged, or Telnyx would send it again. What could not be stored is answered with 5xx.
 */
export function telnyxTextCallbackRoutes(api: Api, parts: Parts): void {
  const { engine, attempts } = parts;
  const { clock, log, db } = engine;
  const texts = textSignals(engine);

  const isSigned = async (request: FastifyRequest<TextPath>, channel_id: number): Promise<boolean> => {
    const found = await carrierOfChannel({ db, carriers: parts.carriers }, channel_id);
    const { "telnyx-signature-ed25519": signature, "telnyx-timestamp": timestamp } = request.headers;
    const isTelnyx = found?.carrier.name === TELNYX_NAME;
    const public_key = isTelnyx ? found?.account.credentials.public_key : undefined;
    const why = whyNotTelnyxs(
      public_key,
      { signature, timestamp, body: request.body as Buffer },
      clock.now(),
    );
    if (why !== null)
      log.warn(
        { url: loggedPath(request.url), address: request.ip, why },
        "an unsigned callback was refused",
      );
    return why === null;
  };

  const receive = async (request: FastifyRequest<TextPath>, reply: FastifyReply) => {
    const channel_id = Number(request.params.channel_id);
    if (!(await isSigned(request, channel_id)))
      return reply.code(403).send({ detail: "This is not signed by the channel's Telnyx account." });
    const event = readTelnyxTextEvent(tryParseJson(request.body as Buffer), clock.now());
    const { key } = request.params;
    if (event?.type === "received" && key === undefined) {
      const received = await receiveText(parts, channel_id, event.text);
      if (received !== "new")
        log.info({ sid: event.text.sid, to: event.text.to, received }, "a text was not taken anew");
    }
    if (event?.type === "status" && key !== undefined) {
      const signal = { ...event.signal, key };
      if (await texts.add({ ...signal, channel_id })) await attempts.signal([signal]);
    }
    return reply.code(204).send();
  };

  api.server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    const options = { bodyLimit: MAX_EVENT_BYTES, schema: { hide: true } };
    scope.post<TextPath>(`${TELNYX_PREFIX}/:channel_id/messages`, options, receive);
    scope.post<TextPath>(`${TELNYX_PREFIX}/:channel_id/messages/:key/status`, options, receive);
  });
}
