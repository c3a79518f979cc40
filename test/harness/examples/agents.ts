import { endpointTool } from "../endpoint-tool.ts";
import { type Examples, type Made, type Maker, plainRecord } from "./example.ts";

export const service = (maker: Maker): Promise<Made> => maker.post("/services/", serviceInput(maker));
const serviceInput = (maker: Maker) => ({
  name: `Booking system ${maker.next()}`,
  description: "The calendar of the clinic",
});

const STEPS = {
  type: "context",
  tool: {
    type: "function",
    function: { name: "greet", description: "Greets the person", parameters: { type: "object" } },
  },
  context: { task: { type: "steps", version: "v1alpha", steps: [{ id: "ONE", goal: "Say hello" }] } },
};

export const tool = async (maker: Maker): Promise<Made> => maker.post("/tools/", await toolInput(maker));
async function toolInput(maker: Maker) {
  const name = `find_slots_${maker.next()}`;
  const { id } = await service(maker);
  const parameters = {
    type: "object",
    required: ["date"],
    properties: { date: { type: "string", description: "As 2026-12-01" } },
  };
  const description = "Finds free times on a day";
  const definition = endpointTool(name, "http://127.0.0.1:9/slots", { description, parameters });
  return { name, definition, service_id: id };
}

export const prompt = (maker: Maker): Promise<Made> => maker.post("/prompts/", promptInput(maker));
const promptInput = (maker: Maker) => ({
  name: `Front desk prompt ${maker.next()}`,
  type: "prompt_v1",
  context:
    'You answer the clinic\'s visitors in short sentences.\n```script\non "bye" -> say "Goodbye!" then call hangup {"reason": "done"}\n```',
  llm_config: { provider: "openai", model: "scripted" },
  tools: ["hangup"],
});

export const agent = async (maker: Maker): Promise<Made> => maker.post("/agents/", await agentInput(maker));
const agentInput = async (maker: Maker) => ({
  name: `Front desk ${maker.next()}`,
  type: "ca_v1",
  prompt_id: (await prompt(maker)).id,
  timezone: "America/New_York",
  prompt_tool_defaults: [],
  languages: [],
  variables: {},
  tool_headers: null,
});

const agentFile = (maker: Maker) => ({
  format: "parley-agent-1",
  name: `Front desk ${maker.next()}`,
  timezone: "UTC",
  variables: {},
  prompt: {
    name: `Front desk prompt ${maker.next()}`,
    context: "You answer the clinic's visitors in short sentences.",
    llm_config: { model: "scripted" },
  },
});

const voice = { language_code: "en-US", voice_provider: "ElevenLabs", voice_display_name: "Alice" };
const languageGroup = (maker: Maker) => ({
  name: `Group ${maker.next()}`,
  language_configs: [{ ...voice, dtmf_code: 1 }],
  skip_current_language_in_message: true,
});

const member = (maker: Maker) => ({ name: `Member ${maker.next()}`, type: "contact" });
const members = "/api/v1/directory_members/";
const ofMember = async (maker: Maker) => (await maker.post("/directory_members/", member(maker))).id;

const SOURCES = "/api/v1/data_sources/{}";
const leaflet = { file: { filename: "leaflet.md", content: "# Aftercare\n\nCool the cheek." } };
const ofSource = async (maker: Maker): Promise<number> => {
  const source = { name: `source_${maker.next()}`, chunk: false, text: "Open from 9 to 5" };
  return (await maker.post("/data_sources/", source)).id;
};
const ofDocument = async (maker: Maker): Promise<[number, number]> => {
  const id = await ofSource(maker);
  const { id: document } = await maker.call(`POST ${SOURCES}/documents/`, { at: [id], form: leaflet });
  return [id, document];
};
const crawl = { start_url: "http://127.0.0.1:9/" };
const ofCrawl = async (maker: Maker): Promise<number> => {
  const id = await ofSource(maker);
  await maker.call(`PUT ${SOURCES}/crawl`, { at: [id], body: crawl });
  return id;
};
const ofSources: Examples = {
  [`GET ${SOURCES}/documents/`]: async (maker) => ({ at: [await ofSource(maker)] }),
  [`POST ${SOURCES}/documents/`]: async (maker) => ({ at: [await ofSource(maker)], form: leaflet }),
  [`GET ${SOURCES}/documents/{}`]: async (maker) => ({ at: await ofDocument(maker) }),
  [`DELETE ${SOURCES}/documents/{}`]: async (maker) => ({ at: await ofDocument(maker) }),
  [`GET ${SOURCES}/crawl`]: async (maker) => ({ at: [await ofCrawl(maker)] }),
  [`PUT ${SOURCES}/crawl`]: async (maker) => ({ at: [await ofSource(maker)], body: crawl }),
  [`POST ${SOURCES}/crawl/run`]: async (maker) => {
    const id = await ofCrawl(maker);
    await maker.call(`POST ${SOURCES}/crawl/stop`, { at: [id] });
    return { at: [id] };
  },
  [`POST ${SOURCES}/crawl/stop`]: async (maker) => ({ at: [await ofCrawl(maker)] }),
  [`DELETE ${SOURCES}/crawl`]: async (maker) => ({ at: [await ofCrawl(maker)] }),
  [`GET ${SOURCES}/crawl/pages/`]: async (maker) => ({ at: [await ofCrawl(maker)] }),
  [`POST ${SOURCES}/search`]: async (maker) => ({
    at: [await ofSource(maker)],
    body: { question: "when do you open" },
  }),
};

