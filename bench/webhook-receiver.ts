import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";

/**
 * A receiver in a thread of its own: answers 200 at once and notes how old each message was, or, below /hung, never
 * answers. Told "read", it hands over what it noted; its first message is its port.
 */
let ages_ms: number[] = [];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    if (request.url?.startsWith("/hung")) return;
    const { timestamp } = JSON.parse(Buffer.concat(chunks).toString());
    ages_ms.push(Date.now() - Date.parse(timestamp));
    response.writeHead(200).end();
  });
});
// It stands for 100 receivers: their connections at once are more than the usual backlog of one.
server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, () =>
  parentPort?.postMessage((server.address() as AddressInfo).port),
);
parentPort?.on("message", () => {
  parentPort?.postMessage(ages_ms);
  ages_ms = [];
});
