import type { TurnControl } from "../turns/turn-control.ts";

/** A message that was taken and is not answered yet. It can be stopped from then on, however long it waits for its turn. */
export type TakenMessage = { id: string | null; control: TurnControl; given: () => unknown };

/** Those of all sockets: a page that connects again stops the answer that it was waiting for before. */
export class TakenMessages {
  readonly #ofSession = new Map<string, Set<TakenMessage>>();

  add(session_id: string, message: TakenMessage): void {
    const taken = this.#ofSession.get(session_id) ?? new Set();
    this.#ofSession.set(session_id, taken.add(message));
  }

  delete(session_id: string, message: TakenMessage): void {
    const taken = this.#ofSession.get(session_id);
    if (taken?.delete(message) && taken.size === 0) this.#ofSession.delete(session_id);
  }

  /** One that was sent again is there twice: one is being answered, the other waits for that. */
  named(session_id: string, id: string): TakenMessage[] {
    return [...(this.#ofSession.get(session_id) ?? [])].filter((message) => message.id === id);
  }
}
