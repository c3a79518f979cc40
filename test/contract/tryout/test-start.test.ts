import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
let agent_id: number;
let n = 0;

beforeAll(async () => {
  app = await createTestApp();
  const group = await app.send("POST", "/api/v1/language_groups/", {
    name: "Two languages",
    language_configs: ["en-US", "fr-FR"].map((language_code, at) => ({
      ...{ language_code, dtmf_code: at + 1 },
      ...{ voice_provider: "OpenAI", voice_display_name: "Alloy" },
    })),
    skip_current_language_in_message: false,
  });
  expect(group.status, JSON.stringify(group.body)).toBe(200);
  ({ agent_id } = await createAgent(app, {
    script: 'otherwise -> say "Yes."',
    greeting: {
      type: "greeting",
      text: "{{vars.plan}} {{vars.session.language}} {{vars.session.channel}} {{vars.session.source}} {{vars.session.datetime}}",
    },
    agent: { variables: { plan: "silver" }, language_group_id: group.body.id },
  }));
});

const start = (more: object) =>
  app.send("POST", "/api/v1/agents/test/messages", {
    ...{ service_name: "test", source: "+15550100", test_id: `start-${++n}`, agent_id: String(agent_id) },
    ...{ text: "", session_start: true, ...more },
  });

test("a test conversation begins with the variables, language, channel, caller and clock it is given", async () => {
  const given = { variables: { plan: "gold" }, language: "fr", channel: "sms" };
  const { status, body } = await start({ ...given, override_timestamp: "2026-12-24T18:00:00" });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.response_text).toBe("gold fr-FR sms +15550100 2026-12-24 18:00");
  const { session_id } = body.response.content;
  const session = (await app.send("GET", `/api/v1/sessions/${session_id}`)).body;
  expect(session).toMatchObject({ is_test: true, source: "+15550100" });
});

test("without them it begins as the agent says", async () => {
  expect((await start({})).body.response_text).toMatch(/^silver en-US chat/);
});

test("a language that the agent does not speak is refused with those it does", async () => {
  const { status, body } = await start({ language: "ja" });
  expect(status).toBe(422);
  expect(body.detail[0]).toMatchObject({
    loc: ["body", "language"],
    msg: "The agent does not speak ja. It speaks en-US, fr-FR.",
  });
});

test.each([
  [{ channel: "pigeon" }, "channel"],
  [{ language: "x y" }, "language"],
  [{ variables: { plan: 1 } }, "variables"],
])("%j is refused at its place", async (more, field) => {
  const { status, body } = await start(more);
  expect(status).toBe(422);
  expect(body.detail[0].loc.slice(0, 2)).toEqual(["body", field]);
});
