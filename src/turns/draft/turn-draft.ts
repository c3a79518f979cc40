import type { Announcement } from "../../announcements/announcement.ts";
import { storableText } from "../../base/storable.ts";
import type { NewEvent } from "../../events/event.ts";
import type { EventOf, EventType, LoggedEvent } from "../../events/event-types.ts";
import type { TraceEntry } from "../../events/trace.ts";
import type { SessionState } from "../../sessions/variables.ts";
import { endsSession, type SessionAction, type ToolEffects } from "../../tool-calls/tool-outcome.ts";
import { announcementText, announcementTrace } from "../greeting.ts";
import type { Round } from "../rounds/model-round.ts";
import type { TurnEvent } from "../turn-event.ts";
import { callTrace, exchangesOf, type FinishedCall, historyCall, storedCall } from "./finished-call.ts";
import { isAnswer, rowsAfter, type TurnRows } from "./turn-rows.ts";
import type { Aside, TurnFacts, TurnState } from "./turn-state.ts";
import { type Surroundings, surroundingsOf } from "./turn-surroundings.ts";

/**
 * One step of a turn in progress: its new state, and events for the channel. Pure: it never changes the state it was given,
 * and gets the time as an argument. `turn-driver.ts` stores the state and passes the events on.
 */
export class TurnDraft {
  state: TurnState;
  readonly told: TurnEvent[] = [];
  readonly facts: TurnFacts;
  readonly at: Date;
  readonly #check: CheckWords;

  /** `check`: what of the agent's words may be said. */
  constructor(facts: TurnFacts, state: TurnState, at: Date, check: CheckWords = allOfIt) {
    this.facts = facts;
    this.state = state;
    this.at = at;
    this.#check = check;
  }

