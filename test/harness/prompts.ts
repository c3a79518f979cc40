import { expect } from "vitest";
import type { TestApp } from "./app.ts";
import { endpointTool } from "./endpoint-tool.ts";

export const PROMPTS = "/api/v1/prompts/";
export const llm_config = { provider: "openai", model: "scripted" };

/** Prompts through the API, and the tools they name, which are of the service of `at`. */
export function promptCalls(at: () => { app: TestApp; service_id: number }) {
  const createTool = async (name: string) => {
    const { app, service_id } = at();
    const definition = endpointTool(name, "https://example.com");
    return (await app.send("POST", "/api/v1/tools/", { name, service_id, definition })).body;
  };
  const toolId = async (name: string) => (await at().app.send("GET", `/api/v1/tools/${name}`)).body.id;
  const create = async (name: string, more: object = {}) => {
    const answer = await at().app.send("POST", PROMPTS, { name, type: "prompt_v1", llm_config, ...more });
    expect(answer).toMatchObject({ status: 200 });
    return answer.body;
  };
  const update = (id: number, name: string, more: object = {}) =>
    at().app.send("PUT", PROMPTS, { id, name, type: "prompt_v1", llm_config, ...more });
  const get = async (id: number) => (await at().app.send("GET", `${PROMPTS}${id}`)).body;
  const history = async (id: number) => (await at().app.send("GET", `${PROMPTS}${id}/history`)).body;
  return { createTool, toolId, create, update, get, history };
}

/** A service, and the tools "book", "cancel" and "close" of it. */
export async function createTools(app: TestApp): Promise<{ service_id: number }> {
  const service = await app.send("POST", "/api/v1/services/", { name: "Clinic", description: "" });
  const service_id: number = service.body.id;
  const { createTool } = promptCalls(() => ({ app, service_id }));
  for (const name of ["book", "cancel", "close"]) await createTool(name);
  return { service_id };
}
