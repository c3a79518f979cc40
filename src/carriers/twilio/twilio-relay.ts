import { z } from "zod";
import { unreachable } from "../../base/errors.ts";
import { tryParseJson } from "../../base/parse-json.ts";
import { storableText } from "../../base/storable.ts";
import type { CallContinuation, CallInput, CallOutput } from "../../channels/call-socket.ts";

/*
 * The messages of Twilio's ConversationRelay and ours, one for one; pure both ways
 * (https://www.twilio.com/docs/voice/conversationrelay/websocket-messages).
 */

const text = z.string().transform(storableText);

const Setup = z.object({
  type: z.literal("setup"),
  callSid: z.string(),
  customParameters: z.object({ call_id: z.string(), token: z.string() }),
});

/** The first message of a socket: which call it is of, and the token our markup gave it. null: something else. */
export function readSetup(frame: string): { sid: string; call_id: string; token: string } | null {
  const read = Setup.safeParse(tryParseJson(frame));
  return read.success ? { sid: read.data.callSid, ...read.data.customParameters } : null;
}

const RelayMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("setup"), callSid: z.string() }),
  z.object({
    type: z.literal("prompt"),
    voicePrompt: text,
    lang: z.string().nullish(),
    last: z.boolean().default(true),
  }),
  z.object({ type: z.literal("interrupt"), utteranceUntilInterrupt: text.default("") }),
  z.object({ type: z.literal("dtmf"), digit: z.string().regex(/^[0-9*#]$/) }),
  z.object({ type: z.literal("info"), name: z.string(), value: z.unknown() }),
  z.object({ type: z.literal("error"), description: text }),
]);

/** null: nothing that concerns a conversation. What can't be read is a fault, as Twilio's own are. */
export function readRelay(frame: string): CallInput | null {
  const given = tryParseJson(frame);
  if (given === undefined) return { type: "fault", message: "a frame was no JSON" };
  const read = RelayMessage.safeParse(given);
  if (!read.success) {
    return { type: "fault", message: `a frame was not understood: ${read.error.issues[0]?.message ?? ""}` };
  }
  const message = read.data;
  switch (message.type) {
    case "setup":
      return { type: "open", sid: message.callSid };
    case "prompt":
      return {
        type: "speech",
        text: message.voicePrompt,
        final: message.last,
        lang: message.lang ?? null,
      };
    case "interrupt":
      return { type: "interrupted", heard: message.utteranceUntilInterrupt };
    case "dtmf":
      return { type: "digit", digit: message.digit };
    case "info":
      return message.name === "agentSpeaking" && message.value === "off" ? { type: "played" } : null;
    case "error":
      return { type: "fault", message: message.description };
    default:
      return unreachable(message);
  }
}

/** Twilio plays a sound this often when asked for 0; about as good as for ever. */
const WITHOUT_END = 0;

export function writeRelay(output: CallOutput): string {
  return JSON.stringify(relayMessage(output));
}

function relayMessage(output: CallOutput): object {
  switch (output.type) {
    case "say":
      return {
        type: "text",
        token: output.spoken?.text ?? output.text,
        last: output.last,
        interruptible: output.interruptible,
        ...(output.lang !== null && { lang: output.lang }),
      };
    case "play":
      return {
        type: "play",
        source: output.url,
        loop: output.loop ? WITHOUT_END : 1,
        // The words that it bridges to are not to wait for its end.
        preemptible: true,
      };
    case "digits":
      return { type: "sendDigits", digits: output.digits };
    case "after_beep":
      throw new Error("Twilio's relay does not hear a beep");
    case "language":
      return { type: "language", ttsLanguage: output.lang, transcriptionLanguage: output.lang };
    case "end":
      return { type: "end", handoffData: JSON.stringify(output.next) };
    default:
      return unreachable(output);
  }
}

const Continuation = z.discriminatedUnion("action", [
  z.object({ action: z.literal("hangup") }),
  z.object({
    action: z.literal("dial"),
    number: z.string().min(1),
    caller_id: z.string().nullable(),
    detect_answerer: z.boolean(),
  }),
]);

/** What we said should follow, as Twilio hands it back; null where the line ended without our word. */
export function readHandoff(handoff_data: string): CallContinuation | null {
  return Continuation.safeParse(tryParseJson(handoff_data)).data ?? null;
}
