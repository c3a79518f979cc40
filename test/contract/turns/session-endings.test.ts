import { beforeAll, expect, test } from "vitest";
import { endSession } from "../../../src/turns/end-session.ts";
import { startSession } from "../../../src/turns/start-session.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
let agent_id: number;
beforeAll(async () => {
  app = await createTestApp();
  ({ agent_id } = await createAgent(app, { script: 'otherwise -> say "Yes."' }));
});

const KINDS = [
  ["chat", "webchat", "web_chat_v1"],
  ["sms", "sms", "sms_twilio_v1"],
  ["whatsapp", "whatsapp", "whatsapp_v1"],
  ["email", "email", "email_v1"],
] as const;

type Kind = [(typeof KINDS)[number][0], (typeof KINDS)[number][1], (typeof KINDS)[number][2]];

const begin = (kind: Kind, person: string) =>
  startSession(app.engine, {
    sub_organization_id: app.admin.sub_organization_id,
    agent_id,
    channel: kind[0],
    service: kind[1],
    type: kind[2],
    sid: `sid of ${person}`,
    channel_target_id: null,
    source: person,
    target: "ours",
    is_test: false,
    is_outbound: false,
    verified: false,
  });

const read = async (id: number) => (await app.send("GET", `/api/v1/sessions/${id}`)).body;
const debug = async (id: number) => (await app.send("GET", `/api/v1/session_debug/session_id/${id}`)).body;
const durationListed = async (person: string) => {
  const query = new URLSearchParams([
    ["search_fields", "source"],
    ["search_field_values", person],
    ["search_fields", "duration"],
    ["search_field_values", "90"],
  ]);
  const { body } = await app.send("GET", `/api/v1/sessions/?${query}`);
  return body.items.map(({ duration }: { duration: number }) => duration);
};
const listed = async (person: string, running: string) => {
  const query = new URLSearchParams([
    ["search_fields", "source"],
    ["search_field_values", person],
    ["search_fields", "is_running"],
    ["search_field_values", running],
  ]);
  const { body } = await app.send("GET", `/api/v1/sessions/?${query}`);
  return body.items.map(({ session_id }: { session_id: string }) => Number(session_id));
};

test.each(KINDS)(
  "a session by %s that ended says when and why, in reads, lists and reports",
  async (...kind) => {
    const person = `person by ${kind[0]}`;
    const { session_id: id } = await begin(kind, person);
    expect(await read(id)).toMatchObject({ ended_at: null, end_reason: null, duration: null });
    expect((await debug(id)).duration).toBeNull();
    expect([await listed(person, "true"), await listed(person, "False")]).toEqual([[id], []]);

    app.clock.advance(90_000);
    const ended_at = app.clock.now();
    await endSession(app.engine, id, "idle");
    const found = await read(id);
    expect(found).toMatchObject({ end_reason: "idle", duration: 90 });
    expect((await debug(id)).duration).toBe(90);
    expect(await durationListed(person)).toEqual([90]);
    const exported = await app.db.selectFrom("sessions").selectAll().where("id", "=", id).execute();
    expect(exported).toMatchObject([{ duration: 90 }]);
    expect(new Date(found.ended_at)).toEqual(ended_at);
    expect([await listed(person, "true"), await listed(person, "false")]).toEqual([[], [id]]);

    const { guest_token } = (await app.send("POST", "/api/v1/dashboards/fetch_info?dashboard_name=sessions"))
      .body;
    const report = await app.send("GET", `/reports/sessions/data?token=${guest_token}&days=2`);
    const [newest] = report.body.tables[0].rows;
    expect(newest).toEqual([
      expect.any(String),
      id,
      expect.any(String),
      kind[0],
      expect.any(Number),
      90,
      "idle",
    ]);
    const open = report.body.numbers.find(({ name }: { name: string }) => name === "Running now");
    expect(open.value).toBe(0);
  },
);

test("a filter that is neither true nor false is refused at its place", async () => {
  const answer = await app.send(
    "GET",
    "/api/v1/sessions/?search_fields=is_running&search_field_values=perhaps",
  );
  expect(answer).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["query", "search_field_values", 0] }] },
  });
});
