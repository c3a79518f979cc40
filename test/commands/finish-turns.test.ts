import { afterAll, beforeAll, expect, test } from "vitest";
import { Fault } from "../../src/base/errors.ts";
import { modelFor } from "../../src/llm/model-for.ts";
import { finishTurns } from "../../src/turns/finish-turns.ts";
import { runTurn } from "../../src/turns/turn.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { type LlmServer, startLlmServer } from "../harness/llm-server.ts";
import { until } from "./program.ts";

let llm: LlmServer;
let app: TestApp;
let session_id: number;

beforeAll(async () => {
  llm = await startLlmServer();
  app = await createTestApp();
  const { target } = await createAgent(app, { script: "" });
  const opened = await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target });
  session_id = Number(opened.body.session_id);
  // As with a key in the environment, but its address is known only now.
  app.engine.resolveModel = async () =>
    modelFor({ provider: "openai", model: "gpt-4.1" }, llm.settings, app.clock);
});
afterAll(() => llm.close());

const leaseOf = () =>
  app.db.selectFrom("sessions").select("lease_owner").where("id", "=", session_id).executeTakeFirstOrThrow();

test("a turn that outlasts a stop is cut off with a sentence, gives its session back and is answered when sent again", async () => {
  llm.reply({ text: ["…"], after: { events: 0, comes: "hang" } });
  const message = { text: "Are you open?", client_message_id: "1" };
  const running = runTurn(app.engine, session_id, message);
  const failed = expect(running).rejects.toThrow(Fault);
  await until(() => llm.requests.length === 1);
  expect((await leaseOf()).lease_owner).not.toBeNull();

  expect(await finishTurns(app.engine, 50)).toBe(1);
  await failed;
  expect((await leaseOf()).lease_owner).toBeNull();
  expect(app.engine.held.size).toBe(0);

  llm.reply({ text: ["Yes."] });
  expect((await runTurn(app.engine, session_id, message)).messages).toEqual(["Yes."]);
});

test("a stop waits for nothing when no turn runs", async () => {
  expect(await finishTurns(app.engine, 60_000)).toBe(0);
});
