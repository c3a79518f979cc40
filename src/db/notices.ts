import pg from "pg";

/**
 * Notices from other processes over PostgreSQL's NOTIFY, on a connection of its own that is opened for the first listener.
 * A notice is only a hint: `missed` is called when listening begins, and again after a lost connection; each listener then
 * checks its own rows, because earlier notices are not repeated.
 */
export type Notices = {
  listen(channel: string, on: { heard(payload: string): void; missed(): void }): void;
  close(): Promise<void>;
};

const RECONNECT_MS = 1_000;

const listenTo = (client: pg.Client, channel: string): Promise<unknown> =>
  client.query(`listen ${client.escapeIdentifier(channel)}`);

export function createNotices(connection: pg.ClientConfig): Notices {
  const listeners = new Map<string, { heard(payload: string): void; missed(): void }>();
  let client: pg.Client | null = null;
  /** What the connection was asked before: it answers one statement after the other. */
  let asked: Promise<unknown> = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const lost = (gone: pg.Client) => {
    if (client !== gone) return;
    client = null;
    void gone.end().catch(() => {});
    if (!closed) retry = setTimeout(() => void connect(), RECONNECT_MS).unref();
  };

  const connect = async (): Promise<void> => {
    if (closed || client) return;
    const opened = new pg.Client(connection);
    client = opened;
    opened.on("error", () => lost(opened));
    opened.on("end", () => lost(opened));
    opened.on("notification", ({ channel, payload = "" }) => listeners.get(channel)?.heard(payload));
    asked = begin(opened).catch(() => lost(opened));
    await asked;
  };

  const begin = async (opened: pg.Client): Promise<void> => {
    await opened.connect();
    for (const channel of listeners.keys()) await listenTo(opened, channel);
    for (const { missed } of listeners.values()) missed();
  };

  return {
    listen(channel, on) {
      listeners.set(channel, on);
      const opened = client;
      if (!opened) return void connect();
      // A connection that breaks is made anew, and all listen again.
      asked = asked.then(() => listenTo(opened, channel)).then(on.missed, () => {});
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      const last = client;
      client = null;
      await last?.end().catch(() => {});
    },
  };
}
