import { API_KEY_HEADER } from "../src/api/server.ts";

/** A chat page that takes calls, of an agent with this script. Returns its `client_id`. */
export async function createVoicePage(url: string, token: string, script: string): Promise<string> {
  const send = async (method: string, path: string, body: object) => {
    const headers = { [API_KEY_HEADER]: token, "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as { id: number };
  };
  const prompt = await send("POST", "/api/v1/prompts/", {
    name: "Bench",
    type: "prompt_v1",
    context: `You are a bench.\n\`\`\`script\n${script}\n\`\`\``,
    llm_config: { provider: "openai", model: "scripted" },
    tools: [],
  });
  const agent = await send("POST", "/api/v1/agents/", {
    name: "Bench",
    type: "ca_v1",
    prompt_id: prompt.id,
    custom_message_id: null,
    timezone: "America/New_York",
    prompt_tool_defaults: [],
    languages: [],
    variables: {},
    tool_headers: null,
  });
  const channel = await send("POST", "/api/v1/channels/", {
    name: "Bench",
    channel_service: "webchat",
    config: {},
  });
  const target = await send("POST", `/api/v1/channels/${channel.id}/targets`, {
    agent_id: agent.id,
    channel_id: channel.id,
    target: "bench-voice",
    target_mode: "chat",
  });
  await send("PUT", `/api/v1/channels/${channel.id}/targets/${target.id}/browser_calls`, {
    browser_calls: true,
  });
  return "bench-voice";
}
