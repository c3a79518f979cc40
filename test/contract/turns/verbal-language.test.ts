import { beforeAll, expect, test } from "vitest";
import { startSession } from "../../../src/turns/start-session.ts";
import { runTurn } from "../../../src/turns/turn.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { offeredIn, type Plan, plannedEngine } from "../../harness/planned-model.ts";

let app: TestApp;
let language_group_id: number;
beforeAll(async () => {
  app = await createTestApp();
  const config = (language_code: string, dtmf_code: number, voice_display_name: string) => ({
    language_code,
    dtmf_code,
    voice_display_name,
    voice_provider: "Google",
  });
  const group = await app.send("POST", "/api/v1/voice_groups/", {
    name: "Two languages",
    language_configs: [config("en-US", 1, "Kore (English)"), config("es-US", 2, "Kore (Spanish)")],
    skip_current_language_in_message: false,
  });
  expect(group.status).toBe(200);
  language_group_id = group.body.id;
});

/** What the model is offered by an agent that was switched on, or not, after its prompt was saved. */
async function talk(agent: object, plans: Plan[] = [], systemTools: string[] = []) {
  const { agent_id } = await createAgent(app, { script: "", systemTools });
  const saved = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body;
  expect((await app.send("PUT", "/api/v1/agents/", { ...saved, ...agent })).status).toBe(200);
  const { engine, requests } = plannedEngine(app.engine, plans);
  const { session_id } = await startSession(engine, {
    sub_organization_id: app.admin.sub_organization_id,
    agent_id,
    channel: "chat",
    service: "console",
    type: "console_test_v1",
    sid: `verbal-${agent_id}`,
    channel_target_id: null,
    source: null,
    target: null,
    is_test: true,
    is_outbound: false,
    verified: true,
  });
  const turn = await runTurn(engine, session_id, { text: "hola" });
  return { turn, requests };
}
const ON = () => ({ enable_verbal_language_change: true, language_group_id });

test("an agent switched on after its prompt's last save changes language, among those of its group", async () => {
  const { turn, requests } = await talk(ON(), [{ calls: [["set_current_language", { language: "es-US" }]] }]);
  expect(offeredIn(requests[0])).toEqual(["set_current_language"]);
  const [offered] = requests[0]?.tools.filter(({ name }) => name === "set_current_language") ?? [];
  expect(offered?.parameters).toMatchObject({ properties: { language: { enum: ["en-US", "es-US"] } } });
  expect(turn).toMatchObject({ language: "es-US", calls: [{ result: { language: "es-US" }, error: null }] });
});

test("a language that the group has not is refused", async () => {
  const { turn } = await talk(ON(), [{ calls: [["set_current_language", { language: "fr-FR" }]] }]);
  expect(turn).toMatchObject({ language: "en-US", calls: [{ error: expect.stringMatching(/language/) }] });
});

test("what one agent may choose does not narrow what another may", async () => {
  const config = { language_code: "fr-FR", dtmf_code: 1, voice_provider: "Google" };
  const group = await app.send("POST", "/api/v1/voice_groups/", {
    name: "French",
    language_configs: [{ ...config, voice_display_name: "Kore (French)" }],
    skip_current_language_in_message: false,
  });
  const change = (language: string): Plan[] => [{ calls: [["set_current_language", { language }]] }];
  await talk(ON(), change("es-US"));
  const { turn } = await talk({ ...ON(), language_group_id: group.body.id }, change("fr-FR"));
  expect(turn.calls).toMatchObject([{ error: null }]);
});

test("a prompt that has the tool anyway offers it once", async () => {
  const { requests } = await talk(ON(), [], ["set_current_language"]);
  expect(offeredIn(requests[0])).toEqual(["set_current_language"]);
});

test.each([
  ["is switched off", () => ({ ...ON(), enable_verbal_language_change: false })],
  ["has no group", () => ({ ...ON(), language_group_id: null })],
])("an agent that %s is not offered it", async (_why, agent) => {
  const { requests } = await talk(agent());
  expect(offeredIn(requests[0])).toEqual([]);
});
