import { expect } from "vitest";
import type { TestApp } from "./app.ts";

export const AGENTS = "/api/v1/agents/";

/** Agents and their prompts through the API. An agent is on the prompt of `at`, unless a test says otherwise. */
export function agentCalls(at: () => { app: TestApp; prompt_id: number }) {
  const post = async (url: string, body: object) => {
    const answer = await at().app.send("POST", url, body);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body;
  };
  const createPrompt = (name: string, more: object = {}) =>
    post("/api/v1/prompts/", { name, type: "prompt_v1", llm_config: { model: "scripted" }, ...more });
  const agent = (name: string, more: object = {}) => ({
    name,
    type: "ca_v1",
    prompt_id: at().prompt_id,
    timezone: "America/New_York",
    variables: {},
    tool_headers: null,
    ...more,
  });
  const create = (name: string, more: object = {}) => post(AGENTS, agent(name, more));
  const get = async (id: number) => (await at().app.send("GET", `${AGENTS}${id}`)).body;
  return { post, createPrompt, agent, create, get };
}
