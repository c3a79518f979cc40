import { isWithheld } from "../base/withheld-number.ts";
import type { CallContinuation, CallInput, CallLine, CallVoice } from "../channels/call-socket.ts";
import type { CarrierSignal } from "../channels/carrier.ts";
import type { TraceEntry } from "../events/trace.ts";
import type { LineRecorder } from "../media/media-line.ts";
import type { EngineWish } from "../media/voice-engines.ts";
import type { WantedCall } from "./wanted-call.ts";

export type IncomingCall = {
  /** The carrier's name, as `Carrier.name` has it. */
  carrier: string;
  sid: string;
  /** Our key of an outbound attempt; null for an inbound call. */
  key: string | null;
  /** The channel whose account carries the call, if the callback names it. */
  channel_id?: number | null;
  from: string;
  to: string;
  /** The carriers' attestation of the caller's number (STIR/SHAKEN); absent without one. */
  attestation?: string;
  /** The carrier records the call where it listens and speaks itself. */
  is_recorded_by_carrier?: boolean;
};

/**
 * Whether the carrier attests the caller's number. A number without attestation may be forged, so sensitive tools should ask
 * for more than the number.
 */
export const callerIsProven = ({ from, attestation }: IncomingCall): boolean =>
  /^\+[1-9]\d{6,14}$/.test(from) && !isWithheld(from) && !attestation?.startsWith("TN-Validation-Failed");

/** How the line of a call is opened: over a socket that names the call and sends the token. */
export type AnsweredCall = {
  call_id: string;
  token: string;
  voice: CallVoice;
  /** Whether the carrier streams its audio to us; otherwise it listens and speaks itself. */
  is_streamed: boolean;
};

/** A call with an open line, as seen by the line. */
export type OpenCall = {
  /** Opens the call once more, should this line break. */
  next_token: string;
  input(event: CallInput): void;
  /** Adds entries of the line to the session's trace. */
  observe(...entries: TraceEntry[]): void;
  /** Records our own line, whose frames have this sample rate; null when the call should not or can't be recorded. */
  record(line_rate: number): Promise<LineRecorder | null>;
};

/** The result of a transfer's leg. */
export type TransferResult = {
  /** The carrier's status of the leg: completed, answered, busy, no-answer, failed, canceled. */
  status: string;
  /** The carrier's answering machine detection (human, machine_start …); null without detection. */
  answered_by: string | null;
  duration_s: number | null;
};

/**
 * Telephone calls as carriers' callbacks and sockets see them. Everything may arrive twice, late or out of order. Reports
 * of one channel's account (`channel_id`) count only for calls of that channel; null: any.
 */
export type VoiceCalls = {
  /**
   * An inbound call, or an attempt that was answered. Null: no agent has this number. `busy`: this process hears and speaks
   * as many calls as it can. Idempotent.
   */
  answer(call: IncomingCall): Promise<AnsweredCall | { dial: string } | { dial: null; busy: true } | null>;
  /** A call from a web page. A Fault says why it can't be answered. */
  answerPage(call: IncomingCall, wanted: WantedCall): Promise<AnsweredCall>;
  /** The speech settings of a call whose line is about to open. Null: unknown or ended call. */
  voiceOf(call_id: string, token: string): Promise<(CallVoice & { wish: EngineWish }) | null>;
  /** The line is open; its token is checked. Runs the call until the line closes. Null: unknown call. */
  open(call_id: string, token: string, line: CallLine): Promise<OpenCall | null>;
  /**
   * The carrier's status updates of the call: progress, who answered, its end. (`Attempts` gets those of attempts too.)
   * False: no such call was answered.
   */
  signal(signal: CarrierSignal, channel_id: number | null): Promise<boolean>;
  /** Whether who answered is known of a call whose audio we hear: what its carrier says of it then counts no more. */
  knowsAnswerer(sid: string, channel_id: number | null): Promise<boolean>;
  /** Takes the result of a transfer's leg; returns the call's next step. */
  transferEnded(sid: string, result: TransferResult, channel_id: number | null): Promise<CallContinuation>;
  /**
   * The carrier's stream of a call has ended, and it asks for the next step: the planned one or, when the process that held
   * the line died, opening the line again.
   */
  streamEnded(sid: string, channel_id: number): Promise<CallContinuation>;
  /** A recording can be downloaded from `url` with the channel's account. */
  recordingReady(sid: string, recording: { url: string }, channel_id: number | null): Promise<void>;
};
