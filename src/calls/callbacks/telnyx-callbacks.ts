import type { Api } from "../../api/server.ts";
import { tryParseJson } from "../../base/parse-json.ts";
import { TELNYX_PREFIX, type TelnyxCommands } from "../../carriers/telnyx/telnyx-carrier.ts";
import { readTelnyxEvent, type TelnyxCallEvent, transferWord } from "../../carriers/telnyx/telnyx-events.ts";
import type { CallContinuation } from "../../channels/call-socket.ts";
import { type CarrierAccount, CarrierFault, type Carriers } from "../../channels/carrier.ts";
import { carrierOfChannel } from "../../channels/channel-carrier.ts";
import type { AttemptReports } from "../../channels/outreach.ts";
import type { VoiceEngines } from "../../media/voice-engines.ts";
import type { Engine } from "../../sessions/engine.ts";
import { soundAt } from "../../speech/wait-sound.ts";
import { holdStream } from "../lines/stream-line.ts";
import { telnyxWire } from "../lines/telnyx-wire.ts";
import type { AnsweredCall, VoiceCalls } from "../voice-calls.ts";
import { isSigned, receiveEvents, refuseUnsigned } from "./telnyx-post.ts";

type Parts = {
  engine: Engine;
  carriers: Carriers;
  calls: VoiceCalls;
  attempts: Pick<AttemptReports, "find" | "signal">;
  publicUrl: string;
  engines: VoiceEngines | null;
};

type Account = { account: CarrierAccount; name: string; commands: TelnyxCommands };

/**
 * Calls over Telnyx: its events, each of which we answer with commands, and the socket of a call's audio. An event may
 * come twice, late or out of order: commands have ids by which Telnyx does each once, and what it refuses because the call
 * is over is no fault. What could not be stored is answered with 5xx, so that Telnyx sends it again.
 */
