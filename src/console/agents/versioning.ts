import type { AgentVersioning, ReplayGate } from "../api-types.ts";
import { call } from "../server/api.ts";

/** Saves of the agent and its parts invalidate all that begins with "agent". */
export const versioningQuery = (agent_id: number) => ({
  queryKey: ["agent", String(agent_id), "versioning"],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    call("GET /api/v1/agents/{agent_id}/versioning", { path: { agent_id }, signal }),
});

/** The newest first; without a page, as many as the API gives, to choose from. */
export const versionsQuery = (
  agent_id: number,
  query: { page?: number; limit: number } = { limit: 1000 },
) => ({
  queryKey: ["agent", String(agent_id), "versions", query],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    call("GET /api/v1/agents/{agent_id}/versions", { path: { agent_id }, query, signal }),
});

type Gate = AgentVersioning["gates"][number];
type AskedGate = Pick<Gate, "suite_id" | "at_least" | "most_answer_ms" | "most_cost_usd">;

/** The version that people reach, and the gates, where one of the two stays as it is. */
export const choose = (
  { agent_id, published_version, gates }: AgentVersioning,
  change: { published_version?: number | null; gates?: AskedGate[]; replay_gate?: ReplayGate | null },
) =>
  call("PUT /api/v1/agents/{agent_id}/versioning", {
    path: { agent_id },
    body: {
      published_version:
        change.published_version === undefined ? published_version : change.published_version,
      ...(change.replay_gate !== undefined && { replay_gate: change.replay_gate }),
      gates: (change.gates ?? gates).map(({ suite_id, at_least, most_answer_ms, most_cost_usd }) => ({
        suite_id,
        at_least,
        most_answer_ms: most_answer_ms ?? null,
        most_cost_usd: most_cost_usd ?? null,
      })),
    },
  });
