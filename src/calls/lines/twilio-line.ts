import type { WebSocket } from "@fastify/websocket";
import type { RawData } from "ws";
import type { Log } from "../../base/log.ts";
import { readRelay, readSetup, writeRelay } from "../../carriers/twilio/twilio-relay.ts";
import type { CallInput } from "../../channels/call-socket.ts";
import type { VoiceCalls } from "../voice-calls.ts";
import { guardSocket } from "./guarded-socket.ts";

/** A frame is a sentence or a part of one, so a conversation never has this many a second. */
const MOST_FRAMES_A_SECOND = 100;

/** The socket of one call. Its first message names the call; later ones wait, in order, until the call was looked up. */
export function holdRelay({ calls, log }: { calls: VoiceCalls; log: Log }, socket: WebSocket): void {
  const waiting: CallInput[] = [];
  let line: { input(event: CallInput): void } | null = null;
  let opening = false;

  const give = (event: CallInput) => (line ? line.input(event) : waiting.push(event));

  const open = async (frame: string): Promise<void> => {
    opening = true;
    guard.named();
    const named = readSetup(frame);
    const opened =
      named &&
      (await calls.open(named.call_id, named.token, {
        send: (output) => socket.readyState === socket.OPEN && socket.send(writeRelay(output)),
        close: () => socket.close(1000),
      }));
    if (!opened) {
      log.warn({ call_id: named?.call_id ?? null }, "a socket is of no call of ours");
      return socket.close(1008);
    }
    line = opened;
    line.input({ type: "open", sid: named.sid });
    for (const event of waiting.splice(0)) line.input(event);
  };

  const take = (data: RawData): void => {
    const frame = String(data);
    if (!opening) {
      open(frame).catch((error) => {
        log.error({ err: error }, "the line of a call could not be opened");
        socket.close(1011);
      });
      return;
    }
    const event = readRelay(frame);
    if (event) give(event);
  };
  const refuse = () => socket.close(1008);
  const guard = guardSocket(socket, {
    log,
    most_messages_a_second: MOST_FRAMES_A_SECOND,
    take,
    flooded: refuse,
    unnamed: refuse,
    closed: () => give({ type: "closed" }),
  });
}
