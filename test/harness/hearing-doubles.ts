import { bytesOf, samplesOf } from "../../src/audio/frames.ts";
import { auraSession } from "./speaking-doubles.ts";
import { type SpeechSession, serveSpeech } from "./speech-double.ts";

/* Services that hear: their documented messages. */

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
  const hold = ({ socket, trouble, sent }: SpeechSession) => {
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
      const kept = trouble?.type === "empty" ? 0 : trouble?.type === "shrinks" ? 3 : undefined;
      say(its.final(sentence.split(" ").slice(0, kept).join(" ")));
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
  const double = await serveSpeech((session) => {
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
  const double = await serveSpeech((session) => {
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
  const double = await serveSpeech(ears.hold);
  return { ...double, says: ears.says };
}

const thinned = (bytes: Buffer): Buffer => bytesOf(samplesOf(bytes).filter((_, at) => at % 3 !== 2));
