import { z } from "zod";
import type { Api } from "../api/server.ts";
import { Fault } from "../base/errors.ts";
import { ASTERISK_NAME, ASTERISK_PREFIX, isAsterisks } from "../carriers/asterisk/asterisk-account.ts";
import type { Carriers } from "../channels/carrier.ts";
import type { VoiceEngines } from "../media/voice-engines.ts";
import type { Engine } from "../sessions/engine.ts";
import { soundAt } from "../speech/wait-sound.ts";
import { asteriskWire } from "./lines/asterisk-wire.ts";
import { holdStream } from "./lines/stream-line.ts";
import type { VoiceCalls } from "./voice-calls.ts";

type Parts = { engine: Engine; carriers: Carriers; calls: VoiceCalls; engines: VoiceEngines | null };
type SocketPath = { Params: { channel_id: string }; Querystring: unknown };

/** The dial string's v(): who calls whom, and Asterisk's own id of the call. */
const Named = z.object({
  id: z.string().min(1).max(100),
  from: z.string().max(200).default(""),
  to: z.string().min(1).max(200),
});

/**
 * Calls over an Asterisk of one's own (chan_websocket, https://docs.asterisk.org/Configuration/Channel-Drivers/WebSocket):
 * the dialplan answers a call and dials our socket, which is the call from its first message to its end.
 */
export function asteriskCallbackRoutes(api: Api, { engine, carriers, calls, engines }: Parts): void {
  const { clock, log, db } = engine;

  const passwordOf = async (channel_id: number): Promise<string | undefined> => {
    if (!Number.isSafeInteger(channel_id)) return undefined;
    const channel = await db
      .selectFrom("channels")
      .select(["id", "channel_service"])
      .where("id", "=", channel_id)
      .executeTakeFirst();
    const found = channel && (await carriers.of(channel));
    return found?.carrier.name === ASTERISK_NAME ? found.account.credentials.socket_password : undefined;
  };

  api.server.get<SocketPath>(
    `${ASTERISK_PREFIX}/:channel_id/stream`,
    {
      websocket: true,
      schema: { hide: true },
      // Checked before the upgrade, so that a wrong password gets a 403 and no socket.
      preValidation: async (request) => {
        const password = await passwordOf(Number(request.params.channel_id));
        if (isAsterisks(request.headers.authorization, password)) return;
        log.warn(
          { url: request.routeOptions.url, address: request.ip },
          "a socket with a wrong password was refused",
        );
        throw new Fault("forbidden", "This is not the password of the channel (websocket_client.conf).");
      },
    },
    (socket, request) => {
      const named = Named.safeParse(request.query);
      if (!engines || engines.missing !== null) return socket.close(1011);
      if (!named.success) {
        log.warn({}, "a socket does not say whose call it is: the dial string has no v(id=…,from=…,to=…)");
        return socket.close(1008);
      }
      const { id: sid, from, to } = named.data;
      const channel_id = Number(request.params.channel_id);
      const name = async () => {
        const opened = await calls.answer({ carrier: ASTERISK_NAME, sid, key: null, channel_id, from, to });
        if (opened !== null && "call_id" in opened) return opened;
        log.warn({ sid, to }, "a call has no agent behind it");
        return null;
      };
      holdStream({ calls, engines, clock, log, soundAt, wire: asteriskWire(sid), name }, socket);
    },
  );
}
