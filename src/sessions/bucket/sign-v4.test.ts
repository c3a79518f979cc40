import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { EMPTY_HASH, signedHeaders } from "./sign-v4.ts";

/** The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
const settings = {
  region: "us-east-1",
  access_key_id: "AKIAIOSFODNN7EXAMPLE",
  secret_access_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};
const at = new Date("2013-05-24T00:00:00Z");
const host = "https://examplebucket.s3.amazonaws.com";

test.each([
  [
    "GET",
    "/test.txt",
    { range: "bytes=0-9" },
    EMPTY_HASH,
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  ],
  [
    "PUT",
    "/test%24file.text",
    { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
    createHash("sha256").update("Welcome to Amazon S3.").digest("hex"),
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  ],
])(
  "the published example of a %s has the published signature",
  (method, path, headers, body_hash, signature) => {
    const sent = signedHeaders(settings, {
      method,
      url: new URL(host + path),
      headers: headers as Record<string, string>,
      body_hash,
      at,
    });
    expect(sent.authorization).toContain(`Signature=${signature}`);
  },
);
