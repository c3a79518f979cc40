import VoiceResponse from "twilio/lib/twiml/VoiceResponse.js";
import type { CallContinuation, CallVoice } from "../../channels/call-socket.ts";
import type { CallUrls } from "./twilio-urls.ts";

/** What a call does next, as the XML that Twilio asks us for (https://www.twilio.com/docs/voice/twiml). */

const INTERRUPTIBLE: Record<CallVoice["interruptible_by"], string> = {
  none: "none",
  dtmf_only: "dtmf",
  speech_only: "speech",
  all: "any",
};

/** Providers that ConversationRelay speaks with; another's voice is left to Twilio's own choice for the language. */
const TTS_PROVIDERS: Record<string, string> = {
  google: "Google",
  elevenlabs: "ElevenLabs",
  amazon: "Amazon",
};

/** Rings somewhere else this long before the person hears that nobody is there. */
const TRANSFER_RING_S = 30;

/** What the socket of a call has to show, and how the carrier listens and speaks on it. */
type OpenLine = { call_id: string; token: string; voice: CallVoice; is_streamed: boolean };

/**
 * Hands the call to our WebSocket: Twilio listens and speaks, we read and write
 * (https://www.twilio.com/docs/voice/twiml/connect/conversationrelay). No greeting is named: the agent's comes as its
 * first words, so that it is in the transcript like all others.
 */
export function answerMarkup(urls: CallUrls, line: OpenLine, { record }: { record: boolean }): string {
  if (line.is_streamed) return streamMarkup(urls, line);
  const { voice } = line;
  const response = new VoiceResponse();
  if (record) {
    response.start().recording({
      recordingStatusCallback: urls.recording,
      recordingStatusCallbackEvent: ["completed"],
      channels: "mono",
    });
  }
  const [first] = voice.languages;
  const relay = response.connect({ action: urls.relayEnded }).conversationRelay({
    url: urls.relay,
    interruptible: INTERRUPTIBLE[voice.interruptible_by],
    dtmfDetection: true,
    partialPrompts: true,
    events: "speaker-events tokens-played",
    ...(first && { language: first.code }),
    ...(voice.hints.length > 0 && { hints: voice.hints.join(",") }),
  });
  for (const language of voice.languages) relay.language({ code: language.code, ...spoken(language) });
  // Comes back in the first message of the socket; an address would stand in logs.
  relay.parameter({ name: "call_id", value: line.call_id });
  relay.parameter({ name: "token", value: line.token });
  return response.toString();
}

/**
 * Hands the call's audio to our WebSocket, both ways (https://www.twilio.com/docs/voice/twiml/stream). We record it
 * ourselves, each side by itself.
 */
function streamMarkup(urls: CallUrls, { call_id, token }: OpenLine): string {
  const response = new VoiceResponse();
  const stream = response.connect({ action: urls.streamEnded }).stream({ url: urls.stream });
  stream.parameter({ name: "call_id", value: call_id });
  stream.parameter({ name: "token", value: token });
  return response.toString();
}

function spoken({ provider, voice, speed }: CallVoice["languages"][number]) {
  const ttsProvider = TTS_PROVIDERS[provider?.toLowerCase() ?? ""];
  if (!ttsProvider || !voice) return {};
  // ElevenLabs alone takes a speed, in the voice's name: voice-model-speed_stability_similarity.
  const named = ttsProvider === "ElevenLabs" && speed ? `${voice}-flash_v2_5-${speed}_0.5_0.75` : voice;
  return { ttsProvider, voice: named };
}

/** What follows when our part on the line is over. */
export function continuationMarkup(next: CallContinuation, urls: CallUrls): string {
  if (next.action === "reopen") return answerMarkup(urls, next, { record: false });
  if (next.action === "hangup") return hangupMarkup();
  const response = new VoiceResponse();
  const dial = response.dial({
    action: urls.transfer,
    timeout: TRANSFER_RING_S,
    ...(next.caller_id && { callerId: next.caller_id }),
  });
  if (next.number.startsWith("sip:")) dial.sip(next.number);
  else {
    dial.number(
      next.detect_answerer ? { machineDetection: "Enable", amdStatusCallback: urls.transferAnswerer } : {},
      next.number,
    );
  }
  return response.toString();
}

/** The carrier hears of a busy line; nothing is billed. */
export function rejectMarkup(reason: "rejected" | "busy" = "rejected"): string {
  const response = new VoiceResponse();
  response.reject({ reason });
  return response.toString();
}

export function hangupMarkup(): string {
  const response = new VoiceResponse();
  response.hangup();
  return response.toString();
}

/** For a text that came in: its answer is sent on its own. */
export const EMPTY_MARKUP = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>';
