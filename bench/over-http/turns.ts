import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Pool } from "undici";
import { endpointTool } from "../../test/harness/endpoint-tool.ts";

/** Says one thing and waits for the answer. */
export type Chat = (text: string) => Promise<void>;
export type Post = (at: string, body: object, more?: Record<string, string>) => Promise<unknown>;

/** Then the same person begins another chat, so that histories stay as long as they are in life. */
export const TURNS_A_CHAT = 10;

/** A program of this folder in a process of its own, with the address it sends. */
export async function startChild(
  file: string,
  args: string[],
): Promise<{ process: ChildProcess; address: string }> {
  const child = fork(path.join(import.meta.dirname, file), args);
  const [address] = (await once(child, "message")) as [string];
  return { process: child, address };
}

/** What the program needs to reach the model and the tool of `services.ts`, and to take many people from one machine. */
export const environmentFor = (services: string): Record<string, string> => ({
  OPENAI_API_KEY: "sk-of-a-benchmark-00000000",
  OPENAI_BASE_URL: `${services}/v1`,
  EGRESS_ALLOW: "127.0.0.1",
  TRUST_PROXY: "1",
  VISITORS_PER_MINUTE: "1000000",
});

/** An agent with one tool, which the target `bench` of a web chat reaches. */
export async function makeReceptionist(url: string, token: string, services: string): Promise<void> {
  const make = async (at: string, body: object): Promise<{ id: number }> => {
    const response = await fetch(`${url}/api/v1${at}`, {
      method: "POST",
      headers: { "service-api-key": token, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const made = await response.json();
    if (!response.ok) throw new Error(`${at}: ${JSON.stringify(made)}`);
    return made as { id: number };
  };
  const service = await make("/services/", { name: "Times", description: "" });
  const parameters = { type: "object", properties: { day: { type: "string" } } };
  await make("/tools/", {
    name: "find",
    service_id: service.id,
    definition: endpointTool("find", `${services}/slots`, { parameters }),
  });
  const prompt = await make("/prompts/", {
    name: "Receptionist of the benchmark",
    type: "prompt_v1",
    context: "You are a test.",
    llm_config: { provider: "openai", model: "gpt-4o" },
    tools: ["find"],
  });
  const agent = await make("/agents/", {
    name: "Receptionist of the benchmark",
    type: "ca_v1",
    prompt_id: prompt.id,
    timezone: "America/New_York",
    prompt_tool_defaults: [],
    languages: [],
    variables: {},
    tool_headers: null,
  });
  const channel = await make("/channels/", { name: "Bench", channel_service: "webchat", config: {} });
  const target = { agent_id: agent.id, channel_id: channel.id, target: "bench", target_mode: "chat" };
  await make(`/channels/${channel.id}/targets`, target);
}

/** A chat with the receptionist, from an address of its own. */
export async function openChat(post: Post, n: number): Promise<Chat> {
  const headers = { "x-forwarded-for": `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}` };
  const opened = await post("/chat/v1/sessions", { client_id: "bench" }, headers);
  const { session_id, token } = opened as { session_id: string; token: string };
  return async (text) => {
    const answer = await post(`/chat/v1/sessions/${session_id}/messages?token=${token}`, { text }, headers);
    if (!JSON.stringify(answer).includes("We have nine and two."))
      throw new Error(`a turn was answered with ${JSON.stringify(answer)}`);
  };
}

/** One person: a turn as soon as the last one is answered. Resolves with how long each took. */
export async function talk(open: (n: number) => Promise<Chat>, until: number): Promise<number[]> {
  const took: number[] = [];
  while (performance.now() < until) {
    const say = await open(++chats);
    for (let turn = 0; turn < TURNS_A_CHAT && performance.now() < until; turn++) {
      const began = performance.now();
      await say("Is there anything on monday?");
      took.push(performance.now() - began);
    }
  }
  return took;
}
let chats = 0;

export function poster(pool: Pool): Post {
  return async (at, body, more = {}) => {
    const response = await pool.request({
      path: at,
      method: "POST",
      headers: { "content-type": "application/json", ...more },
      body: JSON.stringify(body),
    });
    const answer = await response.body.json();
    if (response.statusCode !== 200)
      throw new Error(`${at} answered ${response.statusCode}: ${JSON.stringify(answer)}`);
    return answer;
  };
}
