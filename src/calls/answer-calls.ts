import { Fault } from "../base/errors.ts";
import { SIMULATOR_NAME } from "../carriers/simulator-account.ts";
import type { CallVoice } from "../channels/call-socket.ts";
import { fallbackRefusal } from "../channels/fallback-target.ts";
import type { AttemptReports } from "../channels/outreach.ts";
import type { CallCapacity } from "../media/call-capacity.ts";
import { makeBeforehand } from "../media/call-engines.ts";
import type { EngineWish, VoiceEngines } from "../media/voice-engines.ts";
import type { Engine } from "../sessions/engine.ts";
import { type CallRow, callOfSid, lastWords, sessionOfCall } from "./call-store.ts";
import { callVoice, engineWish } from "./call-voice.ts";
import { makeGreeting } from "./lines/make-greeting.ts";
import { startCall, wantedCall } from "./start-call.ts";
import type { AnsweredCall, IncomingCall, VoiceCalls } from "./voice-calls.ts";
import type { WantedCall } from "./wanted-call.ts";

const ALL_BUSY = "All lines are busy. Please call again in a minute.";

type Parts = {
  engine: Engine;
  attempts: Pick<AttemptReports, "find" | "sessionStarted" | "signal">;
  /** Why this installation has no speech recognition or synthesis of its own; null: it has. */
  voice_missing: string | null;
  /** What calls on our own lines are heard and spoken with; left out: no greeting is made beforehand. */
  engines?: VoiceEngines | null;
  /** Left out: any number of calls. */
  capacity?: CallCapacity;
  /** Whether our own lines are recorded. */
  records_lines: boolean;
  isStopping(): boolean;
  /** How the line of a call is opened. */
  opening(call: CallRow): Promise<AnsweredCall>;
};

/** Which calls are answered, and by whom: an agent, a number they are passed on to, or nobody. */
export function createAnswering(parts: Parts): Pick<VoiceCalls, "answer" | "answerPage"> & {
  /** Makes the audio of the agent's last words while the carrier opens the call's next line. */
  repeatSoon(call: CallRow): void;
} {
  const { engine, attempts, voice_missing, engines, capacity, records_lines, isStopping, opening } = parts;
  const { db, log } = engine;

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
    if (wanted.agent_id === null || isStopping()) return fallback;
    const isNew = given.key === null && wanted.is_streamed;
    if (isNew && !hasRoom(given.sid)) return fallback ?? { dial: null, busy: true };
    try {
      const is_recorded = wanted.is_streamed ? records_lines : (given.is_recorded_by_carrier ?? false);
      await startCall(engine, attempts, given, { ...wanted, is_recorded });
    } catch (error) {
      // Two requests at the same time: the other one has started the call, which keeps its place.
      const other = await callOfSid(db, given.sid, given.carrier);
      if (other) return opening(other);
      if (isNew) capacity?.forget(given.sid);
      // A Fault would occur again; after any other error the carrier's next request may succeed.
      if (fallback === null && !(error instanceof Fault)) throw error;
      log.error({ err: error, sid: given.sid, fallback }, "a call could not be answered by its agent");
      return fallback;
    }
    const started = await callOfSid(db, given.sid, given.carrier);
    if (started?.is_streamed) greetSoon(started);
    return started ? opening(started) : null;
  }

  async function answerPage(given: IncomingCall, wanted: WantedCall): Promise<AnsweredCall> {
    if (isStopping())
      throw new Fault("unavailable", "This service is restarting. Please call again in a moment.");
    if (!hasRoom(given.sid)) throw new Fault("too-many", ALL_BUSY, { retry_after_s: 30 });
    await startCall(engine, attempts, given, { ...wanted, is_recorded: records_lines });
    const started = await callOfSid(db, given.sid, given.carrier);
    if (!started) throw new Error("a call was started and is not there");
    greetSoon(started);
    return opening(started);
  }

  /** Makes the greeting's audio while the carrier or the page opens the line. */
  const greetSoon = (call: CallRow): void =>
    makeSoon(call, (able, voice) => makeGreeting(engine, able, call.session_id, voice));

  const repeatSoon = (call: CallRow): void =>
    makeSoon(call, async (able, voice, language) => {
      const text = await lastWords(engine, call.session_id);
      if (text) await makeBeforehand(able, voice, [{ text, language }]);
    });

  type VoiceAndWish = CallVoice & { wish: EngineWish };
  function makeSoon(
    call: CallRow,
    make: (able: VoiceEngines, voice: VoiceAndWish, language: string) => Promise<void>,
  ): void {
    if (!engines || engines.missing !== null) return;
    const work = async () => {
      const session = await sessionOfCall(db, call);
      const voice = { ...callVoice(session), wish: engineWish(call, session) };
      await make(engines, voice, session.state.language);
    };
    work().catch((error) => log.warn({ err: error, sid: call.sid }, "audio was not made beforehand"));
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

  /** Whether this process can hear and speak one more call; it keeps the place. */
  function hasRoom(sid: string): boolean {
    if (!capacity || capacity.admit(sid)) return true;
    log.warn({ sid, calls: capacity.running, most: capacity.most }, "a call was refused: all lines are busy");
    return false;
  }

  return { answer, answerPage, repeatSoon };
}
