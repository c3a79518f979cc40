import type { KeyAccess } from "../../accounts/provider-keys.ts";
import { join } from "../../audio/level.ts";
import { tryParseJson } from "../../base/parse-json.ts";
import type { OutsideSocket, SocketDoor } from "../../egress/socket-door.ts";
import { type Ear, HEARING_RATE, type Heard, type Hearing } from "../hearing.ts";
import type { HearingService } from "./hearing-service.ts";
import { TakenWords } from "./taken-words.ts";

export type EarTimes = {
  /** Until the socket is open. */
  connect_ms: number;
  /** After the caller's voice, until the service says anything. */
  answer_ms: number;
};
export const EAR_TIMES: EarTimes = { connect_ms: 3000, answer_ms: 3000 };

/** Kept until the socket is open: 5 s of frames. */
const MOST_WAITING = 250;
/** The network takes no more: 8 s of audio. */
const MOST_UNSENT_BYTES = 256_000;
const MOST_MESSAGE_BYTES = 1_000_000;
/** Of a shorter voice, such as a cough, a service need not say anything. */
const LEAST_VOICE_MS = 1000;

export type RemoteHearing = Hearing & { hears(language: string): boolean };

/**
 * A service's recognition, with the voice detection of this machine beside it: who speaks is told by the latter, words and
 * turns by the service. The ear tells a `fault` once, and nothing after it, where the service refuses, closes, falls
 * behind, or says nothing at all though somebody spoke.
 */
export function createRemoteHearing({
  service,
  access,
  door,
  detection,
  times = EAR_TIMES,
}: {
  service: HearingService;
  access: KeyAccess;
  door: SocketDoor;
  detection: (tell: (heard: Heard) => void) => Ear;
  times?: EarTimes;
}): RemoteHearing {
  const { name } = service;
  const isGreeting = (message: unknown) =>
    typeof message === "object" &&
    message !== null &&
    "type" in message &&
    service.greetings.includes(String(message.type));
  return {
    name,
    hears: (language) => service.hears(language),
    open(listening, tell) {
      const frames_a_chunk = service.chunk_ms / 20;
      const encode = service.audio();
      const read = service.reader();
      const taken = new TakenWords();
      let socket: OutsideSocket | null = null;
      let waiting: Int16Array[] = [];
      let chunk: Int16Array[] = [];
      let isClosed = false;
      let voice: { since: number } | null = null;
      let samples = 0;
      /** Any message since the voice began. */
      let isAnswered = false;
      let overdue: NodeJS.Timeout | undefined;

      const now_ms = () => (samples * 1000) / HEARING_RATE;

      const stop = () => {
        isClosed = true;
        clearTimeout(overdue);
        detector.close();
        if (socket && service.closing) socket.send(JSON.stringify(service.closing));
        socket?.close();
        waiting = [];
      };
      const fail = (why: string) => {
        if (isClosed) return;
        stop();
        tell({ type: "fault", message: `${name}: ${why}` });
      };

      const send = (frame: Int16Array) => {
        chunk.push(frame);
        if (chunk.length < frames_a_chunk || !socket) return;
        socket.send(encode(join(chunk)));
        chunk = [];
        if (socket.unsent_bytes > MOST_UNSENT_BYTES) fail("it takes no more audio");
      };

      const hear = (heard: Heard) => {
        if (isClosed) return;
        if (heard.type === "fault") return fail(heard.message);
        if (heard.type === "partial" || heard.type === "final") {
          const text = heard.type === "final" ? taken.final(heard.text) : taken.partial(heard.text);
          // All of it was taken already; where the service understood nothing, that is told.
          if (text === "" && heard.text !== "") return;
          return tell({ type: heard.type, text });
        }
        tell(heard);
      };

      const detector = detection((heard) => {
        if (isClosed) return;
        if (heard.type === "speech_started") {
          voice = { since: heard.at_ms };
          isAnswered = false;
          clearTimeout(overdue);
        }
        if (heard.type === "speech_stopped") {
          const spoke_ms = voice ? heard.at_ms - voice.since : 0;
          voice = null;
          if (spoke_ms >= LEAST_VOICE_MS && !isAnswered)
            overdue = setTimeout(() => fail(`no answer within ${times.answer_ms} ms`), times.answer_ms);
        }
        if (heard.type === "fault") return fail(heard.message);
        tell(heard);
      });

      const { url, headers } = service.connection(listening, { base_url: service.base_url, ...access });
      const listener = {
        message(data: string | Buffer) {
          if (isClosed || typeof data !== "string") return;
          const message = tryParseJson(data);
          if (!isGreeting(message)) {
            isAnswered = true;
            clearTimeout(overdue);
          }
          for (const heard of read(message)) hear(heard);
        },
        closed: (why: string) => fail(`it closed the connection (${why})`),
      };
      const request = {
        url,
        headers,
        timeout_ms: times.connect_ms,
        max_message_bytes: MOST_MESSAGE_BYTES,
      };
      door.open(request, listener).then(
        (outcome) => {
          if (outcome.kind !== "open") return fail(outcome.reason);
          if (isClosed) return outcome.socket.close();
          socket = outcome.socket;
          for (const message of service.opening(listening)) socket.send(JSON.stringify(message));
          for (const frame of waiting.splice(0)) send(frame);
        },
        (error) => fail(String(error)),
      );

      return {
        push(frame) {
          if (isClosed) return;
          samples += frame.length;
          detector.push(frame);
          if (isClosed) return;
          if (socket) send(frame);
          else if (waiting.length < MOST_WAITING) waiting.push(frame);
          else fail(`no connection within ${Math.round(now_ms())} ms of audio`);
        },
        endTurn() {
          if (isClosed || taken.isEmpty) return;
          taken.take();
          socket?.send(JSON.stringify(service.end_turn));
        },
        close: () => {
          if (!isClosed) stop();
        },
      };
    },
  };
}
