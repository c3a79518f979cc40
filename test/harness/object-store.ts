import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterFile } from "./after-file.ts";

type Stored = { bytes: Buffer; sha256: string };

/** A store on loopback that speaks as much of S3 as we use, and checks each signature by the documented steps. */
export type ObjectStore = {
  settings: {
    endpoint: string;
    region: string;
    bucket: string;
    access_key_id: string;
    secret_access_key: string;
  };
  objects: Map<string, Stored>;
  requests: string[];
  /** lose: it says yes and keeps nothing. damage: it keeps less than it got. */
  mood: "good" | "refuse" | "hang-up" | "lose" | "damage";
  /** Called before it answers to a PUT. */
  onPut: (() => Promise<void>) | null;
};

const SECRET = "wJalrXUtnFEMI/K7MDENG+example";

export async function createObjectStore(): Promise<ObjectStore> {
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  const store: ObjectStore = {
    settings: {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: "eu-test-1",
      bucket: "calls/parley",
      access_key_id: "AKIDEXAMPLE",
      secret_access_key: SECRET,
    },
    objects: new Map(),
    requests: [],
    mood: "good",
    onPut: null,
  };

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces);
    const { method = "", url = "", headers } = request;
    store.requests.push(`${method} ${url}`);
    const refuse = (status: number, code: string) =>
      response
        .writeHead(status, { "content-type": "application/xml" })
        .end(`<Error><Code>${code}</Code></Error>`);
    if (store.mood === "hang-up") return void response.destroy();
    if (store.mood === "refuse") return void refuse(403, "AccessDenied");
    if (!isSigned(request, body)) return void refuse(403, "SignatureDoesNotMatch");
    const key = url.slice(1);
    if (!key.startsWith("calls/parley/")) return void refuse(404, "NoSuchBucket");
    const found = store.objects.get(key);
    switch (method) {
      case "PUT": {
        if (headers["content-length"] === undefined) return void refuse(411, "MissingContentLength");
        await store.onPut?.();
        const kept = store.mood === "damage" ? body.subarray(1) : body;
        const sha256 = String(headers["x-amz-meta-sha256"]);
        if (store.mood !== "lose") store.objects.set(key, { bytes: kept, sha256 });
        return void response.writeHead(200).end();
      }
      case "HEAD": {
        if (!found) return void response.writeHead(404).end();
        const known = { "content-length": found.bytes.length, "x-amz-meta-sha256": found.sha256 };
        return void response.writeHead(200, known).end();
      }
      case "GET": {
        if (!found) return void refuse(404, "NoSuchKey");
        const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
        return void response.writeHead(206).end(found.bytes.subarray(Number(start), Number(end) + 1));
      }
      case "DELETE":
        store.objects.delete(key);
        return void response.writeHead(204).end();
      default:
        return void refuse(405, "MethodNotAllowed");
    }
  }
  return store;
}

/** The steps of the published signature version 4, on the request as it came over the wire. */
function isSigned({ method, url = "", headers }: IncomingMessage, body: Buffer): boolean {
  const told =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? "",
    );
  if (!told) return false;
  const [, id, day = "", region = "", names = "", signature] = told;
  const hash = createHash("sha256").update(body).digest("hex");
  if (id !== "AKIDEXAMPLE" || hash !== headers["x-amz-content-sha256"]) return false;
  const must = Object.keys(headers).filter((name) => name.startsWith("x-amz-"));
  const signed = names.split(";");
  if (![...must, "host"].every((name) => signed.includes(name))) return false;
  const lines = signed.map((name) => `${name}:${headers[name]}\n`).join("");
  const canonical = `${method}\n${url}\n\n${lines}\n${names}\n${hash}`;
  const digest = createHash("sha256").update(canonical).digest("hex");
  const text = `AWS4-HMAC-SHA256\n${headers["x-amz-date"]}\n${day}/${region}/s3/aws4_request\n${digest}`;
  let key: Buffer = Buffer.from(`AWS4${SECRET}`);
  for (const part of [day, region, "s3", "aws4_request"])
    key = createHmac("sha256", key).update(part).digest();
  return createHmac("sha256", key).update(text).digest("hex") === signature;
}