  #set(change: Partial<TurnState>): void {
    this.state = { ...this.state, ...change };
  }

  #add(rows: Partial<TurnRows>): void {
    const unstored: Record<string, readonly unknown[]> = { ...this.state.unstored };
    for (const [name, more] of Object.entries(rows))
      if (more.length > 0) unstored[name] = [...(unstored[name] ?? []), ...more];
    this.#set({ unstored: unstored as TurnRows });
  }

  /** Takes the next position in the session; a call may take it before it is made. */
  nextSeq(): number {
    const seq = this.state.next_seq;
    this.#set({ next_seq: seq + 1 });
    return seq;
  }

  remember(change: Partial<SessionState>): void {
    this.#set({ memory: { ...this.state.memory, ...change } });
  }

  /** The agent's words, the model's, a tool's or a workflow's. False where a rule withheld some of them. */
  say(text: string): boolean {
    const checked = this.#check(text);
    if (checked.withheld !== null) this.#withheld(checked.withheld);
    const said = storableText(checked.text).trim();
    if (said === "") return checked.withheld === null;
    this.noteAsides();
    this.#message("agent", said);
    this.#set({ messages: [...this.state.messages, said] });
    return checked.withheld === null;
  }

  /**
   * What the agent's first words begin with, once a session. The organization's own words, so no rule withholds them, and
   * forgotten in the write that stores them as said. `answers`: whether these words answer the person.
   */
  announce({ answers }: { answers: boolean }): Announcement[] {
    // Of nearly all turns: nothing.
    if (!this.state.memory.announcements) return [];
    const { announcements, announcements_wait, ...memory } = this.state.memory;
    if (announcements_wait && !answers) return [];
    this.trace(...announcementTrace(announcements));
    const said = announcementText(announcements);
    this.#message("agent", said);
    this.#set({ memory, messages: [...this.state.messages, said] });
    return announcements;
  }

  #withheld(rule: string): void {
    this.trace({ category: "note", label: `words were withheld: ${rule}`, details: { rule } });
    const description = `The agent's words were withheld: ${rule}`;
    this.event({ category: "automation", type: "words-withheld", description, attributes: { rule } });
  }

  /** The program's own words in place of an answer: said like the agent's, but not part of the model's history. */
  apologize(text: string): void {
    this.noteAsides();
    this.#message("agent", text, { is_apology: true });
    this.#set({ messages: [...this.state.messages, text], failed: true });
  }

  /** A user message that a workflow inserts. */
  hear(text: string): void {
    this.#message("user", storableText(text).trim());
    this.#set({ spoken_to: true });
  }

  /** Words that are not part of the model's history. */
  aside(role: "agent" | "user", text: string, at = this.at): void {
    const said = storableText(text).trim();
    if (said !== "") this.#message(role, said, { aside: true, at });
  }

  /** Phrases said meanwhile are placed before the next words, or before the next write. */
  takeAsides(asides: readonly Aside[]): void {
    if (asides.length > 0) this.#set({ asides: [...this.state.asides, ...asides] });
  }

  noteAsides(): void {
    const { asides } = this.state;
    if (asides.length === 0) return;
    this.#set({ asides: [] });
    for (const { text, at } of asides) this.aside("agent", text, at);
  }

  #message(
    role: "agent" | "user",
    text: string,
    {
      aside = false,
      is_apology = false,
      at = this.at,
    }: { aside?: boolean; is_apology?: boolean; at?: Date } = {},
  ): void {
    const seq = this.nextSeq();
    this.#add({
      messages: [{ seq, turn_index: this.facts.turn_index, role, text, at, aside, is_apology }],
    });
    const entry = { kind: "message" as const, seq, role, text, aside: aside || is_apology };
    this.#set({ history: [...this.state.history, entry] });
  }

  trace(...entries: TraceEntry[]): void {
    this.#add({ trace: entries });
  }

  /** A request to the model and its result. */
  asked({ trace, sent }: Pick<Round, "trace" | "sent">): void {
    this.#add({ trace: [trace], rounds: [sent] });
  }

  note(label: string): void {
    this.trace({ category: "note", label });
  }

  finishCall(finished: FinishedCall): void {
    const { call, tool, outcome } = finished;
    const stored = storedCall(finished, this.facts.turn_index);
    this.#add({ calls: [stored], trace: callTrace(finished), exchanges: exchangesOf(finished) });
    this.#set({ history: [...this.state.history, historyCall(stored)] });
    if (outcome.error !== null && !outcome.awaits_person) {
      this.event(
        { category: "automation", type: "tool-error", description: `${call.name}: ${outcome.error}` },
        tool?.id ?? null,
      );
    }
  }

  optOut(opt_out: NonNullable<ToolEffects["opt_out"]>): void {
    this.#add({ opt_outs: [{ ...opt_out, at: this.at, message_id: this.facts.message_id }] });
  }

  callBack(call_back: NonNullable<ToolEffects["call_back"]>): void {
    this.#add({ call_backs: [call_back] });
  }

  /** The channel's action after the turn; only the first one counts. */
  act(action: SessionAction): void {
    this.#set({ action: this.state.action ?? action });
  }

  tell(event: TurnEvent): void {
    this.told.push(event);
  }

  /** `tool_id` left out: caused by the prompt. */
  event(told: EventOf<EventType> | LoggedEvent, tool_id?: number | null): void {
    const { id, conversation_id, source, prompt_id } = this.facts.session;
    const event: NewEvent = {
      at: this.at,
      source: tool_id === undefined ? "llm-prompt" : "tool-call",
      source_id: tool_id === undefined ? prompt_id : tool_id,
      session_id: id,
      conversation_id,
      user_id: source,
      ...told,
    };
    this.#add({ events: [event] });
  }

  surroundings(): Surroundings {
    return surroundingsOf(this.facts, this.state.memory, this.at);
  }

  /**
   * Adds the last rows of the turn. Returns whether the session ends with it, because a tool asked for it. A telephone call
   * goes on until the last words were spoken, and then ends the session itself.
   */
  finish(timing: TraceEntry): boolean {
    const { action } = this.state;
    const ended = action !== null && endsSession(action) && this.facts.session.channel !== "voice";
    if (ended)
      this.event({
        category: "conversation",
        type: "session-end",
        description: "The agent ended the session",
        attributes: { reason: "agent" },
      });
    this.trace(timing);
    return ended;
  }

  /** Sent as messages only now that they are stored; until then the visitor saw the streamed text. */
  stored(rows: TurnRows): void {
    const calls = rows.calls.toSorted((a, b) => a.seq - b.seq);
    this.#set({
      calls: [...this.state.calls, ...calls],
      unstored: rowsAfter(this.state.unstored, rows),
    });
    for (const message of rows.messages) {
      if (isAnswer(message)) this.tell({ type: "message", text: message.text, at: message.at });
    }
  }
}

/** What may be said of words, and the rule that withheld the rest (`safety/output-check.ts`). */
type CheckWords = (text: string) => { text: string; withheld: string | null };

const allOfIt: CheckWords = (text) => ({ text, withheld: null });
