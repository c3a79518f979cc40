import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { createRandom } from "../harness/fuzz/random.ts";
import { type LlmServer, startLlmServer } from "../harness/llm-server.ts";
import { SEED } from "../harness/seed.ts";
import { newFolder, parley, postgresOf, processesIn, send, until, usedFolder } from "./program.ts";

const random = createRandom(SEED);

let llm: LlmServer;
beforeAll(async () => {
  llm = await startLlmServer();
});
afterAll(() => llm.close());

const withModel = () => {
  const { api_key = "", base_url = "" } = llm.settings.openai ?? {};
  return { OPENAI_API_KEY: api_key, OPENAI_BASE_URL: base_url };
};

async function openChat(url: string) {
  const { body } = await send("POST", `${url}/chat/v1/sessions`, { client_id: "demo-clinic" });
  const path = `${url}/chat/v1/sessions/${body.session_id}`;
  const socket = new WebSocket(`${path.replace("http", "ws")}/socket?token=${body.token}`);
  const events: { type: string; text?: string }[] = [];
  socket.on("message", (data) => events.push(JSON.parse(String(data))));
  const closed = new Promise<number>((resolve) => socket.once("close", (code) => resolve(code)));
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  return { socket, events, closed, path, token: body.token as string };
}

/** A program that has heard its signal takes no new connection. */
async function untilStopping(url: string): Promise<void> {
  while (
    await fetch(`${url}/healthz`).then(
      () => true,
      () => false,
    )
  )
    await sleep(10);
}

/** SIGTERM stops the program below, during a turn. */
describe.each(["SIGINT", "SIGHUP"] as const)("%s", (signal) => {
  test("stops the program with code 0, says goodbye on open sockets and leaves no database server", async () => {
    const { folder } = await usedFolder();
    const program = parley(["start"], { folder });
    const { closed } = await openChat((await program.ready()).url);
    expect(await program.end(signal)).toEqual({ code: 0, signal: null });
    expect(await closed).toBe(1001);
    expect(processesIn(postgresOf(folder))).toEqual([]);
    expect(program.stderr()).toBe("");
  });
});

test(`a signal at any moment of a first start leaves no server, and nothing that hinders the next (seed ${SEED})`, async () => {
  const folder = newFolder();
  for (const reached of [/^secret\.key$/, /^postgres(\.new-|$)/, /^postgres$/, /^postgres$/]) {
    const program = parley(["start"], { folder });
    await until(() => below(folder).some((name) => reached.test(name)));
    await sleep(random.int(300));
    // By the signal itself where the runtime was still loading the program.
    expect([0, null]).toContain((await program.end("SIGTERM")).code);
    expect(program.stderr()).toBe("");
    expect(processesIn(postgresOf(folder))).toEqual([]);
  }
  await parley(["start"], { folder }).ready();
  expect(below(folder)).toEqual(["postgres", "postgres.log", "secret.key"]);
});

function below(folder: string): string[] {
  try {
    return readdirSync(`${folder}/data`).sort();
  } catch {
    return [];
  }
}

test("SIGTERM does so too; a turn that runs is answered before, and none begins after", async () => {
  const { folder } = await usedFolder();
  llm.reply({ text: ["Yes, ", "we ", "are."], delay_ms: 300 });
  const program = parley(["start"], { folder, env: withModel() });
  const { url } = await program.ready();
  const chat = await openChat(url);
  const asked = llm.requests.length;
  chat.socket.send(JSON.stringify({ text: "Are you open?", id: "1" }));
  await until(() => llm.requests.length > asked);
  const ended = program.end("SIGTERM");
  await untilStopping(url);
  chat.socket.send(JSON.stringify({ text: "And tomorrow?", id: "2" }));
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(await chat.closed).toBe(1001);
  expect(chat.events.at(-2)).toMatchObject({ type: "message", text: "Yes, we are." });
  expect(chat.events.at(-1)).toEqual({ type: "answered", id: "1" });
  expect(llm.requests.length).toBe(asked + 1);
  expect(processesIn(postgresOf(folder))).toEqual([]);
  expect(program.stderr()).toBe("");
});

test("a second Ctrl-C ends a program whose stop waits, and the database ends by itself", async () => {
  const { folder } = await usedFolder();
  llm.reply({ text: ["…"], after: { events: 0, comes: "hang" } });
  const program = parley(["start"], { folder, env: withModel() });
  const { url } = await program.ready();
  const chat = await openChat(url);
  const asked = llm.requests.length;
  chat.socket.send(JSON.stringify({ text: "Are you open?", id: "1" }));
  await until(() => llm.requests.length > asked);
  program.child.kill("SIGINT");
  await untilStopping(url);
  expect(program.child.exitCode).toBeNull();
  expect(await program.end("SIGINT")).toEqual({ code: 130, signal: null });
  await until(() => processesIn(postgresOf(folder)).length === 0);
});
