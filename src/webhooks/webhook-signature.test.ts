import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { signedHeaders, verifySignature } from "./webhook-signature.ts";

type Vector = {
  about: string;
  secret: string;
  id: string;
  timestamp: number;
  body: string;
  signature: string;
  plain_signature: string;
};
const VECTORS: Vector[] = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, "../../docs/webhook-vectors.json"), "utf8"),
);

test.each(VECTORS)(
  "the published vector of $about is signed so",
  ({ secret, id, timestamp, body, signature, plain_signature }) => {
    const at = new Date(timestamp * 1000 + 999);
    expect(signedHeaders({ id, at, body }, [secret])).toEqual({
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signature,
      "x-parley-signature": plain_signature,
    });
    expect(new Webhook(secret).sign(id, at, body)).toBe(signature);
  },
);

const secrets = fc
  .uint8Array({ minLength: 32, maxLength: 512 })
  .map((bytes) => Buffer.from(bytes).toString("base64"));
const bodies = fc.json();

test("for all secrets and bodies, the standardwebhooks library signs the same and verifies ours", () => {
  fc.assert(
    fc.property(secrets, bodies, (secret, body) => {
      const at = new Date();
      const headers = signedHeaders({ id: "msg_x", at, body }, [secret]);
      expect(new Webhook(secret).sign("msg_x", at, body)).toBe(headers["webhook-signature"]);
      expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
    }),
    { numRuns: rounds(200) },
  );
});

describe("while a secret is replaced", () => {
  test("receivers that know either one of the two accept", () => {
    fc.assert(
      fc.property(secrets, secrets, bodies, (next, previous, body) => {
        const headers = signedHeaders({ id: "msg_x", at: new Date(), body }, [next, previous]);
        for (const secret of [next, previous]) {
          expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
        }
      }),
      { numRuns: rounds(50) },
    );
  });
});

test("the plain header is the HMAC in hex over the time and the exact bytes, one for every secret", () => {
  fc.assert(
    fc.property(fc.array(secrets, { minLength: 1, maxLength: 2 }), bodies, (known, body) => {
      const headers = signedHeaders({ id: "msg_x", at: new Date(1_700_000_000_999), body }, known);
      const macs = known.map((secret) =>
        createHmac("sha256", Buffer.from(secret, "base64")).update(`1700000000.${body}`).digest("hex"),
      );
      expect(headers["x-parley-signature"]).toBe(`t=1700000000,${macs.map((mac) => `v1=${mac}`).join(",")}`);
    }),
    { numRuns: rounds(100) },
  );
});

test("without a secret there is no signature", () => {
  expect(signedHeaders({ id: "msg_x", at: new Date(0), body: "{}" }, [])).toEqual({
    "webhook-id": "msg_x",
    "webhook-timestamp": "0",
  });
});

describe("a receiver of ours", () => {
  const now = new Date("2026-11-18T12:00:00Z");
  const secret = Buffer.alloc(32, 1).toString("base64");
  const sent = (at: Date) => signedHeaders({ id: "msg_x", at, body: "{}" }, [secret]);

  test.each([
    ["as it was sent", {}, "{}", "VALID"],
    ["five minutes old", { ...sent(new Date(now.getTime() - 300_000)) }, "{}", "VALID"],
    ["older", { ...sent(new Date(now.getTime() - 301_000)) }, "{}", "INVALID"],
    ["of a clock far ahead", { ...sent(new Date(now.getTime() + 301_000)) }, "{}", "INVALID"],
    ["with another body", {}, "{} ", "INVALID"],
    ["with another id", { "webhook-id": "msg_y" }, "{}", "INVALID"],
    ["without an id", { "webhook-id": "" }, "{}", "INVALID"],
    ["with a timestamp that is none", { "webhook-timestamp": "now" }, "{}", "INVALID"],
    ["with a signature of no version", { "webhook-signature": "x" }, "{}", "INVALID"],
    ["unsigned", { "webhook-signature": undefined }, "{}", "UNSIGNED"],
  ])("judges a message %s", (_name, more, body, verdict) => {
    expect(verifySignature({ ...sent(now), ...more }, body, secret, now)).toBe(verdict);
  });
});
