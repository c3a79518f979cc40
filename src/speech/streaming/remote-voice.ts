import type { KeyAccess } from "../../accounts/provider-keys.ts";
import { Fault } from "../../base/errors.ts";
import { tryParseJson } from "../../base/parse-json.ts";
import type { OutsideSocket, SocketDoor } from "../../egress/socket-door.ts";
import type { Speaking, SpokenAudio, Utterance } from "../speaking.ts";
import {
  type ServiceVoice,
  SPEAKING_RATE,
  type SpeakingService,
  type StreamedPart,
  type StreamedUtterance,
} from "./speaking-service.ts";

export type MouthTimes = {
  /** Until the socket is open. */
  connect_ms: number;
  /** Until the first sound of a sentence, and between two parts of it. */
  answer_ms: number;
};
export const MOUTH_TIMES: MouthTimes = { connect_ms: 3000, answer_ms: 4000 };

const MOST_MESSAGE_BYTES = 5_000_000;
/** Of one sentence: five minutes. */
const MOST_SAMPLES = 300 * SPEAKING_RATE;

export type RemoteSpeaking = Speaking & { close(): void };

type Line = {
  socket: Promise<OutsideSocket>;
  listeners: Set<{ message(message: unknown): void; closed(why: string): void }>;
};

/**
 * A service's voice for one call: its socket is opened by `prepare` or with the first sentence, and kept. What is not
 * needed any more is cancelled.
 */
export function createRemoteSpeaking({
  service,
  access,
  door,
  voiceOf,
  times = MOUTH_TIMES,
}: {
  service: SpeakingService;
  access: KeyAccess;
  door: SocketDoor;
  /** As the service names it; a Fault where it has none for this. */
  voiceOf(utterance: Omit<Utterance, "text">): Promise<ServiceVoice>;
  times?: MouthTimes;
}): RemoteSpeaking {
  const { name } = service;
  const lines = new Map<string, Line>();
  let contexts = 0;
  let isClosed = false;

  const fault = (why: string) => new Fault("unavailable", `${name}: ${why}`);

  const lineOf = (utterance: Omit<StreamedUtterance, "text">): { line: Line; url: string } => {
    const { url, headers } = service.connection(utterance, { base_url: service.base_url, ...access });
    const known = lines.get(url);
    if (known) return { line: known, url };
    const listeners: Line["listeners"] = new Set();
    const gone = (why: string) => {
      if (lines.get(url) === line) lines.delete(url);
      for (const listener of [...listeners]) listener.closed(why);
    };
    const opened = door.open(
      { url, headers, timeout_ms: times.connect_ms, max_message_bytes: MOST_MESSAGE_BYTES },
      {
        message(data) {
          const message = typeof data === "string" ? tryParseJson(data) : data;
          for (const listener of [...listeners]) listener.message(message);
        },
        closed: (why) => gone(`it closed the connection (${why})`),
      },
    );
    const socket = opened.then((outcome) => {
      if (outcome.kind === "open") {
        if (isClosed) outcome.socket.close();
        return outcome.socket;
      }
      if (lines.get(url) === line) lines.delete(url);
      throw fault(outcome.reason);
    });
    // Whoever speaks next is told.
    socket.catch(() => {});
    const line: Line = { socket, listeners };
    lines.set(url, line);
    return { line, url };
  };

  async function* speak(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpokenAudio> {
    const { text, language, speed } = utterance;
    const streamed = { text, language, speed, voice: await voiceOf(utterance) };
    signal.throwIfAborted();
    const context = `s${++contexts}`;
    const { line, url } = lineOf(streamed);
    const socket = await line.socket;
    signal.throwIfAborted();

    const read = service.reader(streamed, context);
    const parts: StreamedPart[] = [];
    let wake = Promise.withResolvers<void>();
    const add = (...more: StreamedPart[]) => {
      parts.push(...more);
      wake.resolve();
    };
    const listener = {
      message: (message: unknown) => add(...read(message)),
      closed: (why: string) => add({ type: "fault", message: why }),
    };
    line.listeners.add(listener);
    const stopped = () => wake.resolve();
    signal.addEventListener("abort", stopped);
    let isDone = false;
    let samples = 0;
    try {
      if (!socket.is_open) throw fault("it closed the connection");
      for (const message of service.say(streamed, context)) socket.send(JSON.stringify(message));
      while (!isDone && !signal.aborted) {
        if (parts.length === 0) {
          const late = setTimeout(
            () => add({ type: "fault", message: `no sound within ${times.answer_ms} ms` }),
            times.answer_ms,
          );
          await wake.promise;
          clearTimeout(late);
          wake = Promise.withResolvers();
        }
        for (const part of parts.splice(0)) {
          if (signal.aborted) break;
          if (part.type === "fault") throw fault(part.message);
          if (part.type === "done") isDone = true;
          if (part.type === "aligned") yield { samples: new Int16Array(0), aligned: part.aligned };
          if (part.type !== "audio") continue;
          samples += part.samples.length;
          if (samples > MOST_SAMPLES) throw fault("a sentence has no end");
          yield { samples: part.samples, aligned: [] };
        }
      }
      if (isDone && samples === 0 && !signal.aborted) throw fault("it made no sound of a sentence");
    } finally {
      line.listeners.delete(listener);
      signal.removeEventListener("abort", stopped);
      if (!isDone) {
        const message = service.cancel(context);
        if (message) socket.send(JSON.stringify(message));
        else {
          lines.delete(url);
          socket.close();
        }
      }
    }
  }

  return {
    name,
    rate: SPEAKING_RATE,
    speak,
    prepare(utterance) {
      voiceOf(utterance)
        .then((voice) => {
          if (!isClosed) lineOf({ ...utterance, voice });
        })
        .catch(() => {});
    },
    close() {
      isClosed = true;
      for (const { socket } of lines.values()) {
        socket.then(
          (open) => {
            if (service.closing) open.send(JSON.stringify(service.closing));
            open.close();
          },
          () => {},
        );
      }
      lines.clear();
    },
  };
}
