import type { TestApp } from "./app.ts";
import type { endpointTool } from "./endpoint-tool.ts";

export type TestAgent = { agent_id: number; prompt_id: number; target: string; channel_id: number };

let counter = 0;

/** Makes, through the API, an agent whose scripted model follows `script`, with these tools, on a chat target of its own. */
export async function createAgent(
  app: TestApp,
  options: {
    script: string;
    tools?: ReturnType<typeof endpointTool>[];
    systemTools?: string[];
    context?: string;
    service?: object;
    greeting?: object;
    agent?: object;
  },
): Promise<TestAgent> {
  const n = ++counter;
  const make = async (method: string, path: string, body: object) => {
    const answer = await app.send(method, path, body);
    if (answer.status !== 200)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const service = await make("POST", "/api/v1/services/", {
    name: `Service ${n}`,
    description: "",
    ...options.service,
  });
  for (const definition of options.tools ?? []) {
    await make("POST", "/api/v1/tools/", {
      name: definition.tool.function.name,
      definition,
      service_id: service.id,
    });
  }
  const prompt = await make("POST", "/api/v1/prompts/", {
    name: `Prompt ${n}`,
    type: "prompt_v1",
    context: `${options.context ?? "You are a test."}\n\`\`\`script\n${options.script}\n\`\`\``,
    llm_config: { provider: "openai", model: "scripted" },
    tools: [...(options.tools ?? []).map((tool) => tool.tool.function.name), ...(options.systemTools ?? [])],
  });
  const message = options.greeting
    ? await make("POST", "/api/v1/custom_messages/", { name: `Greeting ${n}`, ...options.greeting })
    : null;
  const agent = await make("POST", "/api/v1/agents/", {
    name: `Agent ${n}`,
    type: "ca_v1",
    prompt_id: prompt.id,
    custom_message_id: message?.id ?? null,
    timezone: "America/New_York",
    prompt_tool_defaults: [],
    languages: [],
    variables: {},
    tool_headers: null,
    ...options.agent,
  });
  const channel = await make("POST", "/api/v1/channels/", {
    name: `Web ${n}`,
    channel_service: "webchat",
    config: {},
  });
  const target = `chat-${n}`;
  const body = { agent_id: agent.id, channel_id: channel.id, target, target_mode: "chat" };
  await make("POST", `/api/v1/channels/${channel.id}/targets`, body);
  return { agent_id: agent.id, prompt_id: prompt.id, target, channel_id: channel.id };
}

/** Talks with an agent through the test operation, one session a call of this. */
export function converse(app: TestApp, agent_id: number) {
  const test_id = `test-${++counter}`;
  let begun = false;
  return async (text: string, more: object = {}) => {
    const answer = await app.send("POST", "/api/v1/agents/test/messages", {
      service_name: "test",
      source: "tester@example.com",
      test_id,
      agent_id: String(agent_id),
      text,
      session_start: !begun,
      ...more,
    });
    begun = true;
    return { ...answer, text: answer.body.response_text as string, content: answer.body.response?.content };
  };
}
