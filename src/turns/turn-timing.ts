import type { TraceEntry } from "../events/trace.ts";

/** What a turn waits for. The rest of its time is the engine's own work: prompts, arguments, workflows. */
type Phase = "lease" | "load" | "model" | "tools" | "store";

/** Measures the phases of one turn. The last commit stores all times but its own. */
export class TurnTiming {
  readonly #started: Date;
  readonly #began = performance.now();
  readonly #spent: Record<Phase, number> = { lease: 0, load: 0, model: 0, tools: 0, store: 0 };

  constructor(started: Date) {
    this.#started = started;
  }

  async of<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    const before = performance.now();
    try {
      return await work();
    } finally {
      this.#spent[phase] += performance.now() - before;
    }
  }

  row(): TraceEntry {
    const duration_ms = performance.now() - this.#began;
    const { lease, load, model, tools, store } = this.#spent;
    return {
      category: "turn",
      label: "finished",
      started: this.#started,
      duration_ms,
      details: {
        lease_ms: told(lease),
        load_ms: told(load),
        model_ms: told(model),
        tools_ms: told(tools),
        store_ms: told(store),
        own_ms: told(duration_ms - lease - load - model - tools - store),
      },
    };
  }
}

/** To the hundredth of a millisecond, as what models were sent is: more digits say nothing and are stored with every turn. */
const told = (ms: number): number => Math.round(ms * 100) / 100;
