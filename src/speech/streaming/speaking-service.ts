import type { KeyAccess } from "../../accounts/provider-keys.ts";
import type { Aligned } from "../../audio/playout.ts";

/** What of a service's voices is to speak, as the service itself names it. */
export type ServiceVoice = { id: string; model: string };

export type StreamedUtterance = {
  text: string;
  /** BCP 47. */
  language: string;
  voice: ServiceVoice;
  speed: number | null;
};

/** What a service tells of one utterance. Positions count from its first sample. */
export type StreamedPart =
  | { type: "audio"; samples: Int16Array }
  | { type: "aligned"; aligned: Aligned[] }
  | { type: "done" }
  | { type: "fault"; message: string };

/** A service that speaks over a WebSocket: its messages, one for one. Pure; `remote-voice.ts` has the socket. */
export type SpeakingService = {
  name: string;
  base_url: string;
  /** One socket is kept for each address. */
  connection(
    utterance: Omit<StreamedUtterance, "text">,
    access: Required<KeyAccess>,
  ): { url: string; headers: Record<string, string> };
  /** Begins and ends an utterance. */
  say(utterance: StreamedUtterance, context: string): object[];
  /** Ends an utterance early; null: only closing the socket does. */
  cancel(context: string): object | null;
  /** Reads one utterance's messages in order; null: of another utterance, or nothing that concerns it. */
  reader(utterance: StreamedUtterance, context: string): (message: unknown) => StreamedPart[];
  /** Sent before the socket is closed. */
  closing: object | null;
};

/** Samples a second of what all services are asked for. */
export const SPEAKING_RATE = 16_000;
