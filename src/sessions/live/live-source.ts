import type { Clock } from "../../base/clock.ts";
import { errorText, Fault } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Db } from "../../db/database.ts";
import { asReader } from "../../db/reading.ts";
import {
  type LiveScope,
  type LiveSession,
  liveSession,
  MOST_LIVE,
  pulsePrint,
  readFacts,
  readPulses,
} from "./live-rows.ts";

const LOOK_MS = 1_000;
/** Of one sub-organization, and of all: nobody's viewers keep the others out. */
const MOST_VIEWERS = { of_one: 200, of_all: 400 };

type LiveList = { at: string; sessions: LiveSession[]; more: boolean };
/** `all` comes first, then what changed; `ended` are those that left the list. */
export type LiveEvent =
  | { event: "all"; data: LiveList }
  | { event: "changed"; data: { at: string; sessions: LiveSession[]; ended: string[]; more: boolean } };

type Known = { print: string; next_seq: number; row: LiveSession };
type Watched = {
  scope: LiveScope;
  viewers: Set<(event: LiveEvent) => void>;
  known: Map<number, Known>;
  more: boolean;
  /** Viewers that wait for their first list. */
  isNew: Set<(event: LiveEvent) => void>;
};

/**
 * The running sessions, read once a second for all viewers of this process together, and only while there are any. The
 * database is the only source, so it does not matter which process runs a conversation.
 */
export class LiveSource {
  readonly #parts: { db: Db; clock: Clock; log: Log };
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | null = null;
  #isLooking = false;
  /** By sub-organization. */
  readonly #viewers = new Map<number, number>();

  constructor(parts: { db: Db; clock: Clock; log: Log }) {
    this.#parts = parts;
  }

  /** The list as it is now. */
  async read(scope: LiveScope): Promise<LiveList> {
    const { db, clock } = this.#parts;
    const now = clock.now();
    const pulses = await readPulses(db, [scope], now);
    const shown = pulses.slice(0, MOST_LIVE);
    const facts = await readFacts(
      db,
      shown.map(({ id }) => id),
    );
    const sessions = shown.flatMap((pulse) => {
      const found = facts.get(pulse.id);
      return found ? [liveSession(pulse, found)] : [];
    });
    return { at: now.toISOString(), sessions, more: pulses.length > MOST_LIVE };
  }

  /** Tells the list and each change of it; returns a function that stops. */
  watch(scope: LiveScope, tell: (event: LiveEvent) => void): () => void {
    const { sub_organization_id } = scope;
    const all = [...this.#viewers.values()].reduce((sum, count) => sum + count, 0);
    const theirs = this.#viewers.get(sub_organization_id) ?? 0;
    if (theirs >= MOST_VIEWERS.of_one || all >= MOST_VIEWERS.of_all) {
      throw new Fault("too-many", "Too many people watch running conversations. Try again in a moment.", {
        retry_after_s: 10,
      });
    }
    this.#viewers.set(sub_organization_id, theirs + 1);
    const key = JSON.stringify(scope);
    const watched: Watched = this.#watched.get(key) ?? {
      scope,
      viewers: new Set(),
      known: new Map(),
      more: false,
      isNew: new Set(),
    };
    this.#watched.set(key, watched);
    watched.viewers.add(tell);
    watched.isNew.add(tell);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
    void this.#look();
    return () => {
      if (!watched.viewers.delete(tell)) return;
      watched.isNew.delete(tell);
      const left = (this.#viewers.get(sub_organization_id) ?? 1) - 1;
      if (left === 0) this.#viewers.delete(sub_organization_id);
      else this.#viewers.set(sub_organization_id, left);
      if (watched.viewers.size === 0 && this.#watched.get(key) === watched) this.#watched.delete(key);
      if (this.#watched.size > 0 || !this.#timer) return;
      clearInterval(this.#timer);
      this.#timer = null;
    };
  }

  async #look(): Promise<void> {
    // Whoever came during a round gets the next one.
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      // A place of its own among the readers: the viewer whose request began the timer is long gone.
      await asReader("live sessions", () => this.#round());
    } catch (error) {
      this.#parts.log.warn({ error: errorText(error) }, "running conversations could not be read");
    } finally {
      this.#isLooking = false;
    }
  }

  async #round(): Promise<void> {
    const { db, clock } = this.#parts;
    const all = [...this.#watched.values()];
    const now = clock.now();
    const at = now.toISOString();
    const pulses = Map.groupBy(
      await readPulses(
        db,
        all.map(({ scope }) => scope),
        now,
      ),
      ({ scope }) => scope,
    );
    const isStale = (watched: Watched, id: number, next_seq: number) =>
      watched.known.get(id)?.next_seq !== next_seq;
    const stale = all.flatMap((watched, index) =>
      (pulses.get(index + 1) ?? []).filter(({ id, next_seq }) => isStale(watched, id, next_seq)),
    );
    const facts = await readFacts(db, [...new Set(stale.map(({ id }) => id))]);
    for (const [index, watched] of all.entries()) {
      const found = pulses.get(index + 1) ?? [];
      const before = watched.known;
      watched.known = new Map();
      const changed: LiveSession[] = [];
      for (const pulse of found.slice(0, MOST_LIVE)) {
        const old = before.get(pulse.id);
        const print = pulsePrint(pulse);
        const known = facts.get(pulse.id) ?? old?.row;
        if (!known) continue;
        const row = old?.print === print ? old.row : liveSession(pulse, known);
        if (row !== old?.row) changed.push(row);
        watched.known.set(pulse.id, { print, next_seq: pulse.next_seq, row });
      }
      const ended = [...before.keys()].filter((id) => !watched.known.has(id)).map(String);
      const more = found.length > MOST_LIVE;
      const isSame = changed.length === 0 && ended.length === 0 && more === watched.more;
      watched.more = more;
      if (!isSame) this.#tell(watched, { event: "changed", data: { at, sessions: changed, ended, more } });
      this.#welcome(watched, at);
    }
  }

  #tell(watched: Watched, event: LiveEvent): void {
    for (const tell of watched.viewers) if (!watched.isNew.has(tell)) tell(event);
  }

  #welcome(watched: Watched, at: string): void {
    if (watched.isNew.size === 0) return;
    const sessions = [...watched.known.values()].map(({ row }) => row);
    const event: LiveEvent = { event: "all", data: { at, sessions, more: watched.more } };
    const come = [...watched.isNew];
    watched.isNew.clear();
    for (const tell of come) tell(event);
  }
}
