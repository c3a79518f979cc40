import type { WebSocket } from "@fastify/websocket";
import type { RawData } from "ws";
import { errorText } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { floodGuard } from "./flood-guard.ts";

/** A socket that does not name its call within this time is closed. */
const SETUP_MS = 10_000;

type Guarded = {
  log: Log;
  most_messages_a_second: number;
  take(data: RawData, isBinary: boolean): void;
  /** Closes the socket. More messages may arrive while it closes, and are not taken. */
  flooded(): void;
  /** Closes the socket, whose call was not named in time. */
  unnamed(): void;
  /** With the close code. */
  closed(code: number): void;
};

/** Listens to the socket of a call. `named`: its call is known, so that it may stay. */
export function guardSocket(
  socket: WebSocket,
  { log, most_messages_a_second, take, flooded, unnamed, closed }: Guarded,
): { named(): void } {
  const isOneTooMany = floodGuard(most_messages_a_second);
  const setup = setTimeout(unnamed, SETUP_MS);
  const hear = (data: RawData, isBinary: boolean): void => {
    if (isOneTooMany()) {
      log.warn("a call's socket was flooded and closed");
      socket.off("message", hear);
      flooded();
    } else take(data, isBinary);
  };
  socket.on("message", hear);
  // An oversized or malformed frame: the library has closed the socket.
  socket.on("error", (error) =>
    log.warn({ reason: errorText(error) }, "a call's socket sent what can't be read"),
  );
  socket.on("close", (code) => {
    clearTimeout(setup);
    closed(code);
  });
  return { named: () => clearTimeout(setup) };
}
