import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { integer } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import { Fault } from "../../base/errors.ts";
import { ASTERISK_NAME, ASTERISK_PREFIX, isAsterisks } from "../../carriers/asterisk/asterisk-account.ts";
import type { CallContinuation } from "../../channels/call-socket.ts";
import type { Carriers } from "../../channels/carrier.ts";
import { carrierOfChannel } from "../../channels/channel-carrier.ts";
import type { VoiceEngines } from "../../media/voice-engines.ts";
import type { Engine } from "../../sessions/engine.ts";
import { soundAt } from "../../speech/wait-sound.ts";
import { asteriskWire } from "../lines/asterisk-wire.ts";
import { holdStream } from "../lines/stream-line.ts";
import type { TransferResult, VoiceCalls } from "../voice-calls.ts";

type Parts = { engine: Engine; carriers: Carriers; calls: VoiceCalls; engines: VoiceEngines | null };
type SocketPath = { Params: { channel_id: string }; Querystring: unknown };

/** The dial string's v(): who calls whom, and Asterisk's own id of the call. */
const Named = z.object({
  id: z.string().min(1).max(100),
  from: z.string().max(200).default(""),
  to: z.string().min(1).max(200),
});

/** `dialed`: the DIALSTATUS of a transfer. `over`: the caller has hung up. */
const NextForm = z.object({
  id: z.string().min(1).max(100),
  dialed: z.string().max(40).optional(),
  over: z.string().max(40).optional(),
});

const DIALED: Record<string, string> = {
  ANSWER: "completed",
  BUSY: "busy",
  NOANSWER: "no-answer",
  CANCEL: "canceled",
};
const transferResult = (dialed: string): TransferResult => {
  return { status: DIALED[dialed] ?? "failed", answered_by: null, duration_s: null };
};

/**
 * Calls over an Asterisk of one's own (chan_websocket, https://docs.asterisk.org/Configuration/Channel-Drivers/WebSocket):
 * the dialplan answers a call and dials our socket, which is the call from its first message to its end. Where it ends
 * sooner than the caller, the dialplan asks what follows: a transfer, or our socket again where its process died.
 */
export function asteriskCallbackRoutes(api: Api, { engine, carriers, calls, engines }: Parts): void {
  const { clock, log, db } = engine;

  const passwordOf = async (channel_id: number): Promise<string | undefined> => {
    const found = await carrierOfChannel({ db, carriers }, channel_id);
    return found?.carrier.name === ASTERISK_NAME ? found.account.credentials.socket_password : undefined;
  };

  const refuse = async (
    request: Pick<FastifyRequest, "headers" | "ip" | "routeOptions">,
    channel_id: number,
  ): Promise<void> => {
    if (isAsterisks(request.headers.authorization, await passwordOf(channel_id))) return;
    log.warn(
      { url: request.routeOptions.url, address: request.ip },
      "a request with a wrong password was refused",
    );
    throw new Fault("forbidden", "This is not the password of the channel (websocket_client.conf).");
  };

  /** The words that the dialplan compares: `dial` and a number, `again` for our socket, else `hangup`. */
  const wordsOf = (next: CallContinuation): string => {
    if (next.action === "dial") return `dial,${next.number}`;
    return next.action === "reopen" ? "again" : "hangup";
  };

  /** Our socket has ended, or the number that it was transferred to: what the dialplan does next. */
  api.post(
    `${ASTERISK_PREFIX}/:channel_id/next`,
    {
      tag: "carriers",
      permission: "public",
      hidden: true,
      summary: "Asterisk: what follows our socket",
      params: z.object({ channel_id: integer() }),
      form: { type: "application/x-www-form-urlencoded" },
    },
    async ({ params: { channel_id }, request, reply }) => {
      await refuse(request, channel_id);
      const form = NextForm.safeParse(request.body ?? {});
      if (!form.success) throw new Fault("refused", "The form needs id, the call's own of Asterisk.");
      const { id: sid, dialed, over } = form.data;
      if (over !== undefined) {
        const status = "COMPLETED" as const;
        const hungUp = { key: null, sid, status, word: "h", error_code: null, is_transient: null };
        await calls.signal({ ...hungUp, at: clock.now() }, channel_id);
        return reply.type("text/plain; charset=utf-8").send("hangup");
      }
      const next =
        dialed === undefined
          ? await calls.streamEnded(sid, channel_id)
          : await calls.transferEnded(sid, transferResult(dialed), channel_id);
      return reply.type("text/plain; charset=utf-8").send(wordsOf(next));
    },
  );

  api.server.get<SocketPath>(
    `${ASTERISK_PREFIX}/:channel_id/stream`,
    {
      websocket: true,
      schema: { hide: true },
      // Checked before the upgrade, so that a wrong password gets a 403 and no socket.
      preValidation: async (request) => {
        await refuse(request, Number(request.params.channel_id));
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
        if (opened === null || !("busy" in opened))
          log.warn({ sid, to }, "a call is turned away: it has no agent, or is over already");
        return null;
      };
      holdStream({ calls, engines, clock, log, soundAt, wire: asteriskWire(sid), name }, socket);
    },
  );
}
