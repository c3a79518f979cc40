import { WebSocket } from "ws";
import { errorText } from "../base/errors.ts";
import type { EgressRules } from "./egress-address.ts";
import { pinnedPlace } from "./egress-place.ts";
import { answering } from "./egress-pools.ts";
import { type Resolve, rememberingResolve, systemResolve } from "./egress-resolve.ts";
import { targetOf } from "./egress-target.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** The door for WebSockets that leave on a user's behalf: addresses are judged as those of HTTP calls (`egress.ts`). */
export type SocketDoor = {
  /** Never rejects for what a peer can cause. */
  open(request: SocketRequest, listener: SocketListener): Promise<SocketOutcome>;
  close(): void;
};

export type SocketRequest = {
  /** ws or wss; ws only to what `EGRESS_ALLOW` names. */
  url: string;
  headers?: Record<string, string>;
  /** Until the peer has agreed to the socket; the lookup of its name has as long once more. */
  timeout_ms: number;
  /** A longer message closes the socket. */
  max_message_bytes: number;
};

/** Called from the first message on, which may come before `open` has resolved. */
export type SocketListener = {
  message(data: string | Buffer): void;
  closed(why: string): void;
};

export type OutsideSocket = {
  send(data: string | Uint8Array): void;
  /** Bytes that the network has not taken yet. */
  readonly unsent_bytes: number;
  readonly is_open: boolean;
  close(): void;
};

export type SocketOutcome =
  | { kind: "open"; socket: OutsideSocket }
  /** Nothing was sent. */
  | { kind: "refused"; reason: string }
  /** `status`: the peer's HTTP answer, where it gave one instead of a socket. */
  | { kind: "failed"; reason: string; status: number | null };

export function createSocketDoor({
  allow,
  resolve = rememberingResolve(systemResolve, () => performance.now()),
}: {
  allow: EgressRules;
  resolve?: Resolve;
}): SocketDoor {
  const open = new Set<WebSocket>();

  return {
    async open({ url, headers = {}, timeout_ms, max_message_bytes }, listener) {
      const target = targetOf(url.replace(/^ws/, "http"), []);
      if (target.kind === "refused") return target;
      let addresses: readonly string[];
      try {
        const pinned = await unlessAborted(
          pinnedPlace(target, { allow, resolve, httpsOnly: true }),
          AbortSignal.timeout(timeout_ms),
        );
        if (pinned.kind !== "addresses")
          return pinned.kind === "refused" ? pinned : { kind: "refused", reason: "it leads nowhere" };
        addresses = pinned.addresses;
      } catch (error) {
        return { kind: "failed", reason: errorText(error), status: null };
      }
      const socket = new WebSocket(url, {
        headers,
        lookup: answering(addresses),
        handshakeTimeout: timeout_ms,
        maxPayload: max_message_bytes,
        followRedirects: false,
        perMessageDeflate: false,
      });
      open.add(socket);
      return new Promise<SocketOutcome>((settle) => {
        let status: number | null = null;
        let fault: string | null = null;
        let wasOpen = false;
        socket.on("unexpected-response", (_request, response) => {
          status = response.statusCode ?? null;
          response.resume();
          socket.terminate();
        });
        socket.on("error", (error) => {
          fault ??= errorText(error);
        });
        socket.on("message", (data, isBinary) =>
          listener.message(isBinary ? (data as Buffer) : String(data)),
        );
        socket.on("open", () => {
          wasOpen = true;
          settle({ kind: "open", socket: outside(socket) });
        });
        socket.on("close", (code, reason) => {
          open.delete(socket);
          const said = reason.toString().slice(0, 200);
          if (wasOpen)
            return listener.closed(said === "" ? (fault ?? `code ${code}`) : `code ${code}, ${said}`);
          const why = status === null ? (fault ?? "the connection broke") : `the answer was ${status}`;
          settle({ kind: "failed", reason: why, status });
        });
      });
    },
    close() {
      for (const socket of open) socket.terminate();
      open.clear();
    },
  };
}

const outside = (socket: WebSocket): OutsideSocket => ({
  send: (data) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(data);
  },
  get unsent_bytes() {
    return socket.bufferedAmount;
  },
  get is_open() {
    return socket.readyState === WebSocket.OPEN;
  },
  close: () => {
    socket.close(1000);
    // A peer that doesn't answer the close frame holds nothing of ours.
    setTimeout(() => socket.terminate(), 2000).unref();
  },
});
