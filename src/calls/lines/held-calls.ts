import type { Vault } from "../../base/crypto.ts";
import type { CallInput, CallLine } from "../../channels/call-socket.ts";
import type { AttemptReports } from "../../channels/outreach.ts";
import type { TraceEntry } from "../../events/trace.ts";
import type { CallCapacity } from "../../media/call-capacity.ts";
import type { LineRecorder } from "../../media/media-line.ts";
import type { VoiceUse } from "../../media/voice-use.ts";
import type { Engine } from "../../sessions/engine.ts";
import { dictionaryOf } from "../../speech/dictionary.ts";
import { endSession } from "../../turns/end-session.ts";
import { phraseSources } from "../../turns/phrase-sources.ts";
import {
  BROWSER,
  type CallRow,
  callOfId,
  endCall,
  lastWords,
  noteAnswerer,
  restoreLastWords,
  sessionOfCall,
} from "../call-store.ts";
import { beginTransfer } from "../call-transfer.ts";
import { callSettings } from "../call-voice.ts";
import type { CallRecordings } from "../recordings/call-recording.ts";
import { type CallReports, VoiceCall } from "../voice-call.ts";
import type { OpenCall } from "../voice-calls.ts";
import { callLeases, keepUse, openLine, reopenLine, usedWith } from "./line-store.ts";

const LINE = "call-line";

/** What opens a line of the call: each leg has a token of its own. */
export const tokenOfLine = (vault: Vault, { id }: CallRow, leg: number): string =>
  vault.sign(LINE, `${id}.${leg}`);

export const isTokenOfLine = (vault: Vault, { id }: CallRow, leg: number, token: string): boolean =>
  vault.verify(LINE, `${id}.${leg}`, token);

type Parts = {
  engine: Engine;
  vault: Vault;
  attempts: Pick<AttemptReports, "signal">;
  publicUrl: string;
  /** Left out: any number of calls. */
  capacity?: CallCapacity;
  /** Left out: nothing is recorded. */
  recordings?: CallRecordings;
  isStopping(): boolean;
  /** Completes the recordings that dead processes left of the call. */
  keepRecordings(call: CallRow): Promise<void>;
};

type HeldCalls = {
  /** Opens the call's next line here. Null: another process has opened it, or the call has ended. */
  open(found: CallRow, line: CallLine): Promise<OpenCall | null>;
  get(id: number): VoiceCall | undefined;
  all(): VoiceCall[];
};

/** The calls whose lines this process holds: each with its lease and its use of the speech engines. */
export function createHeldCalls(parts: Parts): HeldCalls {
  const { engine, vault, attempts, publicUrl, recordings, capacity, isStopping, keepRecordings } = parts;
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

  async function open(found: CallRow, line: CallLine): Promise<OpenCall | null> {
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
    const dictionary = () => dictionaryOf(db, call.sub_organization_id);
    const running = new VoiceCall({
      engine,
      session_id: call.session_id,
      language: session.state.language,
      settings: callSettings(begun, session, phrases, publicUrl, await dictionary(), words),
      dictionary,
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
    if (isStopping()) running.tell({ type: "stop" });
    return {
      next_token: tokenOfLine(vault, call, call.leg + 1),
      input: (event: CallInput) => running.input(event),
      observe: (...entries: TraceEntry[]) => running.observe(...entries),
      record: (line_rate: number) => record(call, line_rate),
    };
  }

  /** A fault of the disk stops no call: it goes on unrecorded. */
  const record = async (call: CallRow, line_rate: number): Promise<LineRecorder | null> =>
    (await recordings?.begin(call, line_rate).catch((error) => {
      log.error({ err: error, session_id: call.session_id }, "a call can't be recorded");
      return null;
    })) ?? null;

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
        if (call.leg > 1) await keepRecordings({ ...call, leg: call.leg - 1 });
        await endCall(db, call.id, clock.now());
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

  return { open, get: (id) => live.get(id), all: () => [...live.values()] };
}
