import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Api } from "./server.ts";

/** Proxies close connections that stay silent for a minute. */
export const KEEP_ALIVE_MS = 15_000;

/** A stream of server-sent events, as its writer sees it. */
export type EventStream = {
  /** What a route returns. */
  readonly body: Readable;
  send(event: string, data: unknown): void;
  /** Writes an event that is printed already. */
  print(text: string): void;
  /** Everything was sent. */
  end(): void;
  /** Called once: after the end, or when the reader leaves. */
  onClose(closed: () => void): void;
};

/** Opens streams of server-sent events, and ends those that are open when the server stops. */
export function eventStreams(api: Api): (reply: FastifyReply, most_unread_bytes: number) => EventStream {
  const open = new Set<Readable>();
  // A stream never ends by itself in time for a stop. A reader that has all is told the end; another might never take it.
  api.server.addHook("preClose", async () => {
    for (const stream of open) {
      if (stream.readableLength === 0) stream.push(null);
      else stream.destroy();
    }
  });
  return (reply, most_unread_bytes) => {
    const body = new Readable({ read() {} });
    const print = (text: string) => {
      if (body.destroyed || body.readableEnded) return;
      // A reader that is slower than this is cut off.
      if (body.readableLength > most_unread_bytes) body.destroy();
      else body.push(text);
    };
    const alive = setInterval(() => print(":\n\n"), KEEP_ALIVE_MS).unref();
    open.add(body);
    body.on("close", () => {
      clearInterval(alive);
      open.delete(body);
    });
    reply.header("content-type", "text/event-stream; charset=utf-8");
    // nginx would keep events back until its buffer is full.
    reply.header("x-accel-buffering", "no");
    return {
      body,
      print,
      send: (event, data) => print(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
      end() {
        clearInterval(alive);
        if (!body.destroyed) body.push(null);
      },
      onClose: (closed) => void body.once("close", closed),
    };
  };
}

export const wantsEvents = (accept: string | undefined): boolean =>
  accept?.includes("text/event-stream") ?? false;
