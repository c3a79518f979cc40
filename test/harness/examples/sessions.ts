import { insertHeldText } from "../rows.ts";
import { agent } from "./agents.ts";
import { target } from "./channels.ts";
import type { Example, Examples, Maker } from "./example.ts";

/** A test session that has called a tool and ended. */
export async function session(maker: Maker) {
  const test_id = `test-${maker.next()}`;
  const { id } = await agent(maker);
  const { response } = await maker.post("/agents/test/messages", {
    service_name: "test",
    source: "tester@example.com",
    test_id,
    agent_id: String(id),
    text: "bye",
  });
  const { session_id, tool_calls } = response.content;
  return { test_id, session_id: session_id as number, tool_call_id: tool_calls[0].tool_call_id as string };
}
/** A fork whose turn stands before the tool that the script calls. */
async function stoppedFork(maker: Maker): Promise<{ session_id: number }> {
  const { session_id } = await session(maker);
  const breakpoints = { tools: ["hangup"] };
  return maker.post(`/sessions/${session_id}/forks`, { turn_index: 1, text: "bye", breakpoints });
}
const ofSession = async (maker: Maker): Promise<Example> => ({ at: [(await session(maker)).session_id] });

const labelInput = async (maker: Maker) => ({
  session_id: (await session(maker)).session_id,
  type: "human-rating",
  code: "GOOD",
  user_email: maker.caller.email,
});

/** A text that was held in a session. */
async function heldText(maker: Maker): Promise<Example> {
  const { session_id } = await session(maker);
  const { id: channel_target_id, channel_id, target: number } = await target(maker);
  const { id } = await insertHeldText(maker.app, {
    sub_organization_id: maker.caller.sub_organization_id,
    channel_id,
    channel_target_id,
    target: number,
    held_in: session_id,
  });
  return { at: [session_id, `text-${id}`], body: {} };
}

const view = (maker: Maker) => ({
  name: `View ${maker.next()}`,
  search_fields: ["failed_tool"],
  search_field_values: ["book_slot"],
  columns: ["timestamp", "title"],
  last_days: 7,
});
const savedView = (maker: Maker): Promise<{ id: number }> => maker.post("/session_views/", view(maker));

const person = (maker: Maker) => ({ address: `person-${maker.next()}@example.com` });

/** A web chat that is open. */
async function chat(maker: Maker): Promise<Example> {
  const { target: client_id } = await target(maker);
  const { session_id, token } = (await maker.send("POST", "/chat/v1/sessions", { client_id })).body;
  return { at: [session_id], query: { token } };
}

/** The same, for those who step into it. */
const openChat = async (maker: Maker): Promise<Example> => ({ at: (await chat(maker)).at ?? [] });

async function takenChat(maker: Maker): Promise<Example> {
  const chat = await openChat(maker);
  await maker.post(`/sessions/${chat.at?.[0]}/takeover`, {});
  return chat;
}

const contactAddress = (maker: Maker): string => `person${maker.next()}@people.example`;
/** By its first address. */
async function contact(maker: Maker, ...more: string[]): Promise<string> {
  const address = contactAddress(maker);
  await maker.post("/contacts/", { addresses: [address, ...more] });
  return address;
}

