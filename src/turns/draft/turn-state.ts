import type { LeasedSession } from "../../sessions/leased-session.ts";
import type { SessionState } from "../../sessions/variables.ts";
import type { SessionAction } from "../../tool-calls/tool-outcome.ts";
import { type AwaitedInput, FREE } from "../../workflows/awaited-input.ts";
import type { HistoryEntry } from "../build-prompt.ts";
import type { TurnResult } from "../turn-event.ts";
import { NO_ROWS, type StoredCall, type TurnRows } from "./turn-rows.ts";

/** The session's row without the fields that the turn changes, which exist only in the turn's state. */
export type TurnSession = Readonly<Omit<LeasedSession, "state" | "next_seq" | "sent">>;

/** What never changes during a turn. */
export type TurnFacts = {
  readonly session: TurnSession;
  readonly turn_index: number;
  /** The agent's wall clock for this turn only, for tests. */
  readonly override_timestamp: string | null;
  /** The client's or carrier's id of the message that is answered; null: it has none. */
  readonly message_id: string | null;
};

/** Phrases that filled a wait and are not stored yet. */
export type Aside = { readonly text: string; readonly at: Date };

/** A turn so far, as plain data. Nothing in it is ever changed: each step makes a new one (`turn-draft.ts`). */
export type TurnState = {
  readonly next_seq: number;
  /** What the session remembers. */
  readonly memory: Readonly<SessionState>;
  /** What this turn adds to what the model reads back. */
  readonly history: readonly HistoryEntry[];
  /** The agent's words. */
  readonly messages: readonly string[];
  /** The calls that are stored. */
  readonly calls: readonly StoredCall[];
  readonly action: SessionAction | null;
  /** The model gave no answer. */
  readonly failed: boolean;
  /** A workflow spoke in the user's name, which wants an answer. */
  readonly spoken_to: boolean;
  readonly asides: readonly Aside[];
  readonly unstored: TurnRows;
};

export const beginTurn = ({ next_seq, state }: Pick<LeasedSession, "next_seq" | "state">): TurnState => ({
  next_seq,
  memory: state,
  history: [],
  messages: [],
  calls: [],
  action: null,
  failed: false,
  spoken_to: false,
  asides: [],
  unstored: NO_ROWS,
});

export const turnResult = (
  turn_index: number,
  state: TurnState,
  ended: boolean,
  awaits: AwaitedInput = FREE,
): TurnResult => {
  const { messages, calls, action, failed } = state;
  const { language, variables, answerer = null } = state.memory;
  return {
    turn_index,
    messages: [...messages],
    calls: [...calls],
    action,
    language,
    variables,
    ended,
    failed,
    answerer,
    awaits,
  };
};
