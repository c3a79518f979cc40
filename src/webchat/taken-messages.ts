import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { Notices } from "../db/notices.ts";
import type { TurnControl } from "../turns/turn-control.ts";

/** A message that was taken and is not answered yet. It can be stopped from then on, however long it waits for its turn. */
export type TakenMessage = { id: string | null; control: TurnControl; given: () => unknown };

const CHANNEL = "chat_stop";

/**
 * Those of all sockets: a page that connects again stops the answer that it was waiting for before, also where another
 * process gives it.
 */
export class TakenMessages {
  readonly #ofSession = new Map<string, Set<TakenMessage>>();
  readonly #db: Db;
  readonly #notices: Notices;
  #listens = false;

  constructor({ db, notices }: { db: Db; notices: Notices }) {
    this.#db = db;
    this.#notices = notices;
  }

  add(session_id: string, message: TakenMessage): void {
    if (!this.#listens) this.#listen();
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

  /** Stops the answer in whichever process gives it. */
  async stopEverywhere(session_id: string, id: string): Promise<void> {
    await sql`select pg_notify(${CHANNEL}, ${JSON.stringify([session_id, id])})`.execute(this.#db);
  }

  #listen(): void {
    this.#listens = true;
    const heard = (payload: string) => {
      const [session_id, id] = JSON.parse(payload) as [string, string];
      for (const { control } of this.named(session_id, id)) control.interrupt();
    };
    // A stop that was lost with the connection is not asked for again: the answer goes on to its end.
    this.#notices.listen(CHANNEL, { heard, missed: () => {} });
  }
}
