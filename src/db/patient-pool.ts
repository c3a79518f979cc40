import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Log } from "../base/log.ts";
import { hasNoPlace } from "./database-away.ts";

/** How long a pool makes do with the connections that it has before it asks for more. */
const MAKE_DO_MS = 1_000;
const TELL_AGAIN_MS = 60_000;

/**
 * A pool that waits where the server has no place for another connection, for one of its own that comes free or for a
 * place. `pg` fails whoever asked: with three connections in place of fourteen, 27 of 30 chats that began at once were
 * turned away, and the three had time for all of them.
 */
export class PatientPool extends pg.Pool {
  readonly #most: number;
  readonly #log: Log;
  readonly #setting: string;
  /** Those that are open. */
  readonly clients = new Set<pg.Client>();
  #makingDo: NodeJS.Timeout | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;

  /** `setting`: the name of the setting that limits this pool, for the log. */
  constructor(options: pg.PoolConfig, log: Log, setting: string) {
    super(options);
    this.#most = this.options.max;
    this.#log = log;
    this.#setting = setting;
    this.on("connect", (client) => this.clients.add(client));
    this.on("remove", (client) => this.clients.delete(client));
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's overloads of connect() can't be spelled again in one signature
  override connect(callback?: any): any {
    const connected = this.#connect();
    if (!callback) return connected;
    connected.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => {}),
    );
  }

  async #connect(): Promise<pg.PoolClient> {
    const patience_ms = this.options.connectionTimeoutMillis || Number.POSITIVE_INFINITY;
    const giveUp = performance.now() + patience_ms;
    for (;;) {
      try {
        return await super.connect();
      } catch (error) {
        if (!hasNoPlace(error) || performance.now() > giveUp) throw error;
        this.#makeDo();
        // With one of its own, the next try waits in the pool's queue.
        if (this.clients.size === 0) await sleep(MAKE_DO_MS);
      }
    }
  }

  #makeDo(): void {
    this.options.max = Math.max(1, this.clients.size);
    this.#makingDo ??= setTimeout(() => this.#askForMore(), MAKE_DO_MS).unref();
    const now = performance.now();
    if (now < this.#toldAt + TELL_AGAIN_MS) return;
    this.#toldAt = now;
    this.#log.warn(
      { open: this.clients.size, of: this.#most, setting: this.#setting },
      this.clients.size > 0
        ? "the database has no place for another connection: statements wait for those that are open"
        : "the database has no place for a connection: statements wait until it has one",
    );
  }

  #askForMore(): void {
    this.#makingDo = undefined;
    this.options.max = this.#most;
    if (this.waitingCount === 0 || this.ending) return;
    // Who waits is served whenever a connection comes back to the pool, as this one does at once.
    super.connect().then(
      (client) => client.release(),
      (error) => hasNoPlace(error) && this.#makeDo(),
    );
  }
}
