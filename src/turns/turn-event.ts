import type { ModelRequest } from "../llm/model.ts";
import type { AnswererNote } from "../sessions/answerer.ts";
import type { ClientCall } from "../sessions/live/client-calls.ts";
import type { SessionAction } from "../tool-calls/tool-outcome.ts";
import type { AwaitedInput } from "../workflows/awaited-input.ts";
import type { StoredCall } from "./draft/turn-rows.ts";
import type { Round, TextSink } from "./rounds/model-round.ts";
import type { TurnControl, TurnDebug } from "./turn-control.ts";

/** What `speculative-turn.ts` hands to the turn. */
type BegunAnswer = {
  readonly asked_at: Date | null;
  takeOver(
    request: Omit<ModelRequest, "signal">,
    signal: AbortSignal,
    words: TextSink,
  ): Promise<Round> | null;
};

export type TurnInput = {
  /** What the person said; empty for silence. null: the agent speaks without input. */
  text: string | null;
  client_message_id?: string | null;
  /** The agent's wall clock for this turn only, for tests. */
  override_timestamp?: string | null;
  /** Who answered our call, if known when the turn begins. */
  answerer?: AnswererNote | null;
  control?: TurnControl;
  /** The channel passes `client_call` on to a page that can answer. */
  has_page?: boolean;
  /** The person's words are stored already, and the turn is debugged. */
  debug?: TurnDebug;
  /** An answer that the model began before the person was known to have finished. */
  speculation?: BegunAnswer | null;
};

/** The events of a running turn, for its channel. */
export type TurnEvent =
  | { type: "delta"; text: string }
  /** The model has written its text, but not its answer: what of it was not spoken yet can be. */
  | { type: "text_end" }
  /** The model's current words are complete; they follow as a message once they are stored. */
  | { type: "words_over" }
  /** `at`: as it is stored, also where the answer is sent again. */
  | { type: "message"; text: string; at: Date }
  | { type: "tool_call"; tool_call_id: string; tool_name: string; arguments: unknown }
  | {
      type: "tool_result";
      tool_call_id: string;
      tool_name: string;
      error: string | null;
      duration_ms: number;
      display_result: unknown;
      /** Arguments and result, if the tool shares its results with the channel; otherwise null. */
      propagated: { arguments: unknown; result: unknown } | null;
    }
  /** A tool that runs in the visitor's page is called. */
  | { type: "client_call"; call: ClientCall }
  /** From now on the session is in another language. */
  | { type: "language"; language: string }
  /** Keys to be pressed on a call. */
  | { type: "keys"; digits: string }
  /** A phrase that fills the wait for a slow model or tool. */
  | { type: "aside"; text: string }
  | { type: "session_end"; reason: string };

export type TurnResult = {
  turn_index: number;
  messages: string[];
  calls: StoredCall[];
  action: SessionAction | null;
  language: string;
  variables: Record<string, unknown>;
  ended: boolean;
  /** The model gave no answer, so the person got an apology. */
  failed: boolean;
  answerer: AnswererNote | null;
  /** The input that the open step of a workflow expects. */
  awaits: AwaitedInput;
};
