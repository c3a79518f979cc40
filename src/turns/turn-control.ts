import type { TraceEntry } from "../events/trace.ts";
import type { ToolCall } from "../llm/model.ts";
import type { ToolOutcome } from "../tool-calls/tool-outcome.ts";
import type { TaskWatch } from "../workflows/task-run.ts";
import type { Round } from "./rounds/model-round.ts";

/** How a channel controls a running turn. */
export class TurnControl {
  readonly #cut = new AbortController();
  #asides: { text: string; at: Date }[] = [];
  #seen: TraceEntry[] = [];

  /**
   * The person speaks: the model's answer is aborted and it isn't asked again. A running tool finishes, since its effects
   * can't be undone, and its result is stored.
   */
  interrupt(): void {
    this.#cut.abort();
  }

  get interrupted(): AbortSignal {
    return this.#cut.signal;
  }

  /** A phrase filled the wait: it belongs to the transcript, but not to the model's history. */
  aside(text: string, at: Date): void {
    this.#asides.push({ text, at });
  }

  /** The channel adds an entry to the trace. */
  see(...entries: TraceEntry[]): void {
    this.#seen.push(...entries);
  }

  takeSeen(): TraceEntry[] {
    return this.#seen.splice(0);
  }

  takeAsides(): { text: string; at: Date }[] {
    const asides = this.#asides;
    this.#asides = [];
    return asides;
  }
}

/**
 * How a turn is debugged. Such a turn stores nothing before its end. It can be dropped where it stops, and run again from
 * its beginning with the answers that models and tools gave the first time.
 */
export type TurnDebug = {
  watch: TaskWatch;
  /** The model's answer: the one that was recorded, else the one that `ask` gets. */
  round(ask: () => Promise<Round>): Promise<Round>;
  /**
   * Called before each tool call. Throws to stop the turn there. Otherwise returns the variables as the author changed
   * them, and the outcome that replaces the call; null: the tool runs.
   */
  beforeCall(
    call: Pick<ToolCall, "name" | "arguments">,
    variables: Record<string, unknown>,
  ): { variables: Record<string, unknown>; outcome: ToolOutcome | null };
  /** The tool's answer: the one that was recorded, else the one that `run` gets. */
  call(run: () => Promise<ToolOutcome>): Promise<ToolOutcome>;
};
