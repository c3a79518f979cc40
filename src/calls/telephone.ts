import { setTimeout as sleep } from "node:timers/promises";
import type { Vault } from "../base/crypto.ts";
import { errorText } from "../base/errors.ts";
import { CarrierFault, type CarrierSignal, type Carriers } from "../channels/carrier.ts";
import { isAnswerer, isCallOver } from "../channels/channel-status.ts";
import type { AttemptReports } from "../channels/outreach.ts";
import { oneByOne } from "../jobs/one-by-one.ts";
import type { CallCapacity } from "../media/call-capacity.ts";
import type { VoiceEngines } from "../media/voice-engines.ts";
import { ANSWERING_SENTENCES } from "../media/words/answering-words.ts";
import type { Engine } from "../sessions/engine.ts";
import { hangUp } from "../sessions/hang-up.ts";
import { endSession } from "../turns/end-session.ts";
import { createAnswering } from "./answer-calls.ts";
import {
  abandonedCalls,
  BROWSER,
  type CallRow,
  callOfId,
  callOfSid,
  endCall,
  noteCarriersAnswerer,
  sessionOfCall,
} from "./call-store.ts";
import { endTransfer } from "./call-transfer.ts";
import { callVoice, engineWish, expectedTexts, hearsAnswerer, transferDial } from "./call-voice.ts";
import { type EndedByCarrier, mayComeEarly, queueEarlyEnd } from "./early-end.ts";
import { createHeldCalls, isTokenOfLine, tokenOfLine } from "./lines/held-calls.ts";
import { afterStream, isHeld, reopenLine, settledSoon } from "./lines/line-store.ts";
import type { CallRecordings } from "./recordings/call-recording.ts";
import { queueRecording } from "./recordings/fetch-recording.ts";
import type { AnsweredCall, VoiceCalls } from "./voice-calls.ts";

/** Grace period before the process of a line counts as dead. */
const GRACE_MS = 30_000;
const LOOK_MS = 20;

type Parts = {
  engine: Engine;
  vault: Vault;
  carriers: Carriers;
  attempts: Pick<AttemptReports, "find" | "sessionStarted" | "signal">;
  publicUrl: string;
  /** Why this installation has no speech recognition or synthesis of its own; null: it has. */
  voice_missing: string | null;
  /** What calls on our own lines are heard and spoken with; left out: no greeting is made beforehand. */
  engines?: VoiceEngines | null;
  /** Left out: any number of calls. */
  capacity?: CallCapacity;
  /** Left out: nothing is recorded. */
  recordings?: CallRecordings;
};

export type RunningCalls = VoiceCalls &
  EndedByCarrier & {
    /** Ends the calls of dead processes. Resolves with their number. */
    settleAbandoned(): Promise<number>;
    /** Answers no more calls, and says goodbye on those that run. */
    stop(): void;
    /** After a stop and the end of all lines: resolves when their last writes are stored, or the time is up. */
    over(within_ms: number): Promise<void>;
  };

