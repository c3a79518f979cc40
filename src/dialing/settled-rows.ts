import type { ChannelStatus } from "../channels/channel-status.ts";
import type { RequestStatus } from "../channels/request-status.ts";
import type { Mode } from "../planning/attempt.ts";
import type { AttemptPhase } from "../planning/attempt-state.ts";
import type { BatchStatus } from "../planning/batch-state.ts";
import type { StepLogEntry } from "../planning/cadences/step-log.ts";
import type { HourPreference } from "../planning/retries/better-hours.ts";
import type { OutcomeRules } from "../planning/retries/outcome-rules.ts";
import type { EarlierAttempt } from "../planning/retry.ts";
import type { Cadence, Decision } from "../planning/settle.ts";

/** The rows that settling an attempt's event locks and writes: the attempt, its request, batch and campaign. */
export type AttemptRow = {
  key: string;
  organization_id: number;
  sub_organization_id: number;
  campaign_id: number;
  batch_key: number;
  request_id: number;
  reference_id: string;
  attempt_number: number;
  mode: Mode;
  source: string;
  target: string;
  state: AttemptPhase;
  channel_status: ChannelStatus;
  answerer: ChannelStatus | null;
  provider_status: string | null;
  error_code: string | null;
  sid: string | null;
  session_id: number | null;
  conversation_id: number | null;
  started_at: string;
  /** The day whose cap it counts against. */
  counted_on: string | null;
  /** The day on which the use of its number counts; null: its number is in no group, or the use was given back. */
  number_day: string | null;
  placed_at: string | null;
  ended_at: string | null;
  check_at: string | null;
  checks: number;
  handed_over_by: string | null;
  decision: Decision | null;
  /** Since when its carrier is asked to end it, because all outreach was stopped while it rang. */
  hang_up_at: string | null;
  holds_slot: boolean;
  voicemail_left: boolean;
  has_spoken: boolean;
  /** When its person asked to be called again, in the conversation or in a call of theirs meanwhile. */
  call_back_at: string | null;
  /** Attempts of its request before it; only where the campaign has rules by outcome. */
  earlier: readonly EarlierAttempt[];
  was_reached_before: boolean;
  /** Another live attempt has the same reference in its campaign, or the same address. */
  is_tried_elsewhere: boolean;
  /** Of the campaign's cadence; 0: the campaign's own. */
  step: number;
};
export type RequestRow = {
  batch_key: number;
  request_id: number;
  request_status: RequestStatus;
  channel_status: ChannelStatus;
  attempt_count: number;
  refusals: number;
  call_back_after: number | null;
  due_at: string | null;
  sent_at: string | null;
  sid: string | null;
  session_id: number | null;
  conversation_id: number | null;
  answered_by: ChannelStatus | null;
  voicemail_left: boolean | null;
  step: number;
  /** The step's address, where it is not the request's own. */
  step_target: string | null;
  step_log: StepLogEntry[] | null;
};
export type BatchContext = {
  batch_id: string;
  batch_status: BatchStatus;
  expires_on: string | null;
  retry_count: number;
  retry_interval: string | null;
  by_outcome: OutcomeRules | null;
  /** Null: the campaign does not ask for better hours, or none is known. */
  preference: HourPreference | null;
  /** The campaign's steps after its own, with the person of the request; null: it never had any. */
  cadence: Cadence | null;
};

/** Whether another attempt of its request may have reached the person. One taken back is in `refusals` until it ends. */
export const hasOthers = (
  { attempt_number }: Pick<AttemptRow, "attempt_number">,
  { refusals }: Pick<RequestRow, "refusals">,
): boolean => attempt_number > 1 || refusals > 0;

export const idOf = ({ batch_key, request_id }: { batch_key: number; request_id: number }): string =>
  `${batch_key}/${request_id}`;
