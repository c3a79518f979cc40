import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The receiver of a chaos run's webhook; only it knows for certain what it was told. */
export type ReceiverWorld = {
  url: string;
  /** Takes connections and messages, and answers nothing. */
  mood: { hangs: boolean };
  /** How often it took a message, by its `webhook-id`. */
  taken: Map<string, number>;
  stop(): Promise<void>;
};

export async function startReceiver(): Promise<ReceiverWorld> {
  const mood = { hangs: false };
  const taken = new Map<string, number>();
  const server = createServer((request, response) => {
    request.resume();
    if (mood.hangs) return;
    const id = String(request.headers["webhook-id"]);
    taken.set(id, (taken.get(id) ?? 0) + 1);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood,
    taken,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
