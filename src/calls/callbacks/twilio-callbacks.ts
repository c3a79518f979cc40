import type { WebSocket } from "@fastify/websocket";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { integer } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import * as read from "../../carriers/twilio/twilio-callback.ts";
import * as markup from "../../carriers/twilio/twilio-markup.ts";
import { readHandoff } from "../../carriers/twilio/twilio-relay.ts";
import type { TwilioForm } from "../../carriers/twilio/twilio-signature.ts";
import { numberOf } from "../../carriers/twilio/twilio-texts.ts";
import { TWILIO_PREFIX, twilioUrls } from "../../carriers/twilio/twilio-urls.ts";
import type { Carriers } from "../../channels/carrier.ts";
import { channelOfNumber } from "../../channels/number-ownership.ts";
import type { AttemptReports } from "../../channels/outreach.ts";
import { receiveText } from "../../dialogues/text-dialogue.ts";
import { textSignals } from "../../dialogues/text-signals.ts";
import type { VoiceEngines } from "../../media/voice-engines.ts";
import type { Engine } from "../../sessions/engine.ts";
import { soundAt } from "../../speech/wait-sound.ts";
import { holdStream } from "../lines/stream-line.ts";
import { holdRelay } from "../lines/twilio-line.ts";
import { twilioWire } from "../lines/twilio-wire.ts";
import type { VoiceCalls } from "../voice-calls.ts";
import { keepTransferAnswerer, takeTransferAnswerer } from "./transfer-answerer.ts";
import { twilioSigners } from "./twilio-signer.ts";

/**
 * Callbacks of Twilio (or the simulator), by URL (`carriers/twilio/twilio-urls.ts`): inbound calls and texts, status updates,
 * and the socket of a conversation. A request that the channel's account didn't sign is refused with 403, and a signed one
 * counts only for calls and texts of that channel. Callbacks may arrive twice, late, out of order or for something unknown;
 * they are acknowledged anyway (204), or the carrier would send them again. Only what could not be stored is answered with
 * 5xx, so that the carrier retries.
 */
type Parts = {
  engine: Engine;
  carriers: Carriers;
  calls: VoiceCalls;
  attempts: AttemptReports;
  publicUrl: string;
  engines: VoiceEngines | null;
  /** Whether the carrier records calls and keeps the recordings for download. */
  record: boolean;
};

const channelPath = z.object({ channel_id: integer() });
const callPath = channelPath.extend({ key: z.string().min(1).max(200) });