export function createVoiceCalls(parts: Parts): RunningCalls {
  const { engine, vault, carriers, attempts, recordings, voice_missing, capacity, engines } = parts;
  const { db, clock, log } = engine;
  let stopping = false;

  async function opening(call: CallRow): Promise<AnsweredCall> {
    const voice = callVoice(await sessionOfCall(db, call));
    return {
      call_id: String(call.id),
      token: tokenOfLine(vault, call, call.leg),
      voice,
      is_streamed: call.is_streamed,
    };
  }

  const { answer, answerPage, repeatSoon } = createAnswering({
    engine,
    attempts,
    voice_missing,
    engines,
    capacity,
    records_lines: recordings !== undefined,
    isStopping: () => stopping,
    opening,
  });

  /** A call by its id, if the token is that of its line. */
  async function callOfLine(call_id: string, token: string): Promise<CallRow | null> {
    const found = /^\d{1,15}$/.test(call_id) ? await callOfId(db, Number(call_id)) : undefined;
    return found && isTokenOfLine(vault, found, found.leg, token) ? found : null;
  }

  /** Closes a line whose page reconnects, over another network, before we noticed that the line broke. */
  async function giveUpBrokenLine(call_id: string, token: string): Promise<void> {
    const found = /^\d{1,15}$/.test(call_id) ? await callOfId(db, Number(call_id)) : undefined;
    if (found?.state !== "open" || found.carrier !== BROWSER) return;
    if (!isTokenOfLine(vault, found, found.leg + 1, token)) return;
    const held = calls.get(found.id);
    held?.close({ lost: true });
    await settledSoon(held?.settled);
    if (await reopenLine(db, found, clock.now())) await keepRecordings(found);
  }

  /** What dead processes recorded of the call; a fault of the disk stops no call. */
  async function keepRecordings(call: CallRow): Promise<void> {
    await recordings?.complete(call).catch((error) => {
      log.error({ err: error, session_id: call.session_id }, "a call's recording could not be completed");
    });
  }

  const calls = createHeldCalls({ ...parts, isStopping: () => stopping, keepRecordings });

  async function voiceOf(call_id: string, token: string): ReturnType<VoiceCalls["voiceOf"]> {
    await giveUpBrokenLine(call_id, token);
    const found = await callOfLine(call_id, token);
    if (found?.state !== "answered") return null;
    const session = await sessionOfCall(db, found);
    const finds_answerer = hearsAnswerer(found);
    const hints = expectedTexts(session.snapshot);
    return {
      ...callVoice(session),
      hints: finds_answerer ? [...hints, ...ANSWERING_SENTENCES] : hints,
      finds_answerer,
      wish: engineWish(found, session),
    };
  }

  /** A call of another channel's account is treated as unknown. */
  const toldOf = async (sid: string, channel_id: number | null): Promise<CallRow | undefined> => {
    const call = await callOfSid(db, sid);
    return channel_id === null || call?.channel_id === channel_id ? call : undefined;
  };

  async function signal(told: CarrierSignal, channel_id: number | null): Promise<boolean> {
    const known = await take(told, channel_id);
    if (!known && mayComeEarly(told)) await queueEarlyEnd(engine, { ...told, channel_id });
    return known;
  }

  async function take(
    { sid, status }: Pick<CarrierSignal, "sid" | "status">,
    channel_id: number | null,
  ): Promise<boolean> {
    const call = await toldOf(sid, channel_id);
    if (!call || call.state === "ended") return call !== undefined;
    if (isAnswerer(status)) {
      if (call.answerer === null) await noteCarriersAnswerer(db, call.id, status);
      calls.get(call.id)?.tell({ type: "answerer", found: status });
    } else if (isCallOver(status)) {
      const held = calls.get(call.id);
      held?.close();
      await held?.settled;
      // Read anew: its line may have broken a moment before, and waits for a next one that nobody opens any more.
      const now = await afterStream(db, call, held?.settled);
      if (now?.state === "answered") await settle(now, "user");
      else if (now && !held && now.state !== "ended" && !isHeld(now, clock.now()))
        await settle(now, reasonOf(now));
    }
    return true;
  }

  /**
   * The end reason of an abandoned call: a process died over an open line; a transfer without a result may well have been
   * connected; a page whose line broke and that did not reconnect has left.
   */
  const reasonOf = ({ state, leg, carrier }: CallRow) => {
    if (state === "transferring") return "transfer";
    return carrier === BROWSER && state === "answered" && leg > 1 ? "user" : "error";
  };

  /** Ends a call that no process runs. It is over last: where this process dies, too, another settles it anew. */
  async function settle(call: CallRow, reason: "error" | "user" | "transfer"): Promise<void> {
    await endSession(engine, call.session_id, reason);
    await keepRecordings(call);
    await endCall(db, call.id, clock.now());
  }

  return {
    answer,
    answerPage,
    voiceOf,
    async open(call_id, token, line) {
      const found = await callOfLine(call_id, token);
      return found && calls.open(found, line);
    },
    signal,
    carrierEnded: take,
    async knowsAnswerer(sid, channel_id) {
      const call = await toldOf(sid, channel_id);
      return call?.is_outbound === true && call.is_streamed && call.answerer !== null;
    },
    async transferEnded(sid, result, channel_id) {
      const call = await toldOf(sid, channel_id);
      if (!call) log.warn({ sid }, "the end of a transfer is of no call of ours");
      if (!call || call.state === "open") return { action: "hangup" };
      if (call.state === "transferring" || call.state === "ended") {
        const end = await endTransfer(engine, call, result);
        if (end !== "resumed" && call.state === "transferring")
          await settle(call, end === "connected" ? "transfer" : "error");
      }
      const again = await callOfId(db, call.id);
      return again?.state === "answered"
        ? { action: "reopen", ...(await opening(again)) }
        : { action: "hangup" };
    },
    async streamEnded(sid, channel_id) {
      const told = await toldOf(sid, channel_id);
      if (!told) log.warn({ sid }, "the end of a stream is of no call of ours");
      const call = told && (await afterStream(db, told, calls.get(told.id)?.settled));
      if (call?.state === "transferring" && call.transfer_number !== null) {
        const { telephony } = await sessionOfCall(db, call);
        return { action: "dial", number: call.transfer_number, ...transferDial(call, telephony) };
      }
      if (!call?.is_streamed || call.hung_up_by !== null || stopping) return { action: "hangup" };
      if (call.state === "open" && (await reopenLine(db, call, clock.now()))) {
        log.warn({ sid, call_id: call.id }, "the line of a call broke and is opened anew");
        // The caller waits for the next line, and not for the disk.
        void keepRecordings(call);
        repeatSoon(call);
      }
      const again = await callOfId(db, call.id);
      return again?.state === "answered"
        ? { action: "reopen", ...(await opening(again)) }
        : { action: "hangup" };
    },
    async recordingReady(sid, { url }, channel_id) {
      const call = await toldOf(sid, channel_id);
      if (!call) return log.warn({ sid }, "a recording is of no call of ours");
      await queueRecording(db, { sub_organization_id: call.sub_organization_id, call_id: call.id, url });
    },
    async settleAbandoned() {
      const abandoned = await abandonedCalls(db, new Date(clock.now().getTime() - GRACE_MS));
      await oneByOne(abandoned, async (call) => {
        if (call.state !== "transferring" && call.carrier !== BROWSER)
          await hangUp(carriers, db, call).catch((error) => {
            if (error instanceof CarrierFault && error.fate === "refused")
              log.info({ error: errorText(error), sid: call.sid }, "a call that nobody ran was over already");
            else log.warn({ err: error, sid: call.sid }, "a call that nobody runs could not be hung up");
          });
        await settle(call, reasonOf(call));
      });
      return abandoned.length;
    },
    stop() {
      stopping = true;
      for (const call of calls.all()) call.tell({ type: "stop" });
    },
    async over(within_ms) {
      const deadline = performance.now() + within_ms;
      while (calls.all().length > 0 && performance.now() < deadline) await sleep(LOOK_MS);
      await recordings?.written();
    },
  };
}
