import type { QueryClient } from "@tanstack/react-query";
import type { AgentResponse } from "../api-types.ts";
import { call } from "../server/api.ts";
import { type AgentValues, agentBody, agentValues } from "./agent-values.ts";

/** Saves the agent as it is now with what a section of its page chose, which its page shows from then on, however often it is left and opened. */
export async function changeAgent(
  client: QueryClient,
  agent_id: number,
  change: (now: AgentResponse) => Partial<AgentValues>,
): Promise<void> {
  const now = await call("GET /api/v1/agents/{agent_id}", { path: { agent_id } });
  const values = { ...agentValues(now), ...change(now) };
  const saved = await call("PUT /api/v1/agents/", { body: { ...agentBody(values, now), id: agent_id } });
  client.setQueryData(["agent", String(agent_id)], saved);
}