export function twilioCallbackRoutes(api: Api, parts: Parts): void {
  const { engine, calls, attempts, publicUrl, record } = parts;
  const { clock, log, db } = engine;
  const texts = textSignals(engine);
  const path = `${TWILIO_PREFIX}/:channel_id`;
  const operation = { tag: "carriers", permission: "public", hidden: true } as const;
  const form = { type: "application/x-www-form-urlencoded", as_sent: true } as const;

  const signers = twilioSigners(parts);

  /** The form, after its signature was checked. */
  const signed = async (request: FastifyRequest, channel_id: number): Promise<Signed> => {
    const form = (request.body ?? {}) as TwilioForm;
    const carrier = await signers.signerOf(channel_id, request, `${publicUrl}${request.raw.url}`, form);
    return { form, carrier };
  };

  const xml = (reply: FastifyReply, text: string) => reply.type("text/xml; charset=utf-8").send(text);

  const post = <P extends z.ZodObject>(
    suffix: string,
    params: P,
    handle: (call: Signed & { params: z.output<P>; reply: FastifyReply }) => unknown,
  ) =>
    api.post(
      `${path}${suffix}`,
      { ...operation, summary: `Twilio: ${suffix}`, params, form },
      async ({ params: at, request, reply }) => {
        const { channel_id } = at as { channel_id: number };
        return handle({ ...(await signed(request, channel_id)), params: at as z.output<P>, reply });
      },
    );

  const done = (reply: FastifyReply) => reply.code(204).send();
  const unknown = (reply: FastifyReply, form: TwilioForm, what: string) => {
    log.info({ sid: read.field(form, "CallSid") || read.field(form, "MessageSid") }, what);
    return done(reply);
  };

  /** The channel that has the number now; the carrier may still send callbacks to its previous channel. */
  const channelOf = (form: TwilioForm, channel_id: number) =>
    channelOfNumber({ db, carriers: parts.carriers }, channel_id, numberOf(read.field(form, "To")).number);

  /** An inbound call, or one of ours that was answered. */
  const answer = async (
    { form, carrier, reply }: Signed & { reply: FastifyReply },
    told: number,
    key: string | null,
  ) => {
    const sid = read.field(form, "CallSid");
    const channel_id = key === null ? await channelOf(form, told) : told;
    if (channel_id === null) {
      log.warn({ sid, to: read.field(form, "To") }, "a call is for a number that is nobody's");
      return xml(reply, markup.rejectMarkup());
    }
    const urls = twilioUrls(publicUrl, channel_id).call(key ?? sid);
    const opened = await calls.answer({
      carrier,
      sid,
      key,
      channel_id,
      from: read.field(form, "From"),
      to: read.field(form, "To"),
      attestation: read.field(form, "StirVerstat"),
      is_recorded_by_carrier: record,
    });
    if (opened === null) {
      log.warn(
        { sid, key, to: read.field(form, "To") },
        "a call is turned away: it has no agent, or is over already",
      );
      return xml(reply, key === null ? markup.rejectMarkup() : markup.hangupMarkup());
    }
    if ("busy" in opened) return xml(reply, markup.rejectMarkup("busy"));
    if ("dial" in opened) {
      const dial = { action: "dial", number: opened.dial, caller_id: null, detect_answerer: false } as const;
      return xml(reply, markup.continuationMarkup(dial, urls));
    }
    return xml(reply, markup.answerMarkup(urls, opened, { record }));
  };

  post("/voice", channelPath, (call) => answer(call, call.params.channel_id, null));
  post("/calls/:key/answer", callPath, (call) => answer(call, call.params.channel_id, call.params.key));

  const tellCall = async (
    reply: FastifyReply,
    form: TwilioForm,
    channel_id: number,
    signal: ReturnType<typeof read.callSignal>,
  ) => {
    if (!signal) return unknown(reply, form, "a callback of a call says nothing of it");
    const { key } = signal;
    const attempt = key === null ? null : await attempts.find(key);
    const isTry = attempt?.channel_id === channel_id;
    const [known] = await Promise.all([
      calls.signal(signal, channel_id),
      isTry ? attempts.signal([signal]) : null,
    ]);
    // Most attempts end before anybody answers.
    if (!known && !isTry) return unknown(reply, form, "a callback is of no call of ours");
    return done(reply);
  };
  post("/voice/status", channelPath, async ({ form, params, reply }) => {
    const channel_id = (await channelOf(form, params.channel_id)) ?? params.channel_id;
    return tellCall(reply, form, channel_id, read.callSignal(form, null, clock.now()));
  });
  post("/calls/:key/status", callPath, ({ form, params, reply }) =>
    tellCall(reply, form, params.channel_id, read.callSignal(form, params.key, clock.now())),
  );
  post("/calls/:key/answerer", callPath, async ({ form, params, reply }) => {
    const signal = read.answererSignal(form, params.key, clock.now());
    if (signal && (await calls.knowsAnswerer(signal.sid, params.channel_id))) {
      log.info({ sid: signal.sid, word: signal.word }, "the carrier's word on who answered came after ours");
      return done(reply);
    }
    return tellCall(reply, form, params.channel_id, signal);
  });

  /** Our socket has ended: answers with the next step that was stored for the call. */
  post("/calls/:key/relay-ended", callPath, ({ form, params, reply }) => {
    const urls = twilioUrls(publicUrl, params.channel_id).call(params.key);
    const next = readHandoff(read.field(form, "HandoffData")) ?? ({ action: "hangup" } as const);
    return xml(reply, markup.continuationMarkup(next, urls));
  });

  /** The audio stream to us has ended. */
  post("/calls/:key/stream-ended", callPath, async ({ form, params, reply }) => {
    const urls = twilioUrls(publicUrl, params.channel_id).call(params.key);
    if (read.field(form, "CallStatus") === "completed") return xml(reply, markup.hangupMarkup());
    const next = await calls.streamEnded(read.field(form, "CallSid"), params.channel_id);
    return xml(reply, markup.continuationMarkup(next, urls));
  });

  post("/calls/:key/transfer-answerer", callPath, async ({ form, params, reply }) => {
    const word = read.field(form, "AnsweredBy");
    if (word === "") return unknown(reply, form, "nothing was heard of who picked up a transfer");
    const kept = await keepTransferAnswerer(db, params, word, clock.now());
    return kept ? done(reply) : unknown(reply, form, "a callback is of no call of ours");
  });

  post("/calls/:key/transfer", callPath, async ({ form, params, reply }) => {
    const urls = twilioUrls(publicUrl, params.channel_id).call(params.key);
    const result = read.transferResult(form);
    if (!result) return xml(reply, markup.hangupMarkup());
    const answered_by = await takeTransferAnswerer(db, params);
    const ended = { status: result.word, answered_by, duration_s: result.duration_s };
    const next = await calls.transferEnded(result.sid, ended, params.channel_id);
    return xml(reply, markup.continuationMarkup(next, urls));
  });

  post("/calls/:key/recording", callPath, async ({ form, params, reply }) => {
    const recording = read.readyRecording(form);
    if (!recording) return unknown(reply, form, "a recording is not ready");
    await calls.recordingReady(recording.sid, { url: recording.url }, params.channel_id);
    return done(reply);
  });

  post("/messages", channelPath, async ({ form, params, reply }) => {
    const text = read.incomingText(form);
    if (!text) return unknown(reply, form, "a text came without a sender, a recipient or an id");
    const channel_id = await channelOf(form, params.channel_id);
    const received = channel_id === null ? "nobody" : await receiveText(parts, channel_id, text);
    if (received !== "new") log.info({ sid: text.sid, to: text.to, received }, "a text was not taken anew");
    return xml(reply, markup.EMPTY_MARKUP);
  });

  post("/messages/:key/status", callPath, async ({ form, params, reply }) => {
    const signal = read.messageSignal(form, params.key, clock.now());
    if (!signal) return unknown(reply, form, "a callback of a text says nothing of it");
    const { channel_id, key } = params;
    if (await texts.add({ ...signal, key, channel_id })) await attempts.signal([signal]);
    return done(reply);
  });

  const socketOf = (name: string, hold: (socket: WebSocket) => void) =>
    api.server.get<{ Params: { channel_id: string; key: string } }>(
      `${path}/calls/:key/${name}`,
      {
        websocket: true,
        schema: { hide: true },
        // Checked before the upgrade, so that an unsigned request gets a 403 and no socket.
        preValidation: async (request) => {
          const url = `${publicUrl.replace(/^http/, "ws")}${request.raw.url}`;
          await signers.signerOf(Number(request.params.channel_id), request, url, {});
        },
      },
      hold,
    );
  socketOf("relay", (socket) => holdRelay({ calls, log }, socket));
  socketOf("stream", (socket) => {
    const { engines } = parts;
    if (!engines || engines.missing !== null) return socket.close(1011);
    holdStream({ calls, engines, clock, log, soundAt, wire: twilioWire() }, socket);
  });
}

type Signed = { form: TwilioForm; carrier: string };
