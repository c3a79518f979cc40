import { agent } from "./agents.ts";
import { type Examples, type Maker, plainRecord } from "./example.ts";
import { session } from "./sessions.ts";

const suiteInput = async (maker: Maker) => ({
  name: `Suite ${maker.next()}`,
  agent: (await agent(maker)).name,
  cases: [{ name: "Says hello", person: ["Hello"], expect: { said: ["."] } }],
});
const suite = async (maker: Maker) => maker.post("/test_suites/", await suiteInput(maker));

async function run(maker: Maker) {
  const { id } = await suite(maker);
  return maker.post(`/test_suites/${id}/runs`, {});
}
const ofRun = async (maker: Maker) => ({ at: [(await run(maker)).id] });

/** A session that counts as a real one. */
async function recordedSession(maker: Maker) {
  const { session_id } = await session(maker);
  const { agent_id } = await maker.app.db
    .updateTable("sessions")
    .set({ is_test: false })
    .where("id", "=", session_id)
    .returning("agent_id")
    .executeTakeFirstOrThrow();
  return { session_id, agent_id };
}

async function replay(maker: Maker) {
  const { session_id, agent_id } = await recordedSession(maker);
  return { ...(await maker.post(`/agents/${agent_id}/replays`, { sessions: 5 })), session_id };
}
const ofReplay = async (maker: Maker) => ({ at: [(await replay(maker)).id] });

async function published(maker: Maker) {
  const { id } = await agent(maker);
  await maker.post(`/agents/${id}/versions`, { note: "First" });
  return id;
}

/** An agent whose second version waits for an experiment. */
async function twice(maker: Maker): Promise<number> {
  const { id, prompt_id } = await agent(maker);
  await maker.post(`/agents/${id}/versions`, { note: "First" });
  const { name, type, llm_config } = await maker.call("GET /api/v1/prompts/{}", { at: [prompt_id] });
  const body = { id: prompt_id, name, type, llm_config, context: `Version ${maker.next()}`, tools: [] };
  await maker.call("PUT /api/v1/prompts/", { body });
  await maker.post(`/agents/${id}/versions`, { note: "Second", take_live: false });
  return id;
}

const experimentInput = async (maker: Maker) => ({
  name: `Experiment ${maker.next()}`,
  agent_id: await twice(maker),
  variants: [
    { version_number: 1, weight: 95, is_control: true },
    { version_number: 2, weight: 5, is_control: false },
  ],
  ramp: [
    { percent: 5, after_minutes: null },
    { percent: 25, after_minutes: 60 },
  ],
});
const experiment = async (maker: Maker): Promise<number> =>
  (await maker.post("/experiments/", await experimentInput(maker))).id;
async function running(maker: Maker): Promise<number> {
  const id = await experiment(maker);
  await maker.post(`/experiments/${id}/start`, {});
  return id;
}

const judgeInput = async (maker: Maker) => ({
  name: `Judge ${maker.next()}`,
  question: "Does the person speak of a booking?",
  insight_tool_id: (
    await maker.post("/insights/tool-configurations", {
      name: `Booking ${maker.next()}`,
      description: "",
      version: 1,
      insight_tool_definition_id: 1,
      tool_arguments: {
        prompt: "Judge the conversation.",
        provider: "openai",
        model: "scripted",
        outputs: [{ name: "booking", type: "boolean" }],
      },
    })
  ).id,
  output: "booking",
});
const judge = async (maker: Maker): Promise<number> =>
  (await maker.post("/judges/", await judgeInput(maker))).id;
const ofJudge = async (maker: Maker) => ({ at: [await judge(maker)] });

export const EVALUATIONS: Examples = {
  ...plainRecord("/judges", judgeInput),
  "GET /api/v1/judges/{}/next_session": ofJudge,
  "GET /api/v1/judges/{}/labels": ofJudge,
  "POST /api/v1/judges/{}/answers": ofJudge,
  "PUT /api/v1/judges/{}/labels/{}": async (maker) => ({
    at: [await judge(maker), (await session(maker)).session_id],
    body: { label: "yes" },
  }),
  ...plainRecord("/experiments", experimentInput),
  "POST /api/v1/experiments/{}/start": async (maker) => ({ at: [await experiment(maker)] }),
  "PUT /api/v1/experiments/{}/weights": async (maker) => ({
    at: [await running(maker)],
    body: {
      weights: [
        { version_number: 1, weight: 75 },
        { version_number: 2, weight: 25 },
      ],
    },
  }),
  "POST /api/v1/experiments/{}/stop": async (maker) => ({
    at: [await running(maker)],
    body: { reason: "The answers are too long" },
  }),
  "POST /api/v1/experiments/{}/adopt": async (maker) => ({ at: [await running(maker)], body: {} }),
  "GET /api/v1/experiments/{}/comparison": async (maker) => ({ at: [await running(maker)] }),
  "GET /api/v1/agents/{}/versioning": async (maker) => ({ at: [await published(maker)] }),
  "PUT /api/v1/agents/{}/versioning": async (maker) => ({
    at: [await published(maker)],
    body: { published_version: 1, gates: [{ suite_id: (await suite(maker)).id, at_least: 0.8 }] },
  }),
  "GET /api/v1/agents/{}/versions": async (maker) => ({ at: [await published(maker)] }),
  "POST /api/v1/agents/{}/versions": async (maker) => ({
    at: [(await agent(maker)).id],
    body: { note: "Speaks of opening hours" },
  }),
  "GET /api/v1/agents/{}/versions/{}": async (maker) => ({ at: [await published(maker), 1] }),
  "GET /api/v1/agents/{}/versions/{}/changes": async (maker) => ({ at: [await published(maker), 1] }),
  "GET /api/v1/sessions/{}/test_case": async (maker) => ({ at: [(await session(maker)).session_id] }),
  ...plainRecord("/test_suites", suiteInput),
  "POST /api/v1/test_suites/import": async (maker) => ({
    body: { text: JSON.stringify(await suiteInput(maker)) },
  }),
  "GET /api/v1/test_suites/{}/export": async (maker) => ({ at: [(await suite(maker)).id] }),
  "POST /api/v1/test_suites/{}/runs": async (maker) => ({
    at: [(await suite(maker)).id],
    body: { repetitions: 2, seed: 7 },
  }),
  "GET /api/v1/test_suites/{}/schedule": async (maker) => ({ at: [(await suite(maker)).id] }),
  "PUT /api/v1/test_suites/{}/schedule": async (maker) => ({
    at: [(await suite(maker)).id],
    body: { is_active: true, time: "02:30", timezone: "Europe/Berlin", days: ["mon", "fri"] },
  }),
  "POST /api/v1/agents/{}/replays": async (maker) => ({
    at: [(await recordedSession(maker)).agent_id],
    body: { sessions: 5, filter: { days: 7 } },
  }),
  "GET /api/v1/replays/": () => ({}),
  "GET /api/v1/replays/{}": ofReplay,
  "GET /api/v1/replays/{}/pairs": ofReplay,
  "POST /api/v1/replays/{}/cancel": ofReplay,
  "GET /api/v1/test_runs/": () => ({}),
  "GET /api/v1/test_runs/{}": ofRun,
  "GET /api/v1/test_runs/{}/results": ofRun,
  "POST /api/v1/test_runs/{}/cancel": ofRun,
  "GET /api/v1/test_runs/{}/comparison": async (maker) => {
    const { id, suite_id } = await run(maker);
    const { id: before } = await maker.post(`/test_suites/${suite_id}/runs`, {});
    return { at: [id], query: { before: String(before) } };
  },
};