export const SESSIONS: Examples = {
  "GET /api/v1/sessions/": () => ({}),
  "GET /api/v1/sessions/live": () => ({}),
  "GET /api/v1/sessions/search": () => ({}),
  "GET /api/v1/sessions/search/export": () => ({}),
  "GET /api/v1/session_views/": () => ({}),
  "POST /api/v1/session_views/": (maker) => ({ body: view(maker) }),
  "GET /api/v1/session_views/{}": async (maker) => ({ at: [(await savedView(maker)).id] }),
  "PUT /api/v1/session_views/": async (maker) => ({
    body: { ...view(maker), id: (await savedView(maker)).id },
  }),
  "DELETE /api/v1/session_views/{}": async (maker) => ({
    at: [(await savedView(maker)).id],
    query: { reason: "Not used" },
  }),
  "GET /api/v1/sessions/{}": ofSession,
  "GET /api/v1/sessions/transcript/{}": ofSession,
  "GET /api/v1/sessions/full-summary/{}": ofSession,
  "GET /api/v1/sessions/latency/{}": ofSession,
  "GET /api/v1/sessions/timeline/{}": ofSession,
  "GET /api/v1/sessions/{}/trace": ofSession,
  "GET /api/v1/sessions/{}/debug_turn": async (maker) => ({
    ...(await ofSession(maker)),
    query: { turn_index: "1" },
  }),
  "POST /api/v1/sessions/{}/forks": async (maker) => ({
    ...(await ofSession(maker)),
    body: { turn_index: 1, text: "bye" },
  }),
  "GET /api/v1/sessions/{}/fork": async (maker) => ({ at: [(await stoppedFork(maker)).session_id] }),
  "POST /api/v1/sessions/{}/continue": async (maker) => ({
    at: [(await stoppedFork(maker)).session_id],
    body: {},
  }),
  "GET /api/v1/sessions/{}/model_rounds": async (maker) => ({
    ...(await ofSession(maker)),
    query: { turn_index: "1" },
  }),
  "GET /api/v1/sessions/{}/tool_requests": async (maker) => ({
    ...(await ofSession(maker)),
    query: { turn_index: "1" },
  }),
  "GET /api/v1/sessions/{}/waveform": ofSession,
  "POST /api/v1/sessions/{}/takeover": openChat,
  "DELETE /api/v1/sessions/{}/takeover": takenChat,
  "POST /api/v1/sessions/{}/takeover/messages": async (maker) => {
    const taken = await takenChat(maker);
    return { ...taken, body: { text: "A person writes.", id: "1" } };
  },
  "POST /api/v1/sessions/{}/notes": async (maker) => ({
    ...(await openChat(maker)),
    body: { text: "Offer Monday." },
  }),
  "POST /api/v1/sessions/{}/end": openChat,
  "POST /api/v1/sessions/{}/held_messages/{}/release": heldText,
  "POST /api/v1/sessions/{}/held_messages/{}/answer": async (maker) => ({
    ...(await heldText(maker)),
    body: { text: "We call you back tomorrow." },
  }),
  "POST /api/v1/sessions/recording/{}": ofSession,
  "GET /api/v1/sessions/recording/stream": () => ({ query: { token: "none" } }),
  "GET /api/v1/session_debug/session_id/{}": ofSession,
  "GET /api/v1/session_debug/sid/{}/{}": async (maker) => ({
    at: ["console", (await session(maker)).test_id],
  }),
  "GET /api/v1/session_debug/tool_result/{}/{}": async (maker) => {
    const made = await session(maker);
    return { at: [made.session_id, made.tool_call_id] };
  },
  "DELETE /api/v1/sessions/{}": ofSession,
  "POST /api/v1/sessions/{}/redacted_values/open": async (maker) => ({
    ...(await ofSession(maker)),
    body: { reason: "Refund of case 12" },
  }),
  "GET /api/v1/sessions/{}/legal_hold": ofSession,
  "PUT /api/v1/sessions/{}/legal_hold": async (maker) => ({
    ...(await ofSession(maker)),
    body: { held: true, reason: "Case 12" },
  }),
  "GET /api/v1/organizations/contact-sources": () => ({}),
  "PUT /api/v1/organizations/contact-sources": () => ({ body: { inbound_sessions: true } }),
  "GET /api/v1/contacts/": () => ({}),
  "POST /api/v1/contacts/": (maker) => ({ body: { addresses: [contactAddress(maker)], name: "Ann" } }),
  "PUT /api/v1/contacts/{}": (maker) => ({ at: [contactAddress(maker)], body: { name: "Ann" } }),
  "DELETE /api/v1/contacts/{}": async (maker) => ({ at: [await contact(maker)] }),
  "POST /api/v1/contacts/{}/addresses": (maker) => ({
    at: [contactAddress(maker)],
    body: { address: contactAddress(maker) },
  }),
  "DELETE /api/v1/contacts/{}/addresses/{}": async (maker) => {
    const linked = contactAddress(maker);
    return { at: [await contact(maker, linked), linked] };
  },
  "GET /api/v1/contacts/{}": () => ({ at: ["+15125550142"] }),
  "GET /api/v1/contacts/{}/export": () => ({ at: ["+15125550142"] }),
  "GET /api/v1/erasures/": () => ({}),
  "POST /api/v1/erasures/preview": (maker) => ({ body: person(maker) }),
  "POST /api/v1/erasures/": (maker) => ({ body: person(maker) }),
  "GET /api/v1/erasures/{}": async (maker) => ({ at: [(await maker.post("/erasures/", person(maker))).id] }),
  "GET /api/v1/conversations/": () => ({}),
  "GET /api/v1/events/": () => ({}),
  "GET /api/v1/session_labels/": () => ({}),
  "POST /api/v1/session_labels/": async (maker) => ({ body: await labelInput(maker) }),
  "GET /api/v1/session_labels/{}": async (maker) => ({
    at: [(await maker.post("/session_labels/", await labelInput(maker))).id],
  }),

  "POST /chat/v1/calls": async (maker) => ({ body: { client_id: (await target(maker)).target } }),
  "POST /chat/v1/sessions": async (maker) => ({ body: { client_id: (await target(maker)).target } }),
  "GET /chat/v1/sessions/{}": chat,
  "GET /chat/v1/sessions/{}/client_calls": chat,
  "POST /chat/v1/sessions/{}/client_calls/{}": async (maker) => {
    const { at = [], query } = await chat(maker);
    const [session_id] = at;
    const key = `example-${session_id}`;
    await maker.app.db
      .insertInto("client_tool_calls")
      .values({
        session_id: Number(session_id),
        key,
        tool_name: "scroll",
        expires_at: "2999-01-01T00:00:00Z",
      })
      .execute();
    return { at: [...at, key], ...(query && { query }), body: { result: "done" } };
  },
  "POST /chat/v1/sessions/{}/messages": async (maker) => ({
    ...(await chat(maker)),
    body: { text: "hello" },
  }),
  "POST /chat/v1/sessions/{}/end": async (maker) => ({ ...(await chat(maker)), body: {} }),
};
