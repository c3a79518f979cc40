import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { level_dbfs } from "../../src/audio/level.ts";
import { readWav, writeWav } from "../../src/audio/wav.ts";
import { createLocalEngines } from "../../src/media/local-engines.ts";
import { HEARING_RATE } from "../../src/speech/hearing.ts";
import { newFolder, run } from "../commands/program.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { speech } from "../harness/page-caller.ts";
import { runClock } from "../harness/run-clock.ts";
import { sphinxFiles } from "../harness/sphinx.ts";

const SCRIPT = `
on /open/ -> say "We are open from eight to five."
on /appointment/ -> say "For what day?"
on /.*/ -> say "Please say that again."
`;

let engines: ReturnType<typeof createLocalEngines>;
let app: TestApp;
let env: { PUBLIC_URL: string; PARLEY_API_TOKEN: string };
let target: string;
let understands = false;
let stopClock: () => void;

beforeAll(async () => {
  const sphinx = await sphinxFiles();
  understands = sphinx !== null;
  engines = createLocalEngines({ sphinx });
  app = await createTestApp({}, undefined, { voiceEngines: engines });
  stopClock = runClock(app.clock);
  env = { PUBLIC_URL: await app.listen(), PARLEY_API_TOKEN: app.token };
  ({ target } = await createAgent(app, { script: SCRIPT, agent: { name: "Front desk" } }));
});
afterAll(async () => {
  stopClock();
  await engines.close();
});

const parleyCall = (...args: string[]) => run(["call", ...args], { folder: newFolder(), env });

test("an agent whose page takes no calls is not called, and where to allow it is told", async () => {
  const { code, stderr } = await parleyCall("Front desk", "--say", "hello");
  expect(code).toBe(1);
  expect(stderr).toContain('turn on "Calls from the page"');
  const { channel_id, id } = (await app.send("GET", `/api/v1/channels/targets?target=${target}`)).body
    .items[0];
  const allow = `/api/v1/channels/${channel_id}/targets/${id}/browser_calls`;
  expect((await app.send("PUT", allow, { browser_calls: true })).status).toBe(200);
});

test("lines are said aloud in turn, answers printed, and both sides kept as two channels", async (context) => {
  if (!understands) return context.skip();
  const out = path.join(newFolder(), "call.wav");
  const said = ["--say", "When are you open?", "--say", "I want to book an appointment"];
  const { code, stdout, stderr } = await parleyCall("Front desk", ...said, "--out", out);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("you › when are you open\n");
  expect(stdout).toContain("agent › We are open from eight to five.\n");
  expect(stdout).toContain("agent › For what day?\n");
  const { rate, channels } = readWav(readFileSync(out));
  expect([rate, channels.length]).toEqual([HEARING_RATE, 2]);
  for (const channel of channels) expect(level_dbfs(channel)).toBeGreaterThan(-50);
});

test("a WAV file is said instead and --json prints one object a text", async (context) => {
  if (!understands) return context.skip();
  const file = path.join(newFolder(), "question.wav");
  const question = await speech(engines.speaking, "When are you open?");
  writeFileSync(file, writeWav({ rate: HEARING_RATE, channels: [question] }));
  const { code, stdout } = await parleyCall(target, "--wav", file, "--json");
  expect(code).toBe(0);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toEqual(
    expect.arrayContaining([
      { role: "user", text: "when are you open", at_ms: expect.any(Number) },
      { role: "agent", text: "We are open from eight to five.", at_ms: expect.any(Number) },
    ]),
  );
});

test("what can't be said is told in a sentence", async () => {
  const file = path.join(newFolder(), "no.wav");
  writeFileSync(file, "hello");
  expect(await parleyCall(target, "--wav", file)).toMatchObject({
    code: 1,
    stderr: `parley: ${file} can't be spoken: This is not a WAV file.\n`,
  });
  expect((await parleyCall(target)).stderr).toMatch(/^parley: Name an agent and what to say/);
  expect((await parleyCall(target, "--wav", file, "--say", "x")).stderr).toContain("not both");
  expect((await parleyCall("Nobody", "--say", "x", "--out", "gone/call.wav")).stderr).toBe(
    "parley: gone/call.wav can't be written: its folder isn't there. Make the folder, or name another one.\n",
  );
  expect((await parleyCall("Nobody", "--say", "x")).stderr).toContain("There is no agent Nobody.");
});
