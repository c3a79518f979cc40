import type { KeyAccess } from "../../accounts/provider-keys.ts";
import { SIGNS } from "../../base/writing/scripts.ts";
import { spaced } from "../../base/writing/words.ts";
import type { Heard, ListeningFor } from "../hearing.ts";

/** A service that hears over a WebSocket: its messages, one for one. Pure; `remote-ear.ts` has the socket. */
export type HearingService = {
  name: string;
  base_url: string;
  hears(language: string): boolean;
  /** How much audio goes into one message, in milliseconds: a multiple of 20. */
  chunk_ms: number;
  connection(
    listening: ListeningFor,
    access: Required<KeyAccess>,
  ): { url: string; headers: Record<string, string> };
  /** Sent before any audio. */
  opening(listening: ListeningFor): object[];
  /** Samples at `HEARING_RATE`. */
  audio(): (samples: Int16Array) => string | Uint8Array;
  /** Ends the turn now, in the service's count. */
  end_turn: object;
  closing: object | null;
  /** Types of messages that a service sends without having heard anything. */
  greetings: readonly string[];
  /** Reads one socket's messages in order. A `fault` means that the service hears no more. */
  reader(): (message: unknown) => Heard[];
};

/** An address of ws or wss from one that is written with http or https. */
export const socketUrl = (base_url: string, path: string, query: [string, string][]): string =>
  `${base_url.replace(/\/+$/, "").replace(/^http/, "ws")}${path}?${new URLSearchParams(query)}`;

/** Two signs of Chinese are a name, two letters of others nearly anything. */
const TERM = new RegExp(String.raw`^(?:${SIGNS}{2}|[\p{L}\p{M}\p{N}'’ \-]{3,40})$`, "v");

/** Short texts of what is expected: names and choices, of which a service takes a few to listen for. */
export const keyTerms = (expected: readonly string[], most: number): string[] =>
  [
    ...new Set(
      expected
        .map((text) => text.normalize().trim())
        .filter((text) => TERM.test(text) && spaced(text).trim().split(/\s+/).length <= 4),
    ),
  ].slice(0, most);