export function telnyxCallbackRoutes(api: Api, parts: Parts): void {
  const { engine, calls, attempts, publicUrl } = parts;
  const { clock, log, db } = engine;

  const accountOf = async (channel_id: number): Promise<Account | null> => {
    const found = await carrierOfChannel({ db, carriers: parts.carriers }, channel_id);
    if (!found || !("commands" in found.carrier)) return null;
    const { name, commands } = found.carrier as typeof found.carrier & { commands: TelnyxCommands };
    return { account: found.account, name, commands };
  };

  /** A call that is over takes no commands: that is not worth a second delivery of the event. */
  const tryTo = async (what: string, sid: string, command: Promise<void>): Promise<void> => {
    await command.catch((error) => {
      if (!(error instanceof CarrierFault) || error.fate === "unknown") throw error;
      log.warn({ sid, what, reason: error.message }, "a command for a call was refused");
    });
  };

  const stream = (
    { account, commands }: Account,
    sid: string,
    opened: Pick<AnsweredCall, "call_id" | "token">,
  ) => {
    const url = `${publicUrl}${TELNYX_PREFIX}/${account.channel_id}/stream`.replace(/^http/, "ws");
    return tryTo("stream", sid, commands.stream(account, sid, { url, ...opened }));
  };

  const goOn = (at: Account, sid: string, next: CallContinuation): Promise<void> => {
    const { account, commands } = at;
    if (next.action === "reopen") return stream(at, sid, next);
    if (next.action === "dial")
      return tryTo("transfer", sid, commands.transfer(account, sid, next.number, next.caller_id));
    return tryTo("hang up", sid, commands.hangUp(account, sid));
  };

  /** The agent of a call, or what else becomes of it. */
  const answer = (
    at: Account,
    { sid, from, to, state }: Extract<TelnyxCallEvent, { type: "incoming" | "answered" }>,
  ) =>
    calls.answer({
      carrier: at.name,
      sid,
      key: state.key ?? null,
      channel_id: at.account.channel_id,
      from,
      to,
    });

  const takeIncoming = async (at: Account, event: Extract<TelnyxCallEvent, { type: "incoming" }>) => {
    const { account, commands } = at;
    const opened = await answer(at, event);
    if (opened !== null && "busy" in opened)
      return tryTo("reject", event.sid, commands.reject(account, event.sid, "USER_BUSY"));
    if (opened !== null && ("dial" in opened || opened.is_streamed))
      return tryTo("answer", event.sid, commands.answer(account, event.sid));
    log.warn(
      { sid: event.sid, to: event.to },
      "a call is turned away: it has no agent, is over already, or nothing hears and speaks here",
    );
    return tryTo("reject", event.sid, commands.reject(account, event.sid, "CALL_REJECTED"));
  };

  /** Of a call that came in, or of one of ours that somebody picked up. */
  const takeAnswered = async (at: Account, event: Extract<TelnyxCallEvent, { type: "answered" }>) => {
    const opened = await answer(at, event);
    if (opened === null || "busy" in opened) return goOn(at, event.sid, { action: "hangup" });
    if ("dial" in opened) {
      return goOn(at, event.sid, {
        action: "dial",
        number: opened.dial,
        caller_id: null,
        detect_answerer: false,
      });
    }
    return opened.is_streamed ? stream(at, event.sid, opened) : goOn(at, event.sid, { action: "hangup" });
  };

  const signal = async ({ account: { channel_id } }: Account, event: TelnyxCallEvent): Promise<void> => {
    if (event.type !== "hangup" && event.type !== "answered") return;
    const key = event.state.key ?? null;
    const told = {
      key,
      sid: event.sid,
      status: event.type === "hangup" ? event.status : ("IN-PROGRESS" as const),
      word: event.type === "hangup" ? event.cause : "answered",
      error_code: null,
      is_transient: null,
      at: clock.now(),
    };
    const attempt = key === null ? null : await attempts.find(key);
    await Promise.all([
      calls.signal(told, channel_id),
      attempt?.channel_id === channel_id ? attempts.signal([told]) : null,
    ]);
  };

  /** The leg that a transfer rings. */
  const takeTransfer = async (at: Account, event: TelnyxCallEvent, sid: string): Promise<void> => {
    const { channel_id } = at.account;
    if (event.type === "bridged")
      await calls.transferEnded(sid, { status: "answered", answered_by: null, duration_s: null }, channel_id);
    if (event.type !== "hangup") return;
    const { duration_s } = event;
    const result = { status: transferWord(event.status), answered_by: null, duration_s };
    await goOn(at, sid, await calls.transferEnded(sid, result, channel_id));
  };

  const take = async (at: Account, event: TelnyxCallEvent): Promise<void> => {
    if (event.state.transfer_of !== undefined) return takeTransfer(at, event, event.state.transfer_of);
    await signal(at, event);
    if (event.type === "incoming") return takeIncoming(at, event);
    if (event.type === "answered") return takeAnswered(at, event);
    if (event.type === "stream_ended")
      return goOn(at, event.sid, await calls.streamEnded(event.sid, at.account.channel_id));
  };

  const path = `${TELNYX_PREFIX}/:channel_id`;
  receiveEvents<{ channel_id: string }>(api, [`${path}/events`], async (request, reply) => {
    const at = await accountOf(Number(request.params.channel_id));
    if (!isSigned(engine, request, at?.account.credentials.public_key) || !at) return refuseUnsigned(reply);
    const event = readTelnyxEvent(tryParseJson(request.body));
    if (event) await take(at, event);
    return reply.code(204).send();
  });

  // Telnyx signs no sockets: the token that it got from us is shown in the first message, and works once.
  api.server.get(`${path}/stream`, { websocket: true, schema: { hide: true } }, (socket) => {
    const { engines } = parts;
    if (!engines || engines.missing !== null) return socket.close(1011);
    holdStream({ calls, engines, clock, log, soundAt, wire: telnyxWire() }, socket);
  });
}
