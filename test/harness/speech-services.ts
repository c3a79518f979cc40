import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { bytesOf, samplesOf } from "../../src/audio/frames.ts";
import { tone } from "../../src/audio/tones.ts";
import { afterFile } from "./after-file.ts";

/*
 * Services that hear and speak, on loopback: their documented messages, in real time, with delays and faults as told.
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
  /** Everything it says comes so much later. */
  | { type: "late"; ms: number };

export type SpeechServiceDouble = {
  url: string;
  /** Of each socket: its address, headers and what was sent as JSON. */
  sockets: { path: string; headers: IncomingMessage["headers"]; sent: Record<string, unknown>[] }[];
  trouble(...next: SpeechTrouble[]): void;
};

type Session = {
  socket: WebSocket;
  trouble: SpeechTrouble | null;
  path: string;
  sent: Record<string, unknown>[];
};

async function serve(
  hold: (session: Session) => void,
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

/** Tells when an utterance begins, goes on and is over, by how loud the audio is. */
function utterances(tell: (moment: "begins" | "goes_on" | "over", heard_ms: number) => void) {
  let voiced = 0;
  let silent = 0;
  return (samples: Int16Array) => {
    const isLoud = samples.some((sample) => Math.abs(sample) > 2000);
    const ms = samples.length / 16;
    if (isLoud) {
      tell(voiced === 0 ? "begins" : "goes_on", voiced);
      voiced += ms;
      silent = 0;
    } else if (voiced > 0) {
      silent += ms;
      if (silent < 240) return;
      tell("over", voiced);
      voiced = 0;
      silent = 0;
    }
  };
}

/** What a listening service tells of a sentence, in its own messages. */
type Words = {
  begins?(): object[];
  partial(text: string): object[];
  final(text: string): object[];
};

function hears(
  words: () => Words,
  audioOf: (data: Buffer, message: Record<string, unknown> | null) => Buffer | null,
) {
  let sentences: string[] = ["when are you open"];
  let said = 0;
  const hold = ({ socket, trouble, sent }: Session) => {
    const its = words();
    const say = (messages: object[]) => {
      if (trouble?.type === "hangs") return;
      const send = () => {
        for (const message of messages) socket.send(JSON.stringify(message));
      };
      if (trouble?.type === "late") setTimeout(send, trouble.ms);
      else send();
    };
    let audio_ms = 0;
    let sentence = "";
    let isOpen = false;
    const finish = () => {
      if (!isOpen) return;
      isOpen = false;
      if (trouble?.type === "shrinks") say(its.partial(sentence.split(" ").slice(0, 2).join(" ")));
      say(its.final(trouble?.type === "shrinks" ? sentence.split(" ").slice(0, 3).join(" ") : sentence));
    };
    const listen = utterances((moment, heard_ms) => {
      if (moment === "over") return finish();
      if (moment === "begins") {
        sentence = sentences[said % sentences.length] as string;
        said++;
        isOpen = true;
        say(its.begins?.() ?? []);
      }
      // The turn was ended from outside: what is still said of the sentence is not told.
      if (!isOpen) return;
      // A word every 100 ms.
      const all = sentence.split(" ");
      const heard =
        trouble?.type === "shrinks" ? all.length : Math.min(all.length, Math.floor(heard_ms / 100));
      if (heard > 0) say(its.partial(all.slice(0, heard).join(" ")));
    });
    socket.on("message", (data, isBinary) => {
      const message = isBinary ? null : JSON.parse(String(data));
      if (message) sent.push(message);
      const bytes = audioOf(data as Buffer, message);
      if (!bytes) {
        if (["ForceEndTurn", "ForceEndpoint"].includes(String(message?.type))) finish();
        if (["CloseStream", "Terminate"].includes(String(message?.type))) socket.close(1000);
        return;
      }
      const samples = samplesOf(bytes);
      audio_ms += samples.length / 16;
      if (trouble?.type === "closes" && audio_ms > trouble.after_ms)
        return socket.close(1011, "internal error");
      listen(samples);
    });
  };
  return {
    hold,
    /** What whoever is loud says, in turn. */
    says: (...next: string[]) => {
      sentences = next;
      said = 0;
    },
  };
}

const binary = (data: Buffer, message: unknown) => (message === null ? data : null);

export async function deepgramDouble() {
  let turn_index = 0;
  const info = (event: string, transcript: string) => ({
    type: "TurnInfo",
    event,
    turn_index,
    audio_window_start: 0,
    audio_window_end: 0,
    transcript,
    words: [],
    end_of_turn_confidence: 0.5,
  });
  const ears = hears(
    () => ({
      begins: () => [info("StartOfTurn", "")],
      partial: (text) => [info("Update", text)],
      final: (text) => {
        const told = [info("EagerEndOfTurn", text), info("EndOfTurn", text)];
        turn_index++;
        return told;
      },
    }),
    binary,
  );
  const double = await serve((session) => {
    if (session.path.startsWith("/v1/speak")) return auraSession(session);
    session.socket.send(JSON.stringify({ type: "Connected", request_id: "r", sequence_id: 0 }));
    ears.hold(session);
  });
  return { ...double, says: ears.says };
}

export async function assemblyAiDouble() {
  let turn_order = 0;
  const turn = (end_of_turn: boolean, text: string) => {
    const words = text.split(" ");
    const sure = end_of_turn ? words : words.slice(0, -1);
    return {
      type: "Turn",
      turn_order,
      turn_is_formatted: false,
      end_of_turn,
      transcript: sure.join(" "),
      words: words.map((word, at) => ({ text: word, word_is_final: at < sure.length })),
    };
  };
  const ears = hears(
    () => ({
      partial: (text) => [turn(false, text)],
      final: (text) => {
        const told = [turn(true, text)];
        turn_order++;
        return told;
      },
    }),
    binary,
  );
  const double = await serve((session) => {
    session.socket.send(JSON.stringify({ type: "Begin", id: "b", expires_at: 1 }));
    ears.hold(session);
  });
  return { ...double, says: ears.says };
}

export async function openaiDouble() {
  let items = 0;
  const ears = hears(
    () => {
      let told = "";
      return {
        begins: () => {
          items++;
          told = "";
          return [{ type: "input_audio_buffer.speech_started", item_id: `item_${items}` }];
        },
        partial: (text) => {
          if (!text.startsWith(told)) return [];
          const delta = text.slice(told.length);
          told = text;
          const type = "conversation.item.input_audio_transcription.delta";
          return delta === "" ? [] : [{ type, item_id: `item_${items}`, content_index: 0, delta }];
        },
        final: (transcript) => [
          {
            type: "conversation.item.input_audio_transcription.completed",
            item_id: `item_${items}`,
            content_index: 0,
            transcript,
          },
        ],
      };
    },
    (_data, message) =>
      message?.type === "input_audio_buffer.append"
        ? // Every third of its 24 kHz is left out: loud stays loud.
          thinned(Buffer.from(String(message.audio), "base64"))
        : null,
  );
  const double = await serve(ears.hold);
  return { ...double, says: ears.says };
}

const thinned = (bytes: Buffer): Buffer => bytesOf(samplesOf(bytes).filter((_, at) => at % 3 !== 2));

/** 60 ms of sound a character. */
const MS_A_CHARACTER = 60;
const soundOf = (characters: number): Int16Array =>
  tone(300, { rate: 16_000, ms: Math.max(20, characters * MS_A_CHARACTER) });

type Sentence = { parts: object[][] };

/** Sends an utterance's parts in real time, or worse. */
function speakAloud({ socket, trouble }: Session, { parts }: Sentence, signal: { cancelled: boolean }): void {
  if (trouble?.type === "hangs") return;
  let at = 0;
  const next = () => {
    if (signal.cancelled || socket.readyState !== socket.OPEN) return;
    if (trouble?.type === "closes" && at * 100 >= trouble.after_ms)
      return socket.close(1011, "internal error");
    for (const message of parts[at] ?? [])
      socket.send(Buffer.isBuffer(message) ? message : JSON.stringify(message));
    if (++at < parts.length) setTimeout(next, 10);
  };
  setTimeout(next, trouble?.type === "late" ? trouble.ms : 0);
}

/** A sentence in words, each a part. */
const wordsOf = (text: string): string[] => text.trim().split(/(?<= )/);

export async function elevenLabsDouble(voices: { voice_id: string; name: string }[] = []) {
  const known =
    voices.length > 0 ? voices : [{ voice_id: "v-alice", name: "Alice - Clear, Engaging Educator" }];
  return serve(
    (session) => {
      const cancelled = new Map<string, { cancelled: boolean }>();
      session.socket.on("message", (data) => {
        const message = JSON.parse(String(data));
        session.sent.push(message);
        if (message.close_socket) return session.socket.close(1000);
        const signal = cancelled.get(message.context_id) ?? { cancelled: false };
        cancelled.set(message.context_id, signal);
        if (message.close_context) {
          // Closed before its text was spoken: what is under way is finished all the same.
          if (
            session.sent.filter(
              ({ context_id, close_context }) => context_id === message.context_id && close_context,
            ).length > 1
          )
            signal.cancelled = true;
          return;
        }
        if (!message.text?.trim()) return;
        const contextId = message.context_id;
        const parts = wordsOf(message.text).map((word) => [
          {
            audio: bytesOf(soundOf(word.length)).toString("base64"),
            alignment: {
              chars: [...word],
              charStartTimesMs: [...word].map((_, at) => at * MS_A_CHARACTER),
              charDurationsMs: [...word].map(() => MS_A_CHARACTER),
            },
            normalizedAlignment: null,
            contextId,
          },
        ]);
        speakAloud(session, { parts: [...parts, [{ isFinal: true, contextId }]] as object[][] }, signal);
      });
    },
    (path) => (path.startsWith("/v2/voices") ? { voices: known } : null),
  );
}

export async function cartesiaDouble() {
  return serve(
    (session) => {
      const cancelled = new Map<string, { cancelled: boolean }>();
      session.socket.on("message", (data) => {
        const message = JSON.parse(String(data));
        session.sent.push(message);
        const { context_id } = message;
        const signal = cancelled.get(context_id) ?? { cancelled: false };
        cancelled.set(context_id, signal);
        if (message.cancel) {
          signal.cancelled = true;
          return;
        }
        let at_s = 0;
        const parts = wordsOf(message.transcript).map((word) => {
          const sound = soundOf(word.length);
          const start = at_s;
          at_s += sound.length / 16_000;
          const word_timestamps = { words: [word.trim()], start: [start], end: [at_s] };
          const common = { context_id, done: false, status_code: 206 };
          return [
            { type: "chunk", data: bytesOf(sound).toString("base64"), step_time: 1, ...common },
            { type: "timestamps", word_timestamps, ...common },
          ];
        });
        const done = { type: "done", done: true, status_code: 206, context_id };
        speakAloud(session, { parts: [...parts, [done]] }, signal);
      });
    },
    (path) =>
      path.startsWith("/voices") ? { data: [{ id: "c-skylar", name: "Skylar - Friendly Guide" }] } : null,
  );
}

function auraSession(session: Session): void {
  let text = "";
  session.socket.on("message", (data) => {
    const message = JSON.parse(String(data));
    session.sent.push(message);
    if (message.type === "Speak") text += message.text;
    if (message.type === "Close") session.socket.close(1000);
    if (message.type !== "Flush") return;
    const parts = wordsOf(text).map((word) => [bytesOf(soundOf(word.length))]);
    text = "";
    speakAloud(session, { parts: [...parts, [{ type: "Flushed", sequence_id: 0 }]] }, { cancelled: false });
  });
}
