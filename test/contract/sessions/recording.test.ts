import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insertOutput } from "../../harness/rows.ts";

const PATH = "/api/v1/sessions/recording/";
const SOUND = Buffer.from("RIFF sound of a hundred bytes ".repeat(4));

const folder = mkdtempSync(path.join(tmpdir(), "parley-recordings-"));
let app: TestApp;
let agent_id: number;
beforeAll(async () => {
  app = await createTestApp({ DATA_DIR: folder, PUBLIC_URL: "https://parley.example" });
  mkdirSync(path.join(folder, "recordings"));
  agent_id = (await createAgent(app, { script: 'on /.*/ -> say "hello"' })).agent_id;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const session = async (): Promise<number> => (await converse(app, agent_id)("hi")).content.session_id;

async function record(session_id: number, name: string): Promise<void> {
  writeFileSync(path.join(folder, "recordings", name), SOUND);
  await app.db
    .insertInto("recordings")
    .values({ session_id, file_name: name, content_type: "audio/wav", created_at: "2026-11-18T12:00:00Z" })
    .execute();
}

const links = async (session_id: number) =>
  (await app.send("POST", `${PATH}${session_id}`)).body.recordings as string[];
const fetchSound = (link: string, range?: string, accept?: string) => {
  const { pathname, search } = new URL(link);
  const headers = { ...(range && { range }), ...(accept && { accept }) };
  return app.api.server.inject({ url: pathname + search, headers });
};

describe("recordings", () => {
  test("a session without a recording has an empty list", async () => {
    const id = await session();
    expect(await app.send("POST", `${PATH}${id}`)).toMatchObject({
      status: 200,
      body: { session_id: String(id), recordings: [] },
    });
  });

  test("each recording has a link of its own that plays without a sign-in", async () => {
    const id = await session();
    await record(id, "first.wav");
    await record(id, "transfer.wav");
    const found = await links(id);
    expect(found).toHaveLength(2);
    expect(found[0]).toMatch(/^https:\/\/parley\.example\/api\/v1\/sessions\/recording\/stream\?token=/);
    const whole = await fetchSound(found[0] as string);
    expect(whole.statusCode).toBe(200);
    expect(whole.headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-length": String(SOUND.length),
      "accept-ranges": "bytes",
    });
    expect(whole.rawPayload.equals(SOUND)).toBe(true);
  });

  test("its type is the one the reference declares, and sound's own for a player", async () => {
    const id = await session();
    await record(id, "typed.wav");
    const [link = ""] = await links(id);
    const typeFor = async (accept?: string, range?: string) =>
      (await fetchSound(link, range, accept)).headers["content-type"];
    expect(await typeFor("application/octet-stream")).toBe("application/octet-stream");
    expect(await typeFor("*/*", "bytes=0-3")).toBe("application/octet-stream");
    expect(await typeFor("audio/*")).toBe("audio/wav");
    const { body } = await app.send("GET", "/openapi.json");
    const declared = body.paths[`${PATH}stream`].get.responses["200"].content;
    expect(Object.keys(declared)).toEqual(["application/octet-stream", "audio/*"]);
  });

  test("a player can ask for a part", async () => {
    const id = await session();
    await record(id, "part.wav");
    const [link = ""] = await links(id);
    const part = await fetchSound(link, "bytes=10-19");
    expect(part.statusCode).toBe(206);
    expect(part.headers["content-range"]).toBe(`bytes 10-19/${SOUND.length}`);
    expect(part.rawPayload.equals(SOUND.subarray(10, 20))).toBe(true);
    const beyond = await fetchSound(link, "bytes=100000-");
    expect(beyond.statusCode).toBe(416);
    expect(beyond.headers["content-range"]).toBe(`bytes */${SOUND.length}`);
  });

  test("a link works for 15 minutes and opens nothing but its recording", async () => {
    const id = await session();
    await record(id, "own.wav");
    await record(id, "other.wav");
    const [link = ""] = await links(id);
    const [recording, ...rest] = (new URL(link).searchParams.get("token") ?? "").split(".");
    const forged = [Number(recording) + 1, ...rest].join(".");
    expect((await app.sendAs(null)("GET", `${PATH}stream?token=${forged}`)).status).toBe(401);
    expect((await app.sendAs(null)("GET", `${PATH}stream?token=nonsense`)).status).toBe(401);
    expect((await app.sendAs(null)("GET", `${PATH}stream`)).status).toBe(422);
    app.clock.advance(15 * 60_000 - 1);
    expect((await fetchSound(link)).statusCode).toBe(200);
    app.clock.advance(1);
    expect((await fetchSound(link)).statusCode).toBe(401);
  });

  test("a recording whose file is not on this machine's disk is 503", async () => {
    const id = await session();
    await record(id, "gone.wav");
    rmSync(path.join(folder, "recordings", "gone.wav"));
    const [link = ""] = await links(id);
    expect((await fetchSound(link)).statusCode).toBe(503);
  });

  test("a neighbour's session is not there, a carrier's call id is no session id, and listening is a permission", async () => {
    const id = await session();
    const neighbour = await app.createNeighbour();
    expect(await neighbour.send("POST", `${PATH}${id}`)).toMatchObject({
      status: 404,
      body: { detail: `Session with ID ${id} not found` },
    });
    expect((await app.send("POST", `${PATH}CA0123`)).status).toBe(400);
    const reader = app.sendAs(await app.createToken(["sessions_read"]));
    expect((await reader("POST", `${PATH}${id}`)).status).toBe(403);
  });
});

describe("full summary", () => {
  const summary = (id: number, send = app.send) => send("GET", `/api/v1/sessions/full-summary/${id}`);

  test("both are null until an analysis has said them; then the newest counts", async () => {
    const id = await session();
    expect(await summary(id)).toMatchObject({ status: 200, body: { summary: null, rating: null } });
    await insertOutput(app, id, "summary", { string_value: "They said hello." });
    await insertOutput(app, id, "rating", { string_value: "OK" });
    await insertOutput(app, id, "rating", { string_value: "Good" });
    await insertOutput(app, id, "mood", { string_value: "calm" });
    expect((await summary(id)).body).toEqual({ summary: "They said hello.", rating: "Good" });
  });

  test("is not told to who may not read insights", async () => {
    const id = await session();
    await insertOutput(app, id, "summary", { string_value: "They said hello.", model: "scripted" });
    const reader = app.sendAs(await app.createToken(["sessions_read"]));
    expect(await summary(id, reader)).toMatchObject({ status: 200, body: { summary: null, rating: null } });
    const both = app.sendAs(await app.createToken(["sessions_read", "insights_read"]));
    expect((await summary(id, both)).body.summary).toBe("They said hello.");
  });

  test("a neighbour's session is not there", async () => {
    const neighbour = await app.createNeighbour();
    expect((await summary(await session(), neighbour.send)).status).toBe(404);
  });
});
