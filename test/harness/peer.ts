import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterFile } from "./after-file.ts";

export type PeerRequest = { method: string; path: string; headers: IncomingMessage["headers"]; body: string };

/** An outside service on loopback: what tools call in tests. It records each request and answers as told. */
export type Peer = {
  url: string;
  requests: PeerRequest[];
  /** What it does with the next requests. */
  respond(handler: (request: PeerRequest, response: ServerResponse) => void): void;
};

export async function createPeer(): Promise<Peer> {
  const requests: PeerRequest[] = [];
  let handler: (request: PeerRequest, response: ServerResponse) => void = (_, response) =>
    json(response, 200, {});
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const seen = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
    requests.push(seen);
    handler(seen, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    respond(next) {
      handler = next;
    },
  };
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
