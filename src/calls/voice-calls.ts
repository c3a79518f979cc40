import type { CallContinuation, CallInput, CallLine, CallVoice } from "../channels/call-socket.ts";
import type { CarrierSignal } from "../channels/carrier.ts";
import type { TraceEntry } from "../events/trace.ts";
import type { LineRecorder } from "../media/media-line.ts";
import type { WantedCall } from "./wanted-call.ts";

export type IncomingCall = {
  /** The carrier's name, as `Carrier.name` has it. */
  carrier: string;
  sid: string;
  /** Ours, of an outbound try; null for a call that came in. */
  key: string | null;
  /** The channel whose account the call came over, where the carrier's callback tells. */
  channel_id?: number | null;
  from: string;
  to: string;
  /** What the carriers on the way say of the caller's number (STIR/SHAKEN); absent where nothing was said. */
  attestation?: string;
};

/** How the line of a call is opened: over a socket that names the call and shows the token. */
export type AnsweredCall = {
  call_id: string;
  token: string;
  voice: CallVoice;
  /** The carrier sends us its audio; else it listens and speaks itself. */
  is_streamed: boolean;
};

/** A call whose line is open, as the line sees it. */
export type OpenCall = {
  /** Opens the call once more, should this line break. */
  next_token: string;
  input(event: CallInput): void;
  /** What the line saw, for the session's trace. */
  observe(...entries: TraceEntry[]): void;
  /** For a line of our own, whose frames have this rate; null where the call is not to be recorded, or can't be. */
  record(line_rate: number): Promise<LineRecorder | null>;
};

/** How the other end of a transfer did. */
export type TransferResult = {
  /** The carrier's word for the leg: completed, answered, busy, no-answer, failed, canceled. */
  status: string;
  /** The carrier's word for who picked up (human, machine_start …); null where it did not listen. */
  answered_by: string | null;
  duration_s: number | null;
};

/**
 * Telephone calls as carriers' callbacks and sockets see them. Everything may be told twice, late or out of order. What is
 * told by the account of one channel (`channel_id`) counts for calls of that channel only; null: any.
 */
export type VoiceCalls = {
  /**
   * Somebody is on the line: a call that came in, or a try that was answered. Null: no agent stands behind this number.
   * Asked twice, the same answer.
   */
  answer(call: IncomingCall): Promise<AnsweredCall | { dial: string } | null>;
  /** Somebody calls from a page. A Fault says why nobody answers. */
  answerPage(call: IncomingCall, wanted: WantedCall): Promise<AnsweredCall>;
  /** How to listen and speak on a call whose line is about to be opened. Null: not a call of ours, or no longer. */
  voiceOf(call_id: string, token: string): Promise<CallVoice | null>;
  /** The line is open; the token proves that it is ours. Runs the call until the line closes. Null: not a call of ours. */
  open(call_id: string, token: string, line: CallLine): Promise<OpenCall | null>;
  /**
   * The carrier's words on the call: its states, who answered, its end. (Of a try of ours, `Attempts` hears them too.)
   * False: nobody answered such a call.
   */
  signal(signal: CarrierSignal, channel_id: number | null): Promise<boolean>;
  /** How a transfer's leg ended, and what the call does now. */
  transferEnded(sid: string, result: TransferResult, channel_id: number | null): Promise<CallContinuation>;
  /**
   * The carrier's stream of a call is over, and it asks what follows: what we wanted, or, where the process that held the
   * line died, the line once more.
   */
  streamEnded(sid: string, channel_id: number): Promise<CallContinuation>;
  /** A recording can be fetched at `url` with the channel's account. */
  recordingReady(sid: string, recording: { url: string }, channel_id: number | null): Promise<void>;
};
