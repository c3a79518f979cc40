import { maxHeaderSize, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "../base/log.ts";

/**
 * Answers a request that breaks HTTP before there is a request to route, in the shape of all other errors. The connection
 * is closed: nobody knows where the next request would begin.
 */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Pick<Socket, "destroyed" | "writable" | "end" | "destroy">,
  log: Pick<Log, "debug">,
): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const { status, detail } = answerTo(error.code);
  log.debug({ code: error.code, status }, "a request could not be read");
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify({ detail });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

function answerTo(code: string | undefined): { status: number; detail: string } {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        status: 431,
        detail: `The headers have more than ${maxHeaderSize / 1024} KB together. Send fewer or shorter ones.`,
      };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { status: 413, detail: "The body's chunks have extensions that are too long. Send none." };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, detail: "The request did not come whole in time. Send it again." };
    default:
      return {
        status: 400,
        detail: "This is not readable as an HTTP/1.1 request. Check its first line and its headers.",
      };
  }
}
