import { ApiError } from "./api-error.ts";
import { type Operations, PLACES } from "./operations.ts";

export type OperationId = keyof Operations;
type Input<Id extends OperationId> = Operations[Id]["input"];
type Answer<Id extends OperationId> = Operations[Id]["answer"];

/** Operations of which nothing is required can be called without an input. */
type Call<Id extends OperationId> =
  Record<never, never> extends Input<Id>
    ? (input?: Input<Id>, options?: CallOptions) => Promise<Answer<Id>>
    : (input: Input<Id>, options?: CallOptions) => Promise<Answer<Id>>;

/** One function for every operation of the API, under its operationId. */
export type ParleyClient = { [Id in OperationId]: Call<Id> };

export type CallOptions = { signal?: AbortSignal };

export type ClientOptions = {
  /** Where Parley answers, such as https://parley.example.com. */
  baseUrl: string;
  /** An API token, or what gives the current one. */
  token: string | (() => string);
  /** How often a GET that was answered 429 or 503 is sent again. */
  retries?: number;
  fetch?: typeof fetch;
  /** Waits before a call is sent again. */
  wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
};

type AnyInput = { path?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown };

export function createClient(options: ClientOptions): ParleyClient {
  const base = options.baseUrl.replace(/\/+$/, "");
  const calls = Object.entries(PLACES).map(([id, [method, path]]) => [
    id,
    async (input: AnyInput = {}, { signal }: CallOptions = {}) => {
      const url = `${base}${withPath(path, input.path)}${withQuery(input.query)}`;
      return readAnswer(await send(options, method, url, input.body, signal), id);
    },
  ]);
  return Object.fromEntries(calls) as ParleyClient;
}

/** Only a GET is sent again: whether another call changed something before it failed is not known. */
async function send(
  options: ClientOptions,
  method: string,
  url: string,
  body: unknown,
  signal?: AbortSignal,
) {
  const { token, retries = 3, wait = waitFor } = options;
  const isRaw = body instanceof FormData || body instanceof URLSearchParams;
  for (let tried = 0; ; tried++) {
    const response = await (options.fetch ?? fetch)(url, {
      method,
      headers: {
        "Service-API-Key": typeof token === "string" ? token : token(),
        ...(body !== undefined && !isRaw && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
      // Followed, it would make a POST a GET that does nothing, and take the token wherever it leads.
      redirect: "manual",
    });
    const isBusy = response.status === 429 || response.status === 503;
    if (!isBusy || method !== "GET" || tried >= retries) return response;
    await response.body?.cancel();
    await wait(pause_ms(response.headers.get("retry-after"), tried), signal);
  }
}

const MAX_PAUSE_ms = 60_000;

/** What Retry-After says in seconds or as a date; without it half a second, doubled with each try. */
function pause_ms(retryAfter: string | null, tried: number): number {
  const seconds = Number(retryAfter ?? Number.NaN);
  const asked = Number.isNaN(seconds) ? Date.parse(retryAfter ?? "") - Date.now() : seconds * 1000;
  return Math.min(MAX_PAUSE_ms, Math.max(0, Number.isNaN(asked) ? 500 * 2 ** tried : asked));
}

function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function withPath(path: string, values: Record<string, unknown> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    // An empty, "." or ".." part would be another operation's address.
    if (value === undefined || /^\.{0,2}$/.test(String(value))) {
      throw new TypeError(`The path needs a value for ${name}.`);
    }
    return encodeURIComponent(String(value));
  });
}

function withQuery(values: Record<string, unknown> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) query.append(name, String(one));
    }
  }
  return query.size > 0 ? `?${query}` : "";
}

async function readAnswer(response: Response, operation: string): Promise<unknown> {
  const type = response.headers.get("content-type") ?? "";
  if (isRedirect(response)) throw new ApiError(operation, response.status, whereTo(response));
  if (type.startsWith("text/html")) throw new ApiError(operation, response.status, NO_API);
  if (!response.ok) throw new ApiError(operation, response.status, await response.text());
  if (response.status === 204) return null;
  if (type.includes("json")) return response.json();
  return type.startsWith("text/") ? response.text() : new Uint8Array(await response.arrayBuffer());
}

/** A browser tells nothing of a redirect but that there was one. */
const isRedirect = ({ status, type }: Response): boolean =>
  type === "opaqueredirect" || (status >= 300 && status < 400);

function whereTo({ headers, url }: Response): string {
  const location = headers.get("location");
  // Not URL.parse, which Node.js 20 and browsers of 2023 lack.
  const to = location !== null && URL.canParse(location, url) ? new URL(location, url) : null;
  const place = to ? `to ${to.origin}${to.pathname}` : "elsewhere";
  return `This address redirects ${place}, and redirects are not followed. Call the address it redirects to.`;
}

const NO_API =
  "A web page came back instead of an answer from Parley. Check the address, and any proxy in front of it.";
