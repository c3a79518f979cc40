import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const DOCS = path.resolve(import.meta.dirname, "../../../docs");
const PAGE = readFileSync(path.join(DOCS, "webhooks.md"), "utf8");
type Vector = {
  about: string;
  secret: string;
  id: string;
  timestamp: number;
  body: string;
  signature: string;
  plain_signature: string;
};
const VECTORS: Vector[] = JSON.parse(readFileSync(path.join(DOCS, "webhook-vectors.json"), "utf8"));

const snippet = (language: string): string => {
  const found = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(PAGE);
  if (!found?.[1]) throw new Error(`docs/webhooks.md has no ${language}`);
  return found[1];
};

/** Each vector as it is, and spoilt in every way that a receiver has to notice. */
const CASES = VECTORS.flatMap(({ about, secret, id, timestamp, body, signature }) => {
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signature,
  };
  const good = { about, secret, headers, body, now_s: timestamp + 5, valid: true };
  return [
    good,
    { ...good, headers: { ...headers, "webhook-signature": `v1,AAAA ${signature}` } },
    { ...good, now_s: timestamp + 300 },
    { ...good, now_s: timestamp + 301, valid: false },
    { ...good, now_s: timestamp - 301, valid: false },
    { ...good, body: `${body} `, valid: false },
    { ...good, headers: { ...headers, "webhook-id": `${id}x` }, valid: false },
    { ...good, headers: { ...headers, "webhook-timestamp": String(timestamp + 1) }, valid: false },
    { ...good, headers: { ...headers, "webhook-timestamp": "now" }, valid: false },
    { ...good, headers: { ...headers, "webhook-signature": "" }, valid: false },
    { ...good, secret: Buffer.alloc(32, 255).toString("base64"), valid: false },
  ];
});

/** The same for the plain header. */
const PLAIN = VECTORS.flatMap(({ about, secret, timestamp, body, plain_signature }) => {
  const good = { about, secret, header: plain_signature, body, now_s: timestamp + 5, valid: true };
  const mac = plain_signature.split(",")[1];
  return [
    good,
    { ...good, header: `t=${timestamp},v1=${"0".repeat(64)},${mac}` },
    { ...good, header: `t=${timestamp},v0=x,${mac}` },
    { ...good, now_s: timestamp + 300 },
    { ...good, now_s: timestamp + 301, valid: false },
    { ...good, now_s: timestamp - 301, valid: false },
    { ...good, body: `${body} `, valid: false },
    { ...good, header: `t=${timestamp + 1},${mac}`, valid: false },
    { ...good, header: `t=now,${mac}`, valid: false },
    { ...good, header: `${mac}`, valid: false },
    { ...good, header: `t=${timestamp}`, valid: false },
    { ...good, header: "", valid: false },
    { ...good, secret: Buffer.alloc(32, 255).toString("base64"), valid: false },
  ];
});

function inFolder(name: string, text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-verifier-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

test("the documented TypeScript verifies the published vectors, and nothing that was changed", async () => {
  const file = inFolder("verify.ts", snippet("ts"));
  const { verify, verifyPlain } = await import(pathToFileURL(file).href);
  for (const { secret, headers, body, now_s, valid, about } of CASES) {
    expect(verify(secret, headers, body, now_s), `${about} ${JSON.stringify(headers)}`).toBe(valid);
  }
  for (const { secret, header, body, now_s, valid, about } of PLAIN) {
    expect(verifyPlain(secret, header, body, now_s), `${about} ${header}`).toBe(valid);
  }
});

const PYTHON = `
import json, sys
signed, plain = json.load(sys.stdin)
# As dict(request.headers) of Flask and WSGI writes names.
titled = lambda headers: {name.title(): value for name, value in headers.items()}
print(json.dumps([
    [verify(c["secret"], c["headers"], c["body"].encode(), c["now_s"]) for c in signed],
    [verify(c["secret"], titled(c["headers"]), c["body"].encode(), c["now_s"]) for c in signed],
    [verify_plain(c["secret"], c["header"], c["body"].encode(), c["now_s"]) for c in plain],
]))
`;

test("so does the documented Python, however the names of headers are written", ({ skip }) => {
  const { error } = spawnSync("python3", ["--version"]);
  if (error) skip("this machine has no python3");
  const file = inFolder("verify.py", snippet("python") + PYTHON);
  const { stdout, stderr } = spawnSync("python3", [file], {
    input: JSON.stringify([CASES, PLAIN]),
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  const expected = [CASES, CASES, PLAIN].map((cases) => cases.map(({ valid }) => valid));
  expect(JSON.parse(stdout)).toEqual(expected);
});
