import { setTimeout as sleep } from "node:timers/promises";
import type { Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import { SIMULATOR_NAME } from "../carriers/simulator-account.ts";
import type { CallInput, CallLine } from "../channels/call-socket.ts";
import type { CarrierSignal, Carriers } from "../channels/carrier.ts";
import { isAnswerer, isCallOver } from "../channels/channel-status.ts";
import { fallbackRefusal } from "../channels/fallback-target.ts";
import type { AttemptReports } from "../channels/outreach.ts";
import type { TraceEntry } from "../events/trace.ts";
import { ANSWERING_SENTENCES } from "../media/answering-words.ts";
import type { VoiceUse } from "../media/voice-use.ts";
import type { Answerer } from "../sessions/answerer-notes.ts";
import type { Engine } from "../sessions/engine.ts";
import { hangUp } from "../sessions/hang-up.ts";
import { endSession } from "../turns/end-session.ts";
import { phraseSources } from "../turns/phrase-sources.ts";
import type { CallRecordings } from "./call-recording.ts";
import {
  abandonedCalls,
  afterStream,
  BROWSER,
  type CallRow,
  callLeases,
  callOfId,
  callOfSid,
  endCall,
  isHeld,
  keepUse,
  lastWords,
  noteAnswerer,
  noteCarriersAnswerer,
  openLine,
  reopenLine,
  sessionOfCall,
  settledSoon,
  usedWith,
} from "./call-store.ts";
import { beginTransfer, endTransfer } from "./call-transfer.ts";
import { callSettings, callVoice, expectedTexts, hearsAnswerer, transferDial } from "./call-voice.ts";
import { queueRecording } from "./fetch-recording.ts";
import { startCall, wantedCall } from "./start-call.ts";
import { type CallReports, VoiceCall } from "./voice-call.ts";
import type { AnsweredCall, IncomingCall, VoiceCalls } from "./voice-calls.ts";
import type { WantedCall } from "./wanted-call.ts";

/** Grace period before the process of a line counts as dead. */
const GRACE_MS = 30_000;
const LOOK_MS = 20;
const LINE = "call-line";

type Parts = {
  engine: Engine;
  vault: Vault;
  carriers: Carriers;
  attempts: Pick<AttemptReports, "find" | "sessionStarted" | "signal">;
  publicUrl: string;
  /** Why this installation has no speech recognition or synthesis of its own; null: it has. */
  voice_missing: string | null;
  /** Left out: nothing is recorded. */
  recordings?: CallRecordings;
};

export type RunningCalls = VoiceCalls & {
  /** Ends the calls of dead processes. Resolves with their number. */
  settleAbandoned(): Promise<number>;
  /** Answers no more calls, and says goodbye on those that run. */
  stop(): void;
  /** After a stop and the end of all lines: resolves when their last writes are stored, or the time is up. */
  over(within_ms: number): Promise<void>;
};

export function createVoiceCalls(parts: Parts): RunningCalls {
  const { engine, vault, carriers, attempts, publicUrl, recordings, voice_missing } = parts;
  const { db, clock, log } = engine;
  const live = new Map<number, VoiceCall>();
  const uses = new Map<number, () => VoiceUse | null>();
  const lines = callLeases(
    engine,
    (id, answerer) => live.get(id)?.tell({ type: "answerer", found: answerer }),
    (id) => uses.get(id)?.() ?? null,
  );
  let stopping = false;

  const tokenOf = (call: CallRow) => vault.sign(LINE, `${call.id}.${call.leg}`);

  async function opening(call: CallRow): Promise<AnsweredCall> {
    const voice = callVoice(await sessionOfCall(db, call));
    return { call_id: String(call.id), token: tokenOf(call), voice, is_streamed: call.is_streamed };
  }

  async function answer(given: IncomingCall): ReturnType<VoiceCalls["answer"]> {
    const known = await callOfSid(db, given.sid, given.carrier);
    if (known && given.channel_id != null && known.channel_id !== given.channel_id) return null;
    if (known) return known.state === "answered" || known.state === "open" ? opening(known) : null;
    const found = await wantedCall(db, attempts, given);
    if (!found) return null;
    const wanted = {
      ...found,
      fallback_target: allowedFallback(found),
      is_streamed: found.is_streamed && canStream(given),
    };
    const fallback = wanted.fallback_target === null ? null : { dial: wanted.fallback_target };
    if (wanted.agent_id === null || stopping) return fallback;
    try {
      await startCall(engine, attempts, given, wanted);
    } catch (error) {
      // Two requests at the same time: the other one has started the call.
      const other = await callOfSid(db, given.sid, given.carrier);
      if (other) return opening(other);
      // A Fault would occur again; after any other error the carrier's next request may succeed.
      if (fallback === null && !(error instanceof Fault)) throw error;
      log.error({ err: error, sid: given.sid, fallback }, "a call could not be answered by its agent");
      return fallback;
    }
    const started = await callOfSid(db, given.sid, given.carrier);
    return started ? opening(started) : null;
  }

  /** Null when a target has no fallback number, or the operator doesn't allow calls to it. */
  function allowedFallback({ fallback_target, number, channel_target_id }: WantedCall): string | null {
    if (fallback_target === null) return null;
    const refusal = fallbackRefusal(fallback_target, number, engine.destinations);
    if (refusal === null) return fallback_target;
    log.warn({ channel_target_id, refusal }, "the fallback target of a number is not dialled");
    return null;
  }

  /** Without speech engines of our own, the carrier listens and speaks, so the call is answered anyway. */
  function canStream({ carrier, sid }: IncomingCall): boolean {
    if (carrier === SIMULATOR_NAME) return false;
    if (voice_missing !== null)
      log.warn({ sid, voice_missing }, "a call is not streamed, but relayed as text");
    return voice_missing === null;
  }

  async function answerPage(given: IncomingCall, wanted: WantedCall): Promise<AnsweredCall> {
    if (stopping)
      throw new Fault("unavailable", "This service is restarting. Please call again in a moment.");
    await startCall(engine, attempts, given, wanted);
    const started = await callOfSid(db, given.sid, given.carrier);
    if (!started) throw new Error("a call was started and is not there");
    return opening(started);
  }

  const proves = (call: CallRow | undefined, token: string, leg = call?.leg): call is CallRow =>
    call !== undefined && vault.verify(LINE, `${call.id}.${leg}`, token);

  /** A call by its id, if the token is that of its line. */
  async function callOfLine(call_id: string, token: string): Promise<CallRow | null> {
    const found = /^\d{1,15}$/.test(call_id) ? await callOfId(db, Number(call_id)) : undefined;
    return proves(found, token) ? found : null;
  }

  /** Closes a line whose page reconnects, over another network, before we noticed that the line broke. */
  async function giveUpBrokenLine(call_id: string, token: string): Promise<void> {
    const found = /^\d{1,15}$/.test(call_id) ? await callOfId(db, Number(call_id)) : undefined;
    if (found?.state !== "open" || found.carrier !== BROWSER) return;
    if (!proves(found, token, found.leg + 1)) return;
    const running = live.get(found.id);
    running?.tell({ type: "closed", lost: true });
    await settledSoon(running?.settled);
    await reopenLine(db, found, clock.now());
  }

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
      wish: {
        sub_organization_id: found.sub_organization_id,
        stt_provider: session.snapshot.agent.stt_provider ?? null,
      },
    };
  }

  async function open(call_id: string, token: string, line: CallLine) {
    const found = await callOfLine(call_id, token);
    if (!found) return null;
    const said = lines.moment();
    const call = await openLine(db, found.id, engine.owner, lines.end(said.at));
    if (!call) return null;
    const session = await sessionOfCall(db, call);
    const { id: agent_id, bridge_phrases_id } = session.snapshot.agent;
    const phrases = await phraseSources(db, call.sub_organization_id, { id: agent_id, bridge_phrases_id });
    const comesBack = call.is_streamed || call.carrier === BROWSER;
    const isBroken = comesBack && call.leg > 1 && call.transfer_number === null;
    const words = isBroken ? await lastWords(db, call.session_id) : null;
    // Nothing was said yet, so it begins with the greeting.
    const begun = words === "" ? { ...call, leg: 1 } : call;
    const use = usedWith(call, line);
    const running = new VoiceCall({
      engine,
      session_id: call.session_id,
      language: session.state.language,
      settings: callSettings(begun, session, phrases, publicUrl, words),
      line,
      reports: reportsOf(call, use),
    });
    live.set(call.id, running);
    uses.set(call.id, use);
    lines.hold(call.id, said);
    if (call.answerer) running.tell({ type: "answerer", found: call.answerer });
    // The platform began to stop while this was read, so this call hears a goodbye too.
    if (stopping) running.tell({ type: "stop" });
    return {
      next_token: vault.sign(LINE, `${call.id}.${call.leg + 1}`),
      input: (event: CallInput) => running.input(event),
      observe: (...entries: TraceEntry[]) => running.observe(...entries),
      record: async (line_rate: number) => (await recordings?.begin(call, line_rate)) ?? null,
    };
  }

  const reportsOf = (call: CallRow, use: () => VoiceUse | null): CallReports => ({
    async answerer(status) {
      await noteAnswerer(db, call.id, status);
      if (call.key === null) return;
      const { key, sid } = call;
      const heard = { word: `heard: ${status.toLowerCase()}`, error_code: null, is_transient: null };
      await attempts.signal([{ key, sid, status, ...heard, at: clock.now() }]);
    },
    async transferring(dial, transfer) {
      leave(call, use);
      await keepUse(db, call, use());
      await beginTransfer(engine, call, dial, transfer);
    },
    async ended(reason) {
      const now = await callOfId(db, call.id).catch(() => undefined);
      // This line counted as dead and was reopened, elsewhere or here.
      if (now && now.leg !== call.leg) return leave(call, use);
      try {
        await keepUse(db, call, use());
        await endSession(engine, call.session_id, reason);
        await endCall(db, call.id, clock.now());
      } finally {
        leave(call, use);
      }
    },
    async lost() {
      try {
        await keepUse(db, call, use());
      } finally {
        leave(call, use);
      }
      log.warn({ sid: call.sid, call_id: call.id }, "the line of a call broke and may be opened anew");
      await reopenLine(db, call, clock.now());
    },
  });

  /** What is held is one line of the call: one that was opened since stays. */
  function leave({ id }: CallRow, use: () => VoiceUse | null): void {
    if (uses.get(id) !== use) return;
    live.delete(id);
    uses.delete(id);
    lines.drop(id);
  }

  /** A call of another channel's account is treated as unknown. */
  const toldOf = async (sid: string, channel_id: number | null): Promise<CallRow | undefined> => {
    const call = await callOfSid(db, sid);
    return channel_id === null || call?.channel_id === channel_id ? call : undefined;
  };

  async function signal({ sid, status }: CarrierSignal, channel_id: number | null): Promise<boolean> {
    const call = await toldOf(sid, channel_id);
    if (!call || call.state === "ended") return call !== undefined;
    if (isAnswerer(status)) {
      const found = status as Answerer;
      if (call.answerer === null) await noteCarriersAnswerer(db, call.id, found);
      live.get(call.id)?.tell({ type: "answerer", found });
    } else if (isCallOver(status)) {
      const running = live.get(call.id);
      if (running) {
        running.tell({ type: "closed" });
        await running.settled;
      } else if (!isHeld(call, clock.now())) {
        await settle(call, call.state === "answered" ? "user" : reasonOf(call));
      }
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

  /** Ends a call that no process runs. */
  async function settle(call: CallRow, reason: "error" | "user" | "transfer"): Promise<void> {
    await endSession(engine, call.session_id, reason);
    await endCall(db, call.id, clock.now());
  }

  return {
    answer,
    answerPage,
    voiceOf,
    open,
    signal,
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
      const held = await toldOf(sid, channel_id);
      if (!held) log.warn({ sid }, "the end of a stream is of no call of ours");
      const call = held && (await afterStream(db, held, live.get(held.id)?.settled));
      if (call?.state === "transferring" && call.transfer_number !== null) {
        const { telephony } = await sessionOfCall(db, call);
        return { action: "dial", number: call.transfer_number, ...transferDial(call, telephony) };
      }
      if (!call?.is_streamed || stopping) return { action: "hangup" };
      if (call.state === "open" && (await reopenLine(db, call, clock.now()))) {
        log.warn({ sid, call_id: call.id }, "the line of a call broke and is opened anew");
        await recordings?.complete(call);
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
      for (const call of abandoned) {
        if (call.state !== "transferring" && call.carrier !== BROWSER)
          await hangUp(carriers, db, call).catch((error) => {
            log.warn({ err: error, sid: call.sid }, "a call that nobody runs could not be hung up");
          });
        await settle(call, reasonOf(call));
        await recordings?.complete(call);
      }
      return abandoned.length;
    },
    stop() {
      stopping = true;
      for (const running of live.values()) running.tell({ type: "stop" });
    },
    async over(within_ms) {
      const deadline = performance.now() + within_ms;
      while (live.size > 0 && performance.now() < deadline) await sleep(LOOK_MS);
      await recordings?.written();
    },
  };
}