const pronunciations = { filename: "p.csv", content: "text,replacement,languages\r\nAI,A I,en-US\r\n" };

/** An MCP server that nobody answers for, whose list was read before. */
const mcpServer = async (maker: Maker): Promise<Made> => {
  const mcp_url = "http://127.0.0.1:9/mcp";
  const made = await maker.post("/services/", { ...serviceInput(maker), mcp_url });
  const hash = "0".repeat(64);
  const offered = { name: `book_${maker.next()}`, description: "", input_schema: { type: "object" } };
  const tools = JSON.stringify([{ ...offered, schema_hash: hash, description_hash: hash }]);
  const at = maker.app.clock.now().toISOString();
  const values = { service_id: made.id, url: mcp_url, tools, read_at: at, asked_at: at };
  await maker.app.db.insertInto("mcp_listings").values(values).execute();
  return { ...made, offered };
};

export const AGENTS: Examples = {
  ...plainRecord("/services", serviceInput),
  "GET /api/v1/services/{}/mcp": async (maker) => ({ at: [(await mcpServer(maker)).id] }),
  "POST /api/v1/services/{}/mcp/refresh": async (maker) => ({ at: [(await mcpServer(maker)).id] }),
  "POST /api/v1/services/{}/mcp/tools": async (maker) => {
    const { id, offered } = await mcpServer(maker);
    return { at: [id], body: { tools: [{ tool: offered.name }] } };
  },

  "GET /api/v1/tools/": () => ({}),
  "POST /api/v1/tools/": async (maker) => ({ body: await toolInput(maker) }),
  "PUT /api/v1/tools/": async (maker) => {
    const { id, name, definition, service_id } = await tool(maker);
    return { body: { id, name, definition, service_id } };
  },
  "POST /api/v1/custom_messages/calendar": () => ({
    body: {
      from: "2026-11-18",
      rules: [
        { description: "Weekends", days_of_week: ["sa"], invert: false, text: "Hello, we are closed today." },
      ],
    },
  }),
  "POST /api/v1/tools/check": async (maker) => ({ body: await toolInput(maker) }),
  "POST /api/v1/tools/try": async (maker) => {
    const { definition, service_id } = await toolInput(maker);
    return { body: { definition, service_id, arguments: { date: "2026-12-01" } } };
  },
  "POST /api/v1/tools/play": () => ({ body: { definition: STEPS, events: [{ type: "activate" }] } }),
  "GET /api/v1/tools/{}": async (maker) => ({ at: [(await tool(maker)).name] }),
  "DELETE /api/v1/tools/{}": async (maker) => ({ at: [(await tool(maker)).name], query: { reason: "test" } }),
  "GET /api/v1/tools/{}/history": async (maker) => ({ at: [(await tool(maker)).id] }),

  "GET /api/v1/agents/templates": () => ({}),
  "POST /api/v1/agents/from_template": (maker) => ({
    body: { template: "faq", name: `Front desk ${maker.next()}` },
  }),
  "POST /api/v1/agents/import": (maker) => ({ body: { text: JSON.stringify(agentFile(maker)) } }),
  "GET /api/v1/agents/{}/redaction": async (maker) => ({ at: [(await agent(maker)).id] }),
  "PUT /api/v1/agents/{}/redaction": async (maker) => ({
    at: [(await agent(maker)).id],
    body: { kinds: ["card", "email"], patterns: [{ name: "case number", pattern: "CASE-[0-9]{6}" }] },
  }),
  "DELETE /api/v1/agents/{}/redaction": async (maker) => {
    const { id } = await agent(maker);
    await maker.call("PUT /api/v1/agents/{}/redaction", { at: [id], body: { kinds: ["card"] } });
    return { at: [id] };
  },
  "GET /api/v1/agents/{}/dialing-settings": async (maker) => ({ at: [(await agent(maker)).id] }),
  "PUT /api/v1/agents/{}/dialing-settings": async (maker) => ({
    at: [(await agent(maker)).id],
    body: { max_concurrent: 5 },
  }),
  "GET /api/v1/agents/{}/retention": async (maker) => ({ at: [(await agent(maker)).id] }),
  "PUT /api/v1/agents/{}/retention": async (maker) => ({
    at: [(await agent(maker)).id],
    body: { retention: { recording: 30, session: null } },
  }),
  "DELETE /api/v1/agents/{}/retention": async (maker) => {
    const { id } = await agent(maker);
    await maker.call("PUT /api/v1/agents/{}/retention", {
      at: [id],
      body: { retention: { session: 30 } },
    });
    return { at: [id] };
  },
  "GET /api/v1/agents/{}/export": async (maker) => ({ at: [(await agent(maker)).id] }),
  "POST /api/v1/agents/{}/duplicate": async (maker) => ({
    at: [(await agent(maker)).id],
    body: { name: `Front desk ${maker.next()}` },
  }),
  ...plainRecord("/prompts", promptInput),
  "GET /api/v1/prompts/{}/history": async (maker) => ({ at: [(await prompt(maker)).id] }),
  "GET /api/v1/prompts/llms/supported": () => ({}),

  ...plainRecord("/agents", agentInput),
  "GET /api/v1/agents/labels": () => ({}),
  "GET /api/v1/agents/voices/available": () => ({}),
  "POST /api/v1/agents/test/messages": async (maker) => ({
    body: {
      service_name: "test",
      source: "tester@example.com",
      test_id: `test-${maker.next()}`,
      agent_id: String((await agent(maker)).id),
      text: "bye",
    },
  }),
  "POST /api/v1/agents/{}/test/calls": async (maker) => ({ at: [(await agent(maker)).id], body: {} }),

  ...plainRecord("/custom_messages", (maker) => ({
    name: `Greeting ${maker.next()}`,
    text: "Hello, this is the clinic. How can I help you?",
  })),
  ...plainRecord("/voice_groups", languageGroup),
  ...plainRecord("/language_groups", languageGroup),
  "POST /api/v1/voice_groups/voices/sample": () => ({ body: voice }),
  "POST /api/v1/language_groups/voices/sample": () => ({ body: voice }),

  ...plainRecord("/bridge_phrases", (maker) => ({ name: `Phrases ${maker.next()}` })),
  "GET /api/v1/conversation-config/bridges": () => ({}),
  "PUT /api/v1/conversation-config/bridges": () => ({ body: { messages: ["One moment."] } }),

  ...plainRecord("/data_sources", (maker) => ({
    name: `source_${maker.next()}`,
    chunk: false,
    text: "Open from 9 to 5",
  })),
  ...ofSources,

  "GET /api/v1/pronunciations": () => ({}),
  "GET /api/v1/pronunciations/metadata": () => ({}),
  "GET /api/v1/pronunciations/csv": async (maker) => {
    await maker.call("POST /api/v1/pronunciations/csv", { form: { file: pronunciations } });
    return {};
  },
  "POST /api/v1/pronunciations/csv": () => ({ form: { file: pronunciations } }),
  "DELETE /api/v1/pronunciations/csv": async (maker) => {
    await maker.call("POST /api/v1/pronunciations/csv", { form: { file: pronunciations } });
    return {};
  },

  [`GET ${members}`]: () => ({}),
  [`POST ${members}`]: (maker) => ({ body: member(maker) }),
  [`GET ${members}{}`]: async (maker) => ({ at: [await ofMember(maker)] }),
  [`PUT ${members}{}`]: async (maker) => {
    const id = await ofMember(maker);
    return { at: [id], body: { id, ...member(maker) } };
  },
  [`DELETE ${members}{}`]: async (maker) => ({ at: [await ofMember(maker)], query: { comment: "test" } }),
  [`GET ${members}{}/history`]: async (maker) => ({ at: [await ofMember(maker)] }),
  [`GET ${members}{}/test`]: async (maker) => ({
    at: [await ofMember(maker)],
    query: { timestamp: "2026-11-18T12:00:00Z" },
  }),
  [`PUT ${members}{}/restore`]: async (maker) => {
    const id = await ofMember(maker);
    await maker.send("DELETE", `${members}${id}?comment=test`);
    return { at: [id], body: {} };
  },
  [`PUT ${members}upload/`]: (maker) => ({
    form: { file: { filename: "members.json", content: JSON.stringify([member(maker)]) } },
  }),
  [`GET ${members}download/`]: () => ({}),

  // Written by operators alone, so a neighbour has none of its own.
  ...plainRecord("/incidents", () => ({
    description: "Slow answers",
    start_datetime: "2026-11-18T08:00:00Z",
    resolution_datetime: "2026-11-18T09:00:00Z",
    impact_category: "Low",
    sessions_impacted: 3,
    markdown: "Models answered slowly.",
  })),
  "GET /api/v1/incidents/organizations": () => ({}),
};
