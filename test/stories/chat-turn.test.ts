import { beforeAll, expect, test } from "vitest";
import WebSocket from "ws";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { createPeer, json, type Peer } from "../harness/peer.ts";

/** Story B: a chat turn with a tool call, from the visitor's message to everything that can be read of it later. */
let app: TestApp;
let peer: Peer;
let url: string;

beforeAll(async () => {
  app = await createTestApp();
  peer = await createPeer();
  url = await app.listen();
});

test("a visitor's message calls a real HTTP tool, is answered, and the session tells how", async () => {
  // An agent whose tool calls a service that wants a bearer token.
  peer.respond((_request, response) =>
    json(response, 200, { slots: [{ time: "09:00" }, { time: "14:00" }] }),
  );
  const { target, agent_id } = await createAgent(app, {
    context: "You book appointments for {{ vars.clinic }}.",
    script: `
      on /book .* (?<day>monday|tuesday)/ -> say "One moment." then call find_slots {"day": "{day}"}
      after find_slots -> say "Free: {result.slots.*.time}."`,
    tools: [
      endpointTool("find_slots", `${peer.url}/clinics/{clinic}/slots`, {
        parameters: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
        endpoint: { argument_location: "path" },
        definition: {
          static_parameters: [
            { name: "clinic", required: true, type: "string", default: "{{ vars.clinic }}" },
          ],
          options: { propagate_tool_result: true },
        },
      }),
    ],
    service: { auth_type: "bearer", auth_values: { token: "calendar-secret" } },
    greeting: { text: "Hello from {{ vars.clinic }}, it is {{ vars.session.day_of_week }}." },
    agent: { variables: { "vars.clinic": "North & South" } },
  });

  // The page opens a session and is greeted.
  const opened = await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target });
  expect(opened).toMatchObject({
    status: 200,
    body: { greeting: "Hello from North & South, it is Wednesday." },
  });
  const { session_id, token } = opened.body;

  // It speaks over a WebSocket and hears two messages, the second with what the tool found.
  const chat = await connect(
    `${url.replace("http", "ws")}/chat/v1/sessions/${session_id}/socket?token=${token}`,
  );
  chat.send({ text: "Please book me in on monday", id: "m1" });
  const events = await chat.until((all) => all.filter((event) => event.type === "message").length === 2);
  const words = events.filter((event) => event.type === "message").map((event) => event.text);
  expect(words).toEqual(["One moment.", "Free: 09:00 and 14:00."]);
  expect(events.filter((event) => event.type === "typing").length).toBeGreaterThan(2);
  chat.close();

  // The service saw one request: path encoded, rest in the query, authenticated.
  expect(peer.requests).toMatchObject([
    {
      method: "GET",
      path: "/clinics/North%20%26%20South/slots?day=monday",
      headers: { authorization: "Bearer calendar-secret" },
    },
  ]);

  // The transcript has what was said and what was done.
  const transcript = (await app.send("GET", `/api/v1/sessions/transcript/${session_id}`)).body;
  expect(
    transcript.transcription.map((entry: { source: string; text: string }) => [entry.source, entry.text]),
  ).toEqual([
    ["agent", "Hello from North & South, it is Wednesday."],
    ["user", "Please book me in on monday"],
    ["agent", "One moment."],
    ["agent", "Free: 09:00 and 14:00."],
  ]);
  expect(transcript.actions).toMatchObject([{ tool_name: "find_slots", tool_error: null }]);
  expect(JSON.parse(transcript.actions[0].tool_result)).toEqual({
    slots: [{ time: "09:00" }, { time: "14:00" }],
  });

  // Session debug joins the call to the words it led to; its result is there because the tool hands it on.
  const debug = (await app.send("GET", `/api/v1/session_debug/session_id/${session_id}`)).body;
  expect(debug).toMatchObject({ session_id: Number(session_id), target, is_test: false });
  expect(debug.messages.at(-1)).toMatchObject({
    role: "agent",
    dialog: { text: "Free: 09:00 and 14:00." },
    tool_calls: [
      { tool_name: "find_slots", tool_arguments: { day: "monday" }, tool_result: { slots: [{}, {}] } },
    ],
  });

  // The timeline and the latency report know both model answers and the HTTP call.
  const timeline = (await app.send("GET", `/api/v1/sessions/timeline/${session_id}`)).body;
  const happenings = timeline.events.filter((event: { kind: string }) => event.kind !== "latency");
  // The clock stood still: all of it is of one millisecond, and in its order.
  expect(happenings.map((event: Record<string, string>) => event.source ?? event.label)).toEqual([
    "agent",
    "user",
    "agent",
    "find_slots",
    "agent",
  ]);
  const latency = (await app.send("GET", `/api/v1/sessions/latency/${session_id}`)).body;
  expect(latency.summary).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ category: "llm", sub_category: "answer", event_count: 2 }),
      expect.objectContaining({ category: "http", event_count: 1 }),
      expect.objectContaining({ category: "tool", sub_category: "find_slots", event_count: 1 }),
    ]),
  );

  // It is listed, told of as an event, and nobody holds its lease.
  const sessions = (
    await app.send("GET", `/api/v1/sessions/?search_fields=agent_id&search_field_values=${agent_id}`)
  ).body;
  expect(sessions.items).toMatchObject([{ session_id, channel_manager_type: "web_chat_v1", is_test: false }]);
  const happened = (
    await app.send("GET", `/api/v1/events/?search_fields=session_id&search_field_values=${session_id}`)
  ).body;
  expect(happened.items).toMatchObject([{ category: "conversation", type: "session-start", session_id }]);
  const row = await app.db
    .selectFrom("sessions")
    .select(["lease_owner", "turn_count"])
    .where("id", "=", Number(session_id))
    .executeTakeFirstOrThrow();
  expect(row).toEqual({ lease_owner: null, turn_count: 1 });
});

type ChatEvent = { type: string; text?: string };

async function connect(address: string) {
  const socket = new WebSocket(address);
  const events: ChatEvent[] = [];
  let changed = () => {};
  socket.on("message", (data) => {
    events.push(JSON.parse(String(data)));
    changed();
  });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  return {
    send: (message: object) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
    async until(enough: (events: ChatEvent[]) => boolean): Promise<ChatEvent[]> {
      while (!enough(events)) {
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
      }
      return events;
    },
  };
}
