import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import os from "node:os";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { newFolder, parley, run, until, usedFolder } from "./program.ts";
import { callerOf, createTold } from "./told-campaign.ts";
import { typedHere } from "./typed-here.ts";

const SECRET = Buffer.alloc(48, 3).toString("base64");

let folder: string;
let token: string | undefined;
beforeAll(async () => {
  const used = await usedFolder();
  folder = used.folder;
  token = used.greeting.token;
});

/** The program that somebody writes: takes what comes at /hook with 201. */
async function receiver(port = 0) {
  const taken: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      taken.push({
        path: incoming.url ?? "",
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
      });
      response.writeHead(201).end("thanks");
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return { taken, close, port: (server.address() as AddressInfo).port };
}

const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

test("hands each delivery on as it was signed, says what became of it, survives a target that is away, and ends by Ctrl-C", async () => {
  const platform = parley(["start"], { folder });
  const { url } = await platform.ready();
  const call = callerOf(url, token);
  const target = await receiver();
  const forward_to = `http://127.0.0.1:${target.port}/hook`;
  const env = { PORT: new URL(url).port };
  const listening = parley(["listen", "--forward-to", forward_to, "--inbox", "mine", "--json"], {
    folder,
    env,
  });
  const printed = async (count: number) => {
    await until(() => listening.stdout().split("\n").length > count);
    return linesOf(listening.stdout());
  };
  const [began] = await printed(1);
  expect(began).toMatchObject({ inbox: "mine", forward_to });
  const inboxes = (await call("GET", "/outbound/webhook_inboxes")).body.items;
  expect(inboxes.map((inbox: { name: string; url: string }) => inbox.url)).toEqual([began.url]);

  const { webhook_id } = await createTold(call, "mine", { hmac_secret: SECRET });
  const tell = async (status: string) =>
    (await call("POST", `/outbound/webhooks/${webhook_id}/test`, { status })).body.id as string;
  const first = await tell("HUMAN");
  const [, second] = await printed(2);
  expect(second).toMatchObject({
    message_id: first,
    method: "POST",
    type: "outbound.request.status",
    channel_manager_status: "HUMAN",
    reference_id: "test-person",
    answered: 201,
    error: null,
    ms: expect.any(Number),
  });
  const [arrived] = target.taken;
  expect(arrived?.path).toBe("/hook");
  const headers = arrived?.headers as Record<string, string>;
  expect(new Webhook(SECRET).verify(arrived?.body ?? "", headers)).toMatchObject({ id: first });
  expect(headers).toMatchObject({
    "webhook-id": first,
    "content-type": "application/json",
    "x-parley-signature": expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
    host: `127.0.0.1:${target.port}`,
  });
  const sent = (await call("GET", `/outbound/webhook_deliveries/${first}`)).body;
  expect(arrived?.body).toBe(sent.body);

  await target.close();
  const missed = await tell("BUSY");
  const [, , third] = await printed(3);
  expect(third).toMatchObject({
    message_id: missed,
    answered: null,
    error: expect.stringContaining("ECONNREFUSED"),
  });

  const again = await receiver(target.port);
  await tell("COMPLETED");
  await printed(4);
  expect(again.taken.map(({ body }) => JSON.parse(body).data.channel_manager_status)).toEqual(["COMPLETED"]);

  expect(await listening.end("SIGINT")).toEqual({ code: 0, signal: null });
  expect(listening.stderr()).toBe("");

  // The same address, for whoever has a token; what came before is not handed on again.
  const plain = parley(["listen", "--forward-to", forward_to, "--inbox", "mine", "--url", `${url}/`], {
    folder: newFolder(),
    env: { PARLEY_API_TOKEN: token ?? "" },
  });
  await until(() => plain.stdout().includes("Ctrl-C ends."));
  expect(plain.stdout()).toContain(`Give this address to a webhook of a campaign:\n  ${began.url}\n`);
  await tell("NO-ANSWER");
  await until(() => plain.stdout().includes(" ms\n"));
  expect(plain.stdout()).toMatch(/^\d\d:\d\d:\d\d {2}POST NO-ANSWER test-person {2}→ 201 {2}\d+ ms$/m);
  // It waits for a platform that is started anew.
  await platform.end("SIGTERM");
  await until(() => plain.stderr().includes(`Parley does not answer at ${url}`));
  await parley(["start"], { folder, env }).ready();
  await tell("BUSY");
  await until(() => plain.stdout().includes("POST BUSY test-person"));

  const events = ["session.ended", "insight.found", "alert"];
  const subscription = await call("POST", "/webhooks/", {
    name: "Mine",
    url: began.url,
    events,
  });
  for (const event of events) await call("POST", `/webhooks/${subscription.body.id}/test`, { event });
  const told = [
    "POST session.ended session 0  → 201",
    "POST insight.found session 0  → 201",
    "POST alert firing Test alert  → 201",
  ];
  await until(() => told.every((line) => plain.stdout().includes(line)));

  await call("DELETE", "/outbound/webhook_inboxes/mine");
  expect(await plain.ended).toEqual({ code: 1, signal: null });
  expect(plain.stderr()).toContain(
    "The webhook inbox mine was deleted. Start this command again for a new one",
  );
});

describe("is refused with what to do", () => {
  test.each([
    [[], "Say where to: ./parley listen --forward-to http://127.0.0.1:3000/hook"],
    [["--forward-to", "ftp://127.0.0.1/"], "--forward-to is an address such as"],
    [["--forward-to", "nowhere"], '"nowhere" is none.'],
    [["--forward-to"], "--forward-to needs a value"],
    [
      ["--forward-to", "http://127.0.0.1:3000/", "--inbox", "My inbox"],
      "--inbox takes up to 63 small letters, digits and hyphens, with no hyphen at either end.",
    ],
    [
      ["--forward-to", "http://127.0.0.1:3000/", "--url", "http://127.0.0.1:1"],
      "PARLEY_API_TOKEN, or --token",
    ],
  ])("%j", async (args, sentence) => {
    const { code, stdout, stderr } = await run(["listen", ...args], { folder: newFolder() });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(sentence);
  });

  test("without a platform", async () => {
    const given = ["listen", "--forward-to", "http://127.0.0.1:3000/"];
    const { code, stderr } = await run(given, { folder, env: { PORT: "1" } });
    expect(code).toBe(1);
    expect(stderr).toContain("Parley does not answer at http://127.0.0.1:1: bad port.");
  });

  test("by a user without a name, as in a container that runs as any number", async () => {
    const nameless = vi.spyOn(os, "userInfo").mockImplementation(() => {
      throw new Error("uv_os_get_passwd returned ENOENT");
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      nameless.mockRestore();
      syncBuiltinESMExports();
    });
    const given = ["listen", "--forward-to", "http://127.0.0.1:3000/"];
    const { code, stderr } = await typedHere(given, { folder, env: { PORT: "1" } });
    expect(code).toBe(1);
    expect(stderr).toContain("Parley does not answer at http://127.0.0.1:1: bad port.");
  });
});
