import { beforeAll, describe, expect, test } from "vitest";
import { originTurn } from "../../../src/debugger/origin-turn.ts";
import { releaseLease, takeLease } from "../../../src/sessions/lease.ts";
import { runTurn } from "../../../src/turns/turn.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer, json } from "../../harness/peer.ts";
import { plannedSession } from "../../harness/planned-session.ts";

let app: TestApp;
let agent_id: number;

beforeAll(async () => {
  app = await createTestApp();
  const peer = await createPeer();
  peer.respond((request, response) =>
    request.path.includes("full")
      ? json(response, 409, { reason: "Fully booked", echoed: request.headers.authorization })
      : json(response, 200, { slots: ["09:00"] }),
  );
  const endpoint = { method: "post", argument_location: "body" };
  const parameters = { type: "object", properties: { city: { type: "string" } } };
  ({ agent_id } = await createAgent(app, {
    context: "You book for {{vars.clinic}}.",
    script: `
      on "full" -> call refuse {"city": "Bronx"}
      on "find" -> call find {"city": "Bronx"}
      after find -> say "At nine."
      after refuse -> say "It is full."
      otherwise -> say "Yes."`,
    tools: [
      endpointTool("find", `${peer.url}/find?api_key=abcdef123456&day=1`, { parameters, endpoint }),
      endpointTool("refuse", `${peer.url}/full`, { parameters, endpoint }),
    ],
    service: { auth_type: "bearer", auth_values: { token: "s3cret-value" } },
    agent: {
      variables: { "vars.clinic": "Harbor Clinic" },
      tool_headers: { "X-Clinic": "harbor", "X-Api-Key": "qwertz123" },
    },
  }));
});

