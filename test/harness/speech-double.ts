import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { afterFile } from "./after-file.ts";

/*
 * A service that hears or speaks, on loopback: its socket, in real time, with delays and faults as told. What it says there
 * is in `hearing-doubles.ts` and `speaking-doubles.ts`.
 */

/** What goes wrong with the next sockets, one after the other; those behind go well. */
export type SpeechTrouble =
  /** Answered with this status instead of a socket. */
  | { type: "status"; status: number }
  /** Opens, and never says anything. */
  | { type: "hangs" }
  /** Closes once it has been sent so much of an utterance's audio, or has made so much of one. */
  | { type: "closes"; after_ms: number }
  /** Tells words, and then shorter ones. */
  | { type: "shrinks" }
  /** What was a word so far is none in the end. */
  | { type: "empty" }
  /** Everything it says comes so much later. */
  | { type: "late"; ms: number };

export type SpeechServiceDouble = {
  url: string;
  /** Of each socket: its address, headers and what was sent as JSON. */
  sockets: { path: string; headers: IncomingMessage["headers"]; sent: Record<string, unknown>[] }[];
  trouble(...next: SpeechTrouble[]): void;
};

export type SpeechSession = {
  socket: WebSocket;
  trouble: SpeechTrouble | null;
  path: string;
  sent: Record<string, unknown>[];
};

export async function serveSpeech(
  hold: (session: SpeechSession) => void,
  answers: (path: string) => object | null = () => null,
): Promise<SpeechServiceDouble> {
  const troubles: SpeechTrouble[] = [];
  const sockets: SpeechServiceDouble["sockets"] = [];
  const wss = new WebSocketServer({ noServer: true });
  const server = createServer((request, response) => {
    const answer = answers(request.url ?? "");
    response.writeHead(answer ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { error: "nothing here" }));
  });
  server.on("upgrade", (request, stream, head) => {
    const trouble = troubles.shift() ?? null;
    if (trouble?.type === "status") {
      stream.end(`HTTP/1.1 ${trouble.status} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      return;
    }
    wss.handleUpgrade(request, stream, head, (socket) => {
      const path = request.url ?? "";
      const sent: Record<string, unknown>[] = [];
      sockets.push({ path, headers: request.headers, sent });
      hold({ socket, trouble, path, sent });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterFile(() => {
    for (const socket of wss.clients) socket.terminate();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, sockets, trouble: (...next) => troubles.push(...next) };
}
