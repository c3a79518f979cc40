import { createHash, createHmac } from "node:crypto";

/** Signature version 4, as S3, R2 and MinIO read it: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
type SigningSettings = { region: string; access_key_id: string; secret_access_key: string };

type SignedRequest = {
  method: string;
  url: URL;
  /** Beside `host` and the date; names in lower case. All of them are signed. */
  headers: Record<string, string>;
  /** SHA-256 of the body, in hexadecimal. */
  body_hash: string;
  at: Date;
};

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const sha256Of = (text: string) => createHash("sha256").update(text).digest("hex");
export const EMPTY_HASH: string = sha256Of("");

/** The headers to send, signature included. Pure. */
export function signedHeaders(
  { region, access_key_id, secret_access_key }: SigningSettings,
  { method, url, headers, body_hash, at }: SignedRequest,
): Record<string, string> {
  const time = at.toISOString().replace(/[-:]|\.\d+/g, "");
  const day = time.slice(0, 8);
  const sent = { ...headers, "x-amz-content-sha256": body_hash, "x-amz-date": time };
  const signed = Object.entries({ ...sent, host: url.host }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    method,
    url.pathname,
    url.search.slice(1),
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    "",
    names,
    body_hash,
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256Of(canonical)].join("\n");
  const key = [region, "s3", "aws4_request"].reduce(hmac, hmac(`AWS4${secret_access_key}`, day));
  const signature = hmac(key, text).toString("hex");
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${access_key_id}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}
