import type { SettingReader } from "./setting-reader.ts";

/** A bucket of a store that speaks S3, and the key to it. */
export type BucketSettings = {
  endpoint: string;
  region: string;
  /** With a folder in it, where the setting names one. */
  bucket: string;
  access_key_id: string;
  secret_access_key: string;
};

/** The five settings of the bucket for recordings: all of them, or none. */
export function readBucket({ given, url, faults }: SettingReader): BucketSettings | null {
  const names = ["S3_ENDPOINT", "S3_REGION", "S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"];
  const missing = names.filter((name) => given(name) === null);
  if (missing.length === names.length) return null;
  if (missing.length > 0) {
    faults.push(
      `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing; recordings go to a bucket with all five, or stay on disk.`,
    );
    return null;
  }
  const endpoint = url("S3_ENDPOINT", ["https:", "http:"]);
  const [, region = "", bucket = "", access_key_id = "", secret_access_key = ""] = names.map(given);
  if (endpoint !== null && new URL(endpoint).pathname !== "/")
    faults.push("S3_ENDPOINT has a path; give the address of the store alone, without the bucket.");
  if (!/^[a-z0-9-]{1,60}$/.test(region ?? ""))
    faults.push(`S3_REGION is "${region}"; use lower-case letters, digits and hyphens (us-east-1, auto).`);
  if (!/^[a-z0-9][a-z0-9.-]{1,62}(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(bucket ?? ""))
    faults.push(
      `S3_BUCKET is "${bucket}"; give a bucket's name, and a folder in it if you like: calls/parley.`,
    );
  if (!/^[\x21-\x7e]+$/.test(`${access_key_id}${secret_access_key}`))
    faults.push("S3_ACCESS_KEY_ID or S3_SECRET_ACCESS_KEY has a character that keys don't have.");
  if (endpoint === null) return null;
  return {
    endpoint,
    region: region ?? "",
    bucket: bucket ?? "",
    access_key_id: access_key_id ?? "",
    secret_access_key: secret_access_key ?? "",
  };
}
