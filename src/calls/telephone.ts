import { setTimeout as sleep } from "node:timers/promises";
import type { Vault } from "../base/crypto.ts";
import type { CallInput, CallLine } from "../channels/call-socket.ts";
import type { CarrierSignal, Carriers } from "../channels/carrier.ts";
import { isAnswerer, isCallOver } from "../channels/channel-status.ts";
import type { AttemptReports } from "../channels/outreach.ts";
import type { TraceEntry } from "../events/trace.ts";
import { ANSWERING_SENTENCES } from "../media/answering-words.ts";
import type { CallCapacity } from "../media/call-capacity.ts";
import type { VoiceEngines } from "../media/voice-engines.ts";
import type { VoiceUse } from "../media/voice-use.ts";
import type { Answerer } from "../sessions/answerer-notes.ts";
import type { Engine } from "../sessions/engine.ts";
import { hangUp } from "../sessions/hang-up.ts";
import { endSession } from "../turns/end-session.ts";
import { phraseSources } from "../turns/phrase-sources.ts";
import { createAnswering } from "./answer-calls.ts";
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
  restoreLastWords,
  sessionOfCall,
  settledSoon,
  usedWith,
} from "./call-store.ts";
import { beginTransfer, endTransfer } from "./call-transfer.ts";
import {
  callSettings,
  callVoice,
  engineWish,
  expectedTexts,
  hearsAnswerer,
  transferDial,
} from "./call-voice.ts";
import { type EndedByCarrier, mayComeEarly, queueEarlyEnd } from "./early-end.ts";
import { queueRecording } from "./fetch-recording.ts";
import { type CallReports, VoiceCall } from "./voice-call.ts";
import type { AnsweredCall, VoiceCalls } from "./voice-calls.ts";

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
  const { engine, vault, carriers, attempts, publicUrl, recordings, voice_missing, capacity, engines } =
    parts;
  const { db, clock, log } = engine;
  const live = new Map<number, VoiceCall>();
  const uses = new Map<number, () => VoiceUse | null>();
  const lines = callLeases(
    engine,
    (id, { answerer, hung_up_by }) => {
      if (answerer) live.get(id)?.tell({ type: "answerer", found: answerer });
      if (hung_up_by !== null) live.get(id)?.hangUp();
    },
    (id) => uses.get(id)?.() ?? null,
  );
  let stopping = false;

  const tokenOf = (call: CallRow) => vault.sign(LINE, `${call.id}.${call.leg}`);

  async function opening(call: CallRow): Promise<AnsweredCall> {
    const voice = callVoice(await sessionOfCall(db, call));
    return { call_id: String(call.id), token: tokenOf(call), voice, is_streamed: call.is_streamed };
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
    running?.close({ lost: true });
    await settledSoon(running?.settled);
    if (await reopenLine(db, found, clock.now())) await keepRecordings(found);
  }

  /** What dead processes recorded of the call; a fault of the disk stops no call. */
  async function keepRecordings(call: CallRow): Promise<void> {
    await recordings?.complete(call).catch((error) => {
      log.error({ err: error, session_id: call.session_id }, "a call's recording could not be completed");
    });
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
      wish: engineWish(found, session),
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
    const words = isBroken ? await lastWords(engine, call.session_id) : null;
    if (words) await restoreLastWords(db, call.session_id);
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
    if (line.use) capacity?.opened(call.id, call.sid);
    const lost = lines.hold(call.id, said);
    // Another process has opened this call's next line, so nothing more is said or stored on this one.
    lost.addEventListener("abort", () => running.tell({ type: "closed", lost: true }));
    if (call.hung_up_by !== null) running.hangUp();
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
        if (call.leg > 1) await keepRecordings({ ...call, leg: call.leg - 1 });
      } finally {
        leave(call, use);
      }
    },
    async lost() {
      log.warn({ sid: call.sid, call_id: call.id }, "the line of a call broke and may be opened anew");
      // Left last: until then, a report that the caller has hung up finds the call here and waits for this.
      try {
        await keepUse(db, call, use());
        await reopenLine(db, call, clock.now());
      } finally {
        leave(call, use);
      }
    },
  });

  /** What is held is one line of the call: one that was opened since stays. */
  function leave({ id }: CallRow, use: () => VoiceUse | null): void {
    if (uses.get(id) !== use) return;
    live.delete(id);
    uses.delete(id);
    capacity?.closed(id);
    lines.drop(id);
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
      const found = status as Answerer;
      if (call.answerer === null) await noteCarriersAnswerer(db, call.id, found);
      live.get(call.id)?.tell({ type: "answerer", found });
    } else if (isCallOver(status)) {
      const running = live.get(call.id);
      running?.close();
      await running?.settled;
      // Read anew: its line may have broken a moment before, and waits for a next one that nobody opens any more.
      const now = await afterStream(db, call, running?.settled);
      if (now?.state === "answered") await settle(now, "user");
      else if (now && !running && now.state !== "ended" && !isHeld(now, clock.now()))
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

  /** Ends a call that no process runs. */
  async function settle(call: CallRow, reason: "error" | "user" | "transfer"): Promise<void> {
    await endSession(engine, call.session_id, reason);
    await endCall(db, call.id, clock.now());
    await keepRecordings(call);
  }

  return {
    answer,
    answerPage,
    voiceOf,
    open,
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
      const held = await toldOf(sid, channel_id);
      if (!held) log.warn({ sid }, "the end of a stream is of no call of ours");
      const call = held && (await afterStream(db, held, live.get(held.id)?.settled));
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
      for (const call of abandoned) {
        if (call.state !== "transferring" && call.carrier !== BROWSER)
          await hangUp(carriers, db, call).catch((error) => {
            log.warn({ err: error, sid: call.sid }, "a call that nobody runs could not be hung up");
          });
        await settle(call, reasonOf(call));
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
