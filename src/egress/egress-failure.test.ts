import { expect, test } from "vitest";
import { failureOf } from "./egress-failure.ts";

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
