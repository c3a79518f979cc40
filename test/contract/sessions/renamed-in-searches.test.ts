import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insertSession } from "../../harness/rows.ts";

let app: TestApp;
let agent_id: number;
/** One from before the agent was renamed, one from after it, and one of another agent. */
let sessions: { before: number; after: number; other: number };

const ok = async (method: string, path: string, body?: object) => {
  const answer = await app.send(method, `/api/v1/${path}`, body);
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(200);
  return answer.body;
};

const rename = async (name: string) =>
  ok("PUT", "agents/", { ...(await ok("GET", `agents/${agent_id}`)), name });

async function held(agent: { agent_id: number; agent_name: string }): Promise<number> {
  const at = app.clock.now().toISOString();
  const id = await insertSession(app, { ...agent, ended_at: at, end_reason: "user" });
  await app.jobs.find(({ job }) => job.name === "index-session")!.run({ session_id: id }, {} as never);
  app.clock.advance(1_000);
  return id;
}

beforeAll(async () => {
  app = await createTestApp();
  const other = await createAgent(app, { script: "", agent: { name: "Desk" } });
  ({ agent_id } = await createAgent(app, { script: "", agent: { name: "Clinic" } }));
  const before = await held({ agent_id, agent_name: "Clinic" });
  await rename("Practice");
  sessions = {
    before,
    after: await held({ agent_id, agent_name: "Practice" }),
    other: await held({ agent_id: other.agent_id, agent_name: "Desk" }),
  };
});

const found = async (list: string, name: string): Promise<number[]> => {
  const query = `search_fields=agent_name&search_field_values=${name}`;
  const { items } = await ok("GET", `sessions/${list}?${query}`);
  return items.map((item: { session_id: string }) => Number(item.session_id));
};

test("an agent that was renamed is found with all its sessions, by its name and by the one it had", async () => {
  const both = [sessions.after, sessions.before];
  for (const list of ["", "search"]) {
    for (const name of ["clinic", "Practice", "ract"]) expect(await found(list, name)).toEqual(both);
    expect(await found(list, "Desk")).toEqual([sessions.other]);
  }
});

test("so are its conversations", async () => {
  const of = async (id: number) => String((await ok("GET", `sessions/${id}`)).conversation_id);
  for (const id of Object.values(sessions)) {
    const session = await app.db
      .selectFrom("sessions")
      .select(["agent_id", "agent_name", "conversation_id"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const { conversation_id, ...agent } = session;
    await app.db.updateTable("conversations").set(agent).where("id", "=", conversation_id).execute();
  }
  const both = [await of(sessions.after), await of(sessions.before)];
  for (const name of ["clinic", "Practice"]) {
    const { items } = await ok("GET", `conversations/?search_fields=agent_name&search_field_values=${name}`);
    expect(items.map((item: { conversation_id: string }) => item.conversation_id)).toEqual(both);
  }
});

test("boards that filter by the name an agent had go on counting its sessions", async () => {
  const filter = { search_fields: ["agent_name"], search_field_values: ["Clinic"] };
  const tile = { metric: { name: "sessions" }, ...filter };
  const { total } = await ok("POST", "boards/tile_figures", { tile, period: {} });
  expect(total.value).toBe(2);
});

test("a dashboard has one row of an agent that was renamed, by the name it has", async () => {
  const { guest_token } = await ok("POST", "dashboards/fetch_info?dashboard_name=session_summary");
  const { body } = await app.sendAs(null)("GET", `/reports/session_summary/data?token=${guest_token}`);
  const { rows } = body.tables.find(({ name }: { name: string }) => name === "By agent");
  expect(rows.map(([name, count]: [string, number]) => [name, count])).toEqual([
    ["Practice", 2],
    ["Desk", 1],
  ]);
});

test("another agent that gets the name has sessions of its own, and an agent that gets its name back has its own", async () => {
  const { agent_id: heir } = await createAgent(app, { script: "", agent: { name: "Clinic" } });
  const own = await held({ agent_id: heir, agent_name: "Clinic" });
  expect(await found("", "Clinic")).toEqual([own, sessions.after, sessions.before]);
  expect(await found("", "Practice")).toEqual([sessions.after, sessions.before]);
  await rename("Clinic 2");
  await rename("Practice");
  const { former_names } = await app.db
    .selectFrom("agents")
    .select("former_names")
    .where("id", "=", agent_id)
    .executeTakeFirstOrThrow();
  expect(former_names).toEqual(["Clinic", "Practice", "Clinic 2"]);
});

test("a prompt that was renamed is found with all its sessions, by its name and by the one it had", async () => {
  const { prompt_id, ...agent } = await createAgent(app, { script: "", agent: { name: "Of a prompt" } });
  const prompt = await ok("GET", `prompts/${prompt_id}`);
  const of = (prompt_name: string) => ({ agent_id: agent.agent_id, prompt_id, prompt_name });
  const before = await insertSession(app, { ...of(prompt.name), ended_at: app.clock.now().toISOString() });
  await ok("PUT", "prompts/", { ...prompt, name: "Zebra" });
  app.clock.advance(1_000);
  const running = await insertSession(app, { ...of("Zebra"), timestamp: app.clock.now().toISOString() });
  for (const name of [prompt.name, "zebra"]) {
    const query = new URLSearchParams({ search_fields: "prompt_name", search_field_values: name });
    const { items } = await ok("GET", `sessions/?${query}`);
    expect(items.map((item: { session_id: string }) => Number(item.session_id))).toEqual([running, before]);
  }
});
