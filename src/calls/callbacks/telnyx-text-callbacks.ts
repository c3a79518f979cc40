import type { Api } from "../../api/server.ts";
import { tryParseJson } from "../../base/parse-json.ts";
import { TELNYX_NAME, TELNYX_PREFIX } from "../../carriers/telnyx/telnyx-carrier.ts";
import { readTelnyxTextEvent } from "../../carriers/telnyx/telnyx-text-events.ts";
import type { Carriers } from "../../channels/carrier.ts";
import { carrierOfChannel } from "../../channels/channel-carrier.ts";
import type { AttemptReports } from "../../channels/outreach.ts";
import { receiveText } from "../../dialogues/text-dialogue.ts";
import { textSignals } from "../../dialogues/text-signals.ts";
import type { Engine } from "../../sessions/engine.ts";
import { isSigned, receiveEvents, refuseUnsigned } from "./telnyx-post.ts";

type Parts = { engine: Engine; carriers: Carriers; attempts: Pick<AttemptReports, "signal"> };
type TextPath = { channel_id: string; key?: string };

/**
 * Texts over Telnyx: those that come in, and what became of ours. An event may come twice, late, or out of order; what is
 * of no text of the channel is acknowledged, or Telnyx would send it again. What could not be stored is answered with 5xx.
 */
export function telnyxTextCallbackRoutes(api: Api, parts: Parts): void {
  const { engine, attempts } = parts;
  const { clock, log, db } = engine;
  const texts = textSignals(engine);

  const keyOf = async (channel_id: number): Promise<string | undefined> => {
    const found = await carrierOfChannel({ db, carriers: parts.carriers }, channel_id);
    return found?.carrier.name === TELNYX_NAME ? found.account.credentials.public_key : undefined;
  };

  const path = `${TELNYX_PREFIX}/:channel_id/messages`;
  receiveEvents<TextPath>(api, [path, `${path}/:key/status`], async (request, reply) => {
    const channel_id = Number(request.params.channel_id);
    if (!isSigned(engine, request, await keyOf(channel_id))) return refuseUnsigned(reply);
    const event = readTelnyxTextEvent(tryParseJson(request.body), clock.now());
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
  });
}
