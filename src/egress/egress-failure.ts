import { errorText } from "../base/errors.ts";

/** Why an exchange broke, in a public sentence: it names the host and a stable code, never an inner address. */
type ExchangeFailure =
  | { kind: "connect-timeout" }
  | { kind: "failed"; reason: string; connection_reset: boolean; nothing_sent: boolean };

/** Codes of node, OpenSSL and undici that need more than their name; `$` stands for the host. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: "the name $ could not be resolved (ENOTFOUND)",
  EAI_AGAIN: "the name $ could not be resolved just now (EAI_AGAIN)",
  ECONNREFUSED: "$ refused the connection",
  EHOSTUNREACH: "$ cannot be reached from here (EHOSTUNREACH)",
  ENETUNREACH: "$ cannot be reached from here (ENETUNREACH)",
  EADDRNOTAVAIL: "$ cannot be reached from here (EADDRNOTAVAIL)",
  UND_ERR_HEADERS_TIMEOUT: "$ took the request and did not answer in time",
  UND_ERR_HEADERS_OVERFLOW: "$ answered with headers larger than 16 KiB",
  Z_DATA_ERROR: "$ answered with a body that its content-encoding does not fit",
  Z_BUF_ERROR: "$ answered with a compressed body that ends too early",
};

/** The other side, or a box between, ended a connection that had been made or was being made. */
const RESETS: ReadonlySet<string> = new Set(["ECONNRESET", "ECONNABORTED", "EPIPE", "UND_ERR_SOCKET"]);
const CONNECT_TIMEOUTS: ReadonlySet<string> = new Set(["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"]);
const NEVER_CONNECTED: ReadonlySet<string> = new Set(["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED"]);
/** What is sent waits until the certificate is found good. */
const CERTIFICATE = /^(ERR_TLS_CERT_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/;
const TLS_CODE = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO$)/;

export function failureOf(error: unknown, host: string): ExchangeFailure {
  const code = codeOf(error);
  if (CONNECT_TIMEOUTS.has(code)) return { kind: "connect-timeout" };
  return {
    kind: "failed",
    reason: reasonFor(code, host),
    connection_reset: RESETS.has(code),
    nothing_sent: NEVER_CONNECTED.has(code) || CERTIFICATE.test(code) || isOfConnecting(error),
  };
}

/** The same as words, for what goes out by another way than the egress. */
export function failureWords(error: unknown, host: string): string {
  const failure = failureOf(error, host);
  return failure.kind === "failed" ? failure.reason : `no connection to ${host} in time`;
}

/** Why `fetch` itself threw, for our own commands, which ask a Parley that their person named. */
export function fetchFailureWords(error: unknown, url: string): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const isCoded = cause instanceof AggregateError || (cause instanceof Error && "code" in cause);
  // Without a code it is fetch that refuses, as it does for the ports that browsers keep for mail and the like.
  return isCoded ? failureWords(cause, URL.parse(url)?.host ?? url) : errorText(cause);
}

export const isUntrustedCertificate = (error: unknown): boolean => CERTIFICATE.test(codeOf(error));

/** Linux tells of an unreachable host also where a connection that was made breaks: then the request may be there. */
const isOfConnecting = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.length > 0 && error.errors.every(isOfConnecting)
    : error instanceof Error && "syscall" in error && error.syscall === "connect";

function reasonFor(code: string, host: string): string {
  const known = code.startsWith("ERR__ERROR_FORMAT") ? REASONS.Z_DATA_ERROR : REASONS[code];
  if (known !== undefined) return known.replace("$", () => host);
  if (RESETS.has(code)) return `${host} closed the connection before its answer was complete`;
  if (TLS_CODE.test(code)) return `no trusted TLS connection to ${host} (${code})`;
  if (/^(HPE_|HTTPParserError$)/.test(code)) return `${host} did not answer in valid HTTP (${code})`;
  return `the exchange with ${host} failed (${code})`;
}

/** An error without a code goes by its class (undici's parser has such, and so would a bug of ours). */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "UNKNOWN";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
