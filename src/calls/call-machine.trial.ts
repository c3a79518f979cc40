import type { TurnEvent } from "../turns/turn-event.ts";
import { step } from "./call-machine.ts";
import { type CallSettings, callTiming } from "./call-settings.ts";
import { type CallEffect, type CallEvent, type CallState, newCall, nextWake } from "./call-state.ts";

export const SETTINGS: CallSettings = {
  telephony: callTiming(null),
  interruptibility: "all",
  screening: null,
  can_leave_voicemail: true,
  hears_answerer: false,
  longest_at: 3_600_000,
  menu_keys: ["1", "2"],
  repeats_greeting: false,
  wait_sound_url: null,
  phrases: { named: null, scoped: [], agent_id: 1 },
  pronunciations: [],
  speakers: [],
  fallback: null,
  transfer: { caller_id: null, detect_answerer: false },
  seed: 7,
  resumes: false,
  goes_on_with: null,
};
export const withTelephony = (given: Parameters<typeof callTiming>[0]): CallSettings => ({
  ...SETTINGS,
  telephony: callTiming(given),
});
export const PHRASES: CallSettings["phrases"] = {
  named: {
    phrases: { messages: ["One moment.", "Still looking."] },
    tools: [{ tool_name: "find", phrases: { messages: ["I look into the calendar."] } }],
    smart_turn_timeout_seconds: 2,
    randomize_bridge_phrases: false,
  },
  scoped: [],
  agent_id: 1,
};

/** A call by hand: what happens at which moment, and what was to be done about it. */
export class Trial {
  state: CallState = newCall("en-US");
  now = 0;
  all: CallEffect[] = [];
  readonly #settings: CallSettings;
  constructor(settings: CallSettings = SETTINGS) {
    this.#settings = settings;
  }

  /** Gives what this alone brought about. */
  take(...events: CallEvent[]): CallEffect[] {
    const before = this.all.length;
    for (const event of events) {
      const { state, effects } = step(this.#settings, this.state, event, this.now);
      this.state = state;
      this.all.push(...effects);
    }
    return this.all.slice(before);
  }

  /** Time passes; each alarm rings on the way. */
  wait(ms: number): CallEffect[] {
    const before = this.all.length;
    const until = this.now + ms;
    for (let at = nextWake(this.state); at !== null && at <= until; at = nextWake(this.state)) {
      this.now = Math.max(this.now, at);
      this.take({ type: "tick" });
    }
    this.now = until;
    return this.all.slice(before);
  }

  greeted(...texts: string[]): this {
    const parts = texts.map((text) => ({ text, language: null, interruptible: true, is_menu: false }));
    this.take({ type: "open", sid: "CA1" }, { type: "greeting", parts, wants_turn: false, action: null });
    if (texts.length > 0) this.take({ type: "played" });
    return this;
  }

  get running(): number {
    return this.state.turn?.number ?? 0;
  }

  turn(...events: TurnEvent[]): CallEffect[] {
    return this.take(...events.map((event): CallEvent => ({ type: "turn", turn: this.running, event })));
  }

  over(messages: string[] = [], more: object = {}): CallEffect[] {
    const result = { messages, action: null, failed: false, answerer: null, ...more };
    return this.take({ type: "turn_over", turn: this.running, result });
  }
}

export const speech = (text: string, final = true): CallEvent => ({
  type: "speech",
  text,
  final,
  lang: null,
});
export const run = (turn: number, text: string | null) => ({ type: "run", turn, text, answerer: null });
export const said = (effects: CallEffect[]): string[] =>
  effects.flatMap((effect) =>
    effect.type === "send" && effect.output.type === "say" ? [effect.output.text] : [],
  );
