import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { API_KEY_HEADER } from "../../src/api/server.ts";
import { afterFile } from "../harness/after-file.ts";
import { createTestApp } from "../harness/app.ts";

const SUITE = path.resolve("node_modules/@modelcontextprotocol/conformance/dist/index.js");

/** The suite knows no tokens, so the server is reached through a door that adds one. */
let door: string;
let folder: string;
beforeAll(async () => {
  const app = await createTestApp();
  const { hostname, port } = new URL(await app.listen());
  const server = createServer((from, to) => {
    const headers = { ...from.headers, [API_KEY_HEADER]: app.token };
    const onward = request({ hostname, port, path: from.url, method: from.method, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    });
    from.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  door = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  folder = mkdtempSync(path.join(tmpdir(), "parley-mcp-"));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
});

/** Scenarios that are not run, with what they need and `/mcp` has not. */
const NOT_OURS: Record<string, RegExp> = {
  "tools of the suite's own (test_simple_text and others)": /^(tools-call-.+|json-schema-2020-12)$/,
  "resources, prompts, completion or logging, which are not offered":
    /^(resources-.+|prompts-.+|completion-complete|logging-set-level)$/,
  "questions to the client, which are not asked": /^elicitation-.+$/,
  "streams that outlive a request, of which there are none": /^server-sse-.+$/,
  "a server without a token: a page that is led to another name brings none": /^dns-rebinding-protection$/,
};
const OURS = ["server-initialize", "ping", "tools-list"];

test("each scenario of the suite is run, or left out for a reason", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [SUITE, "list"]);
  const servers = stdout.slice(0, stdout.indexOf("Client scenarios"));
  const scenarios = [...servers.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name);
  expect(scenarios.length).toBeGreaterThan(20);
  const isLeftOut = (name: string) => Object.values(NOT_OURS).some((pattern) => pattern.test(name));
  expect(scenarios.filter((name) => !isLeftOut(name))).toEqual(OURS);
});

test.each(OURS)("the protocol's own suite passes: %s", async (scenario) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [SUITE, "server", "--url", door, "--scenario", scenario],
    { cwd: folder },
  );
  expect(stdout).toMatch(/Passed: [1-9]/);
  expect(stdout).toContain(", 0 failed");
});
