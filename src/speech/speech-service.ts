import { Fault, unreachable } from "../base/errors.ts";
import { tryParseJson } from "../base/parse-json.ts";
import type { Egress, EgressOutcome, EgressRequest } from "../egress/egress.ts";
import type { LanguageCode } from "./languages.ts";
import type { AgentVoice } from "./voices.ts";

/** Something to be spoken. `speed` 1 and `pitch` 0 (semitones) are the voice's own; null: not asked for. */
export type Speech = {
  text: string;
  language: LanguageCode;
  voice: AgentVoice;
  speed: number | null;
  pitch: number | null;
};

export type Sound = { bytes: Buffer; content_type: string };

/** Where a service is and how to prove who asks. */
export type SpeechAccess = { api_key: string; base_url?: string };

export type SpeechRequest = Pick<EgressRequest, "url" | "method" | "headers"> & { body?: string };

/** A service that speaks, over its HTTP API; the requests are pure. */
export type SpeechService = {
  name: string;
  base_url: string;
  /** Services that know voices by ids of their own are asked for them by name first. */
  lookUp?: {
    request(speech: Speech, access: Required<SpeechAccess>): SpeechRequest;
    /** null: this account has no such voice. */
    idIn(answer: unknown, speech: Speech): string | null;
  };
  request(speech: Speech, access: Required<SpeechAccess>, voice_id: string): SpeechRequest;
  /** Of an answer; null where there is no sound in it. */
  soundOf(body: Buffer): Buffer | null;
  /** The words of its error. */
  problemIn(answer: unknown): string | null;
};

const TIMEOUT_MS = 30_000;
const MAX_SOUND_bytes = 20 * 1024 * 1024;

/** The bytes of an MP3, or a `Fault` that says why there are none. */
export async function speak(
  egress: Egress,
  service: SpeechService,
  given: SpeechAccess,
  speech: Speech,
): Promise<Sound> {
  const access = { base_url: service.base_url, ...given };
  const id = await voiceId(egress, service, access, speech);
  const bytes = service.soundOf(await ask(egress, service, service.request(speech, access, id)));
  if (!bytes || bytes.length === 0)
    throw new Fault("unavailable", `${service.name} answered without any sound.`);
  return { bytes, content_type: "audio/mpeg" };
}

/** What the account knows a voice by; empty where the service knows voices by their names. */
export async function voiceId(
  egress: Egress,
  service: SpeechService,
  given: SpeechAccess,
  speech: Speech,
): Promise<string> {
  if (!service.lookUp) return "";
  const access = { base_url: service.base_url, ...given };
  const answer = await ask(egress, service, service.lookUp.request(speech, access));
  const found = service.lookUp.idIn(tryParseJson(answer), speech);
  if (found === null) {
    throw new Fault(
      "refused",
      `The ${service.name} account of this installation has no voice ${speech.voice.display_name}.`,
    );
  }
  return found;
}

/** One request of a service, and the bytes of its answer; a `Fault` says why there are none. */
export async function ask(
  egress: Egress,
  service: Pick<SpeechService, "name" | "problemIn">,
  request: SpeechRequest,
  signal?: AbortSignal,
): Promise<Buffer> {
  const outcome = await egress.send({
    ...request,
    timeout_ms: TIMEOUT_MS,
    max_response_bytes: MAX_SOUND_bytes,
    httpsOnly: true,
    ...(signal && { signal }),
  });
  if (outcome.kind === "response" && outcome.status === 200 && !outcome.truncated) return outcome.body;
  throw faultOf(service, outcome);
}

function faultOf(
  { name, problemIn }: Pick<SpeechService, "name" | "problemIn">,
  outcome: EgressOutcome,
): Fault {
  switch (outcome.kind) {
    case "response": {
      if (outcome.truncated)
        return new Fault("refused", `${name} made more sound of this text than can be taken.`);
      const words = problemIn(tryParseJson(outcome.body)) ?? "no reason given";
      const message = `${name} answered ${outcome.status}: ${words.slice(0, 300)}`;
      if (outcome.status === 429) return new Fault("too-many", message, { retry_after_s: 10 });
      return new Fault(
        outcome.status >= 500 || outcome.status === 401 || outcome.status === 403 ? "unavailable" : "refused",
        message,
      );
    }
    case "redirect":
      return new Fault("unavailable", `${name} redirected the request; its base URL may be wrong.`);
    case "refused":
      return new Fault("unavailable", `${name} can't be reached: ${outcome.reason}.`);
    case "timeout":
      return new Fault("unavailable", `${name} did not answer within ${outcome.after_ms} ms.`);
    case "failed":
      return new Fault("unavailable", `${name} can't be reached: ${outcome.reason}.`);
    default:
      return unreachable(outcome);
  }
}