async function said(...texts: string[]) {
  const say = converse(app, agent_id);
  let session_id = 0;
  for (const text of texts) ({ session_id } = (await say(text)).body.response.content);
  return session_id;
}
const read = async (session_id: number, what: "model_rounds" | "tool_requests", turn_index: number) => {
  const answer = await app.send("GET", `/api/v1/sessions/${session_id}/${what}?turn_index=${turn_index}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};
const stored = (session_id: number) =>
  app.db.selectFrom("sent_records").selectAll().where("session_id", "=", session_id).orderBy("id").execute();

describe("what the model was sent", () => {
  test("is shown for each round: rendered instructions, messages, tools, and what came of it", async () => {
    const rounds = await read(await said("hello", "find"), "model_rounds", 2);
    expect(rounds).toHaveLength(2);
    const [first, second] = rounds;
    expect(first.messages[0]).toMatchObject({ role: "system" });
    expect(first.messages[0].text).toContain("You book for Harbor Clinic.");
    expect(first.messages.slice(1).map(({ role }: { role: string }) => role)).toEqual([
      "user",
      "assistant",
      "user",
    ]);
    expect(first.tools.map(({ name }: { name: string }) => name)).toEqual(["find", "refuse", "hangup"]);
    expect(first).toMatchObject({ tool_choice: "auto", model: "scripted", error: null, retries: [] });
    expect(first.calls).toMatchObject([{ name: "find", arguments: { city: "Bronx" } }]);
    expect(second.messages.at(-1)).toMatchObject({ role: "tool", result: { slots: ["09:00"] } });
    expect(second).toMatchObject({ text: "At nine.", calls: [], finish: "stop" });
  });

  test("keeps a message and a list of tools once for a session, however often they were sent", async () => {
    const rows = await stored(await said("hello", "find", "hello"));
    const parts = rows
      .filter(({ kind }) => kind === "round")
      .flatMap(({ content }) => Object.values((content as { parts: object }).parts))
      .map((part) => JSON.stringify(part));
    expect(new Set(parts).size).toBe(parts.length);
    expect(parts.filter((part) => part.includes("You book for"))).toHaveLength(1);
    expect(rows.filter(({ kind }) => kind === "round")).toHaveLength(4);
  });

  test("is complete, whichever process runs a turn, and after one of which nothing was stored", async () => {
    const plans = ["One.", "Two.", "Three.", "Four."].map((text) => ({ text }));
    const { engine, session_id } = await plannedSession(app, [], { plans });
    // What a process remembers of sessions belongs to its way to the database.
    const others = { ...engine, db: app.db.withoutPlugins() };
    await runTurn(engine, session_id, { text: "a" });
    await runTurn(others, session_id, { text: "b" });
    await app.send("PUT", "/api/v1/organizations/privacy", { store_requests: false });
    await runTurn(engine, session_id, { text: "c" });
    await app.send("PUT", "/api/v1/organizations/privacy", {});
    await runTurn(engine, session_id, { text: "d" });
    expect(await read(session_id, "model_rounds", 3)).toEqual([]);
    const texts = async (turn_index: number) => {
      const [{ messages }] = await read(session_id, "model_rounds", turn_index);
      return messages.slice(1).map(({ text }: { text: string }) => text);
    };
    expect(await texts(2)).toEqual(["a", "One.", "b"]);
    expect(await texts(4)).toEqual(["a", "One.", "b", "Two.", "c", "Three.", "d"]);
  });

  test("is not needed to go back to a turn whose process died before it stored anything", async () => {
    const { engine, session_id } = await plannedSession(app, [], { plans: [{ text: "One." }] });
    await runTurn(engine, session_id, { text: "a" });
    const { session } = await takeLease(engine, session_id, { text: "b", client_message_id: null });
    await releaseLease(engine, session);
    const caller = app.admin;
    expect(await originTurn(app.db, caller, session_id, 2)).toMatchObject({
      text: "b",
      state: session.state,
    });
    expect(await originTurn(app.db, caller, session_id, 1)).toMatchObject({ text: "a" });
  });

  test("is for those who may debug, and for nobody of another organization", async () => {
    const session_id = await said("hello");
    const path = `/api/v1/sessions/${session_id}/model_rounds?turn_index=1`;
    const viewer = app.sendAs(await app.createToken(["sessions_read"]));
    expect((await viewer("GET", path)).status).toBe(403);
    const stranger = await app.createNeighbour();
    expect((await stranger.send("GET", path)).status).toBe(404);
  });
});

describe("the requests of a tool call", () => {
  test("are shown with address, headers, body and answer, and without any secret", async () => {
    const [call] = await read(await said("find"), "tool_requests", 1);
    const [request] = call.requests;
    expect(request).toMatchObject({ method: "POST", outcome: "response", status: 200, problem: null });
    expect(request.headers).toMatchObject({
      "x-clinic": "harbor",
      "x-api-key": "(hidden)",
      authorization: "(hidden)",
    });
    expect(request.url).toContain("day=1");
    expect(JSON.parse(request.body)).toEqual({ city: "Bronx" });
    expect(JSON.parse(request.answer)).toEqual({ slots: ["09:00"] });
    expect(JSON.stringify(call)).not.toMatch(/abcdef123456|s3cret-value|qwertz123/);
  });

  test("tell why a service said no, and hide a credential that it repeats", async () => {
    const [call] = await read(await said("full"), "tool_requests", 1);
    expect(call.requests[0]).toMatchObject({ status: 409 });
    expect(JSON.parse(call.requests[0].answer)).toEqual({ reason: "Fully booked", echoed: "(hidden)" });
  });
});

describe("an organization", () => {
  test("that switches it off stores nothing of it from then on", async () => {
    const put = (body: object) => app.send("PUT", "/api/v1/organizations/privacy", body);
    expect((await put({ store_requests: false })).body).toMatchObject({ store_requests: false });
    const session_id = await said("find");
    expect(await stored(session_id)).toEqual([]);
    expect(await read(session_id, "model_rounds", 1)).toEqual([]);
    await put({});
    expect((await stored(await said("find"))).length).toBeGreaterThan(0);
  });

  test("finds its bytes among what it stores, and they go with the session", async () => {
    const used = async () => {
      const { kinds } = (await app.send("GET", "/api/v1/organizations/storage")).body;
      return kinds.find(({ kind }: { kind: string }) => kind === "requests").bytes as number;
    };
    const before = await used();
    const session_id = await said("find");
    const bytes = (await stored(session_id)).reduce(
      (sum, { content }) => sum + JSON.stringify(content).length,
      0,
    );
    expect(await used()).toBeGreaterThanOrEqual(before + bytes);
    await app.db
      .updateTable("sessions")
      .set({ ended_at: app.clock.now().toISOString() })
      .where("id", "=", session_id)
      .execute();
    expect((await app.send("DELETE", `/api/v1/sessions/${session_id}`)).status).toBe(200);
    expect(await stored(session_id)).toEqual([]);
    expect(await used()).toBe(before);
  });
});
