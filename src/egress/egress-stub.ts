import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import {
  createEgress,
  type Egress,
  type EgressOptions,
  type EgressOutcome,
  type EgressRequest,
} from "./egress.ts";
import { parseEgressAllow } from "./egress-allow.ts";

/** Real peers on loopback for the tests of egress; each is gone when its test is. */
export type Peer = { port: number; sockets: ReadonlySet<Socket>; stop(): void };

export const httpPeer = (listener: RequestListener): Promise<Peer> => listening(createServer(listener));

export const tcpPeer = (onSocket: (socket: Socket) => void): Promise<Peer> =>
  listening(
    createTcpServer((socket) => {
      socket.on("error", () => {});
      onSocket(socket);
    }),
  );

async function listening(server: Server): Promise<Peer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  onTestFinished(stop);
  return { port: (server.address() as AddressInfo).port, sockets, stop };
}

type Send = (url: string, more?: Partial<EgressRequest>) => Promise<EgressOutcome>;

/** A door through which 127.0.0.1 may be reached, unless `allow` says otherwise. */
export function door(
  options: Omit<EgressOptions, "allow"> & { allow?: string } = {},
): Send & Pick<Egress, "close"> {
  const parsed = parseEgressAllow(options.allow ?? "127.0.0.1");
  if (!parsed.ok) throw new Error(parsed.errors.join("; "));
  const egress = createEgress({ ...options, allow: parsed.rules });
  onTestFinished(() => egress.close());
  const send: Send = (url, more = {}) =>
    egress.send({ url, method: "GET", timeout_ms: 5_000, max_response_bytes: 65_536, ...more });
  return Object.assign(send, { close: egress.close });
}
