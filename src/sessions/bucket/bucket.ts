import type { Readable } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import type { BucketSettings } from "../../config/bucket.ts";
import { createEgress, type Egress, type EgressOutcome, type EgressRequest } from "../../egress/egress.ts";
import type { EgressRules } from "../../egress/egress-address.ts";
import { parseEgressAllow } from "../../egress/egress-allow.ts";
import { EMPTY_HASH, signedHeaders } from "./sign-v4.ts";

type ObjectFacts = { bytes: number; sha256: string };

/** A bucket of an S3 store. Each method throws a `BucketProblem` for what the store does. */
export type RecordingBucket = {
  put(key: string, body: Readable, facts: ObjectFacts): Promise<void>;
  /** Null where there is no such object. */
  facts(key: string): Promise<ObjectFacts | null>;
  /** From `start` to `end`, both included. */
  read(key: string, start: number, end: number): Promise<Buffer>;
  /** Nothing happens where there is no such object. */
  remove(key: string): Promise<void>;
  close(): Promise<void>;
};

/** What the store did, in a sentence for the operator. */
export class BucketProblem extends Error {}

const ASK_MS = 20_000;
/** An hour of a call is 115 MB. */
const PUT_MS = 600_000;
const MOST_READ_BYTES = 4 * 2 ** 20;

/** The operator chose the address, so it is reached although it may be private. */
export function createBucket(
  settings: BucketSettings,
  { clock, allow }: { clock: Clock; allow: EgressRules },
): RecordingBucket {
  const base = new URL(settings.endpoint);
  const port = base.port || (base.protocol === "https:" ? "443" : "80");
  const own = parseEgressAllow(`${base.hostname}:${port}`);
  const rules = own.ok ? own.rules : { hosts: [], networks: [] };
  const egress: Egress = createEgress({
    allow: { hosts: [...allow.hosts, ...rules.hosts], networks: [...allow.networks, ...rules.networks] },
  });

  const send = (
    method: EgressRequest["method"],
    key: string,
    more: {
      headers?: Record<string, string>;
      plain?: Record<string, string>;
      hash?: string;
    } & Partial<EgressRequest> = {},
  ): Promise<EgressOutcome> => {
    const { headers = {}, plain = {}, hash = EMPTY_HASH, ...request } = more;
    const url = new URL(`${settings.endpoint}/${settings.bucket}/${key}`);
    const signed = signedHeaders(settings, { method, url, headers, body_hash: hash, at: clock.now() });
    return egress.send({
      url: url.href,
      method,
      headers: { ...signed, ...plain },
      timeout_ms: ASK_MS,
      max_response_bytes: MOST_READ_BYTES,
      ...request,
    });
  };

  return {
    async put(key, body, { bytes, sha256 }) {
      const outcome = await send("PUT", key, {
        body,
        body_bytes: bytes,
        hash: sha256,
        headers: { "x-amz-meta-sha256": sha256 },
        plain: { "content-type": "application/octet-stream" },
        timeout_ms: PUT_MS,
      }).finally(() => body.destroy());
      answered(outcome, [200]);
    },
    async facts(key) {
      const { status, headers } = answered(await send("HEAD", key), [200, 404]);
      if (status === 404) return null;
      return { bytes: Number(headers["content-length"]), sha256: headers["x-amz-meta-sha256"] ?? "" };
    },
    async read(key, start, end) {
      const range = `bytes=${start}-${end}`;
      const { body } = answered(await send("GET", key, { plain: { range } }), [206]);
      if (body.length !== end - start + 1)
        throw new BucketProblem("The bucket answered with fewer bytes than it has.");
      return body;
    },
    async remove(key) {
      answered(await send("DELETE", key), [200, 204, 404]);
    },
    close: () => egress.close(),
  };
}

function answered(outcome: EgressOutcome, fine: number[]): Extract<EgressOutcome, { kind: "response" }> {
  switch (outcome.kind) {
    case "response": {
      if (fine.includes(outcome.status)) return outcome;
      const code = /<Code>(\w{1,60})<\/Code>/.exec(outcome.body.toString("utf8", 0, 10_000))?.[1];
      throw new BucketProblem(`The bucket answered ${outcome.status}${code ? ` (${code})` : ""}.`);
    }
    case "redirect":
      throw new BucketProblem(
        `The bucket answered with a redirect (${outcome.status}): check S3_ENDPOINT and S3_REGION.`,
      );
    case "timeout":
      throw new BucketProblem(`The bucket did not answer within ${outcome.after_ms / 1000} s.`);
    case "refused":
    case "failed":
      throw new BucketProblem(`The bucket can't be reached: ${outcome.reason}`);
  }
}
