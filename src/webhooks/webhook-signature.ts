import { createHmac } from "node:crypto";
import { equalInConstantTime } from "../base/crypto.ts";

/**
 * The signature of Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over `<id>.<timestamp>.<body>`,
 * each `v1,<Base64>`, one for every secret that counts. A secret is what its standard Base64 decodes to.
 */
type SignedHeaders = {
  "webhook-id": string;
  /** Seconds since 1970, of this try. */
  "webhook-timestamp": string;
  /** Both are absent for a webhook without a secret. */
  "webhook-signature"?: string;
  /**
   * For receivers without a library, in the one form that most of the field knows: `t=<seconds>,v1=<hex>` of the
   * HMAC-SHA256 over `<seconds>.<body>`, a `v1` for every secret.
   */
  "x-parley-signature"?: string;
};

type Message = { id: string; at: Date; body: string };

export function signedHeaders({ id, at, body }: Message, secrets: string[]): SignedHeaders {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(secrets.length > 0 && {
      "webhook-signature": secrets.map((secret) => signature(secret, id, timestamp, body)).join(" "),
      "x-parley-signature": [
        `t=${timestamp}`,
        ...secrets.map((secret) => plain(secret, timestamp, body)),
      ].join(","),
    }),
  };
}

type Body = string | Uint8Array;

const mac = (secret: string, before: string, body: Body) =>
  createHmac("sha256", Buffer.from(secret, "base64")).update(before).update(body);
const signature = (secret: string, id: string, timestamp: string, body: Body): string =>
  `v1,${mac(secret, `${id}.${timestamp}.`, body).digest("base64")}`;
const plain = (secret: string, timestamp: string, body: Body): string =>
  `v1=${mac(secret, `${timestamp}.`, body).digest("hex")}`;

/** Messages with a timestamp further off than this are refused as replayed by an attacker. */
const TOLERANCE_s = 300;

export type Verdict = "VALID" | "INVALID" | "UNSIGNED";

/** The verification that every receiver should do, here for the built-in inbox. */
export function verifySignature(
  headers: Record<string, string | undefined>,
  body: Body,
  secret: string,
  now: Date,
): Verdict {
  const given = headers["webhook-signature"];
  if (given === undefined) return "UNSIGNED";
  const id = headers["webhook-id"] ?? "";
  const timestamp = headers["webhook-timestamp"] ?? "";
  const age_s = Math.abs(now.getTime() / 1000 - Number(timestamp));
  if (id === "" || !/^\d+$/.test(timestamp) || age_s > TOLERANCE_s) return "INVALID";
  const expected = signature(secret, id, timestamp, body);
  return given.split(" ").some((one) => equalInConstantTime(one, expected)) ? "VALID" : "INVALID";
}
