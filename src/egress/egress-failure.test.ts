import { expect, test } from "vitest";
import { failureOf, fetchFailureWords } from "./egress-failure.ts";

const failed = (code: string, syscall?: string) =>
  Object.assign(new Error("inner words"), { code, ...(syscall && { syscall }) });

test.each([
  ["a name without an address", failed("ENOTFOUND"), true],
  ["nobody who listens", failed("ECONNREFUSED", "connect"), true],
  ["no way there", failed("EHOSTUNREACH", "connect"), true],
  ["no way to any of its addresses", new AggregateError([failed("ENETUNREACH", "connect")]), true],
  ["a certificate of somebody else", failed("ERR_TLS_CERT_ALTNAME_INVALID"), true],
  ["a certificate that is too old", failed("CERT_HAS_EXPIRED"), true],
  // The way there was lost when the request may have gone it.
  ["a connection that lost its way", failed("EHOSTUNREACH", "read"), false],
  ["one that was reset", failed("ECONNRESET", "read"), false],
  ["one whose encryption broke", failed("ERR_SSL_BAD_RECORD_TYPE"), false],
  ["words that only say so", new Error("x refused the connection"), false],
])("after %s, whether anything was sent is not guessed from words", (_what, error, nothing_sent) => {
  expect(failureOf(error, "x.example")).toMatchObject({ kind: "failed", nothing_sent });
});

const fetchFailed = (cause: Error) => new TypeError("fetch failed", { cause });

test.each([
  ["a refusal", fetchFailed(failed("ECONNREFUSED")), "x.example:8080 refused the connection"],
  [
    "a certificate nobody vouches for",
    fetchFailed(failed("DEPTH_ZERO_SELF_SIGNED_CERT")),
    "no trusted TLS connection to x.example:8080 (DEPTH_ZERO_SELF_SIGNED_CERT)",
  ],
  [
    "a host that hangs",
    fetchFailed(failed("UND_ERR_HEADERS_TIMEOUT")),
    "x.example:8080 took the request and did not answer in time",
  ],
  ["a port that fetch does not call", fetchFailed(new Error("bad port")), "bad port"],
])("of a command's call it is said why it failed: %s", (_what, error, words) => {
  expect(fetchFailureWords(error, "https://x.example:8080/api")).toBe(words);
});
