import {
  AISDKError,
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  TypeValidationError,
} from "@ai-sdk/provider";
import { PublicError } from "../base/errors.ts";
import { cutTo } from "../base/storable.ts";
import { askedWait } from "../egress/asked-wait.ts";
import { PROVIDER_NAMES, type Provider } from "./catalogue.ts";
import { EndlessAnswer } from "./guarded-fetch.ts";
import { abortedError, ModelError } from "./model.ts";

type ProviderCall = { provider: Provider; model: string; api_key: string; signal: AbortSignal };

/** Enough of the provider's own words to act on, not a page of HTML. */
const LONGEST_QUOTE = 300;

/** Whatever the provider library or the network threw, in a sentence for the person who runs the agent. */
export function providerError(error: unknown, call: ProviderCall): ModelError {
  if (error instanceof ModelError) return error;
  if (call.signal.aborted) return abortedError(call.provider, call.signal);
  const name = PROVIDER_NAMES[call.provider];
  const endless = causes(error).find((cause) => cause instanceof EndlessAnswer);
  if (endless) {
    const text = `The answer of ${name} is ${endless.message} long and was not read on.`;
    return new ModelError("broken-answer", call.provider, text, { cause: error });
  }
  if (APICallError.isInstance(error)) return apiError(error, call);
  const streamed = streamedError(error);
  if (streamed) return statusError(streamed.status, streamed.message, call, { cause: error });
  if (unreadable(error)) {
    return new ModelError("broken-answer", call.provider, `The answer of ${name} could not be read.`, {
      cause: error,
    });
  }
  if (networkCode(error) !== null) return brokeOff(call.provider, error);
  const told = causes(error).find((cause) => cause instanceof PublicError || AISDKError.isInstance(cause));
  const why = told ? quote(told.message, call) : "a fault of the program";
  return new ModelError("refused", call.provider, `${name} could not be asked: ${why}`, { cause: error });
}

/** The connection ended, cleanly or not, before the provider said that it was done. */
export const brokeOff = (provider: Provider, cause?: unknown): ModelError =>
  new ModelError("broken-answer", provider, `The answer of ${PROVIDER_NAMES[provider]} broke off.`, {
    cause,
    retryable: true,
  });

function apiError(error: APICallError, call: ProviderCall): ModelError {
  const name = PROVIDER_NAMES[call.provider];
  if (error.statusCode === undefined) {
    return new ModelError(
      "unavailable",
      call.provider,
      `${name} could not be reached (${networkCode(error) ?? "no answer"}).`,
      { cause: error },
    );
  }
  if (error.statusCode < 400) {
    if (networkCode(error) !== null) return brokeOff(call.provider, error);
    return new ModelError("broken-answer", call.provider, `The answer of ${name} could not be read.`, {
      status: error.statusCode,
      cause: error,
    });
  }
  return statusError(error.statusCode, error.message, call, {
    cause: error,
    request_id: requestIdOf(error.responseHeaders ?? {}),
    retry_after_ms: askedWait(error.responseHeaders ?? {}),
    out_of_credit: errorCode(error.data) === "insufficient_quota",
    too_long: errorCode(error.data) === "context_length_exceeded",
  });
}

function statusError(
  status: number,
  message: string,
  call: ProviderCall,
  more: {
    cause: unknown;
    retry_after_ms?: number | null;
    request_id?: string | null;
    out_of_credit?: boolean;
    too_long?: boolean;
  },
): ModelError {
  const name = PROVIDER_NAMES[call.provider];
  const make = (kind: ModelError["kind"], text: string, retryable?: boolean) =>
    new ModelError(kind, call.provider, `${text} (HTTP ${status})`, {
      status,
      cause: more.cause,
      retry_after_ms: more.retry_after_ms ?? null,
      request_id: more.request_id ?? null,
      ...(retryable === undefined ? {} : { retryable }),
    });
  // Providers quote the key they were given, so their own words are left out here.
  if (status === 413) return make("too-long", `The conversation is too long for ${name}.`);
  if (status === 401) return make("not-authorized", `${name} refused the API key; check the one configured.`);
  if (status === 403) return make("not-authorized", `${name} does not let this API key use “${call.model}”.`);
  if (status === 404) return make("refused", `${name} does not know the model “${call.model}”.`);
  if (more.out_of_credit) return make("rate-limited", `${name} has no credit left for this API key.`, false);
  if (status === 429) return make("rate-limited", `${name} is asked too often at the moment.`);
  if (more.too_long || TOO_LONG.test(message))
    return make("too-long", `The conversation is too long for “${call.model}” of ${name}.`);
  if (status === 408) return make("unavailable", `${name} took too long.`);
  if (status >= 500) return make("unavailable", `${name} has a fault of its own: ${quote(message, call)}`);
  return make("refused", `${name} refused the request: ${quote(message, call)}`);
}

/**
 * OpenAI's and Azure's code is in the words of those who imitate them, too; Anthropic and Google have only words, and so
 * have llama.cpp ("available context size"), vLLM ("maximum model length") and TGI (the last two).
 */
const TOO_LONG =
  /context[_ ](length|size)|context window|maximum (context|model length)|(prompt|input) is too long|too many (input )?tokens|input token count.{0,40}exceeds|reduce the length of|must have less than \d+ tokens|`max_new_tokens` must be <=/i;

/** Errors that arrive inside a stream that began well: the library's own kind, or the provider's JSON as it came. */
function streamedError(error: unknown): { status: number; message: string } | null {
  if (typeof error !== "object" || error === null || !("message" in error)) return null;
  const { message, statusCode, type } = error as { message: unknown; statusCode?: unknown; type?: unknown };
  if (typeof message !== "string") return null;
  if (typeof statusCode === "number" && statusCode >= 400) return { status: statusCode, message };
  if (error instanceof Error) return null;
  return { status: type === "overloaded_error" ? 529 : 500, message };
}

function unreadable(error: unknown): boolean {
  return (
    JSONParseError.isInstance(error) ||
    TypeValidationError.isInstance(error) ||
    InvalidResponseDataError.isInstance(error)
  );
}

/** The code of the network fault behind an error; `terminated` is how fetch reports a body that was cut. */
function networkCode(error: unknown): string | null {
  for (const cause of causes(error)) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string" && /^(E[A-Z]{3,}|UND_ERR_|HPE_)/.test(code)) return code;
    if (cause instanceof TypeError && cause.message === "terminated") return "terminated";
  }
  return null;
}

/** The error itself, what caused it, and so on. */
function causes(error: unknown): Error[] {
  const all: Error[] = [];
  for (let at = error; at instanceof Error && all.length < 8; at = at.cause) all.push(at);
  return all;
}

/** Each provider names it otherwise: OpenAI and those who imitate it, Anthropic, Azure, Google. */
export function requestIdOf(headers: Record<string, string>): string | null {
  const names = ["x-request-id", "request-id", "apim-request-id", "x-goog-request-id"];
  return names.map((name) => headers[name]).find((id) => id) ?? null;
}

function errorCode(data: unknown): unknown {
  const error = (data as { error?: { code?: unknown } } | null | undefined)?.error;
  return error?.code;
}

function quote(text: string, call: ProviderCall): string {
  const clean = call.api_key === "" ? text : text.replaceAll(call.api_key, "[key]");
  const line = clean.replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST_QUOTE ? `${cutTo(line, LONGEST_QUOTE)}…` : line;
}
