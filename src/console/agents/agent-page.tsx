import { recordPage } from "../records/build-record-page.tsx";
import { AgentForm } from "./agent-form.tsx";
import { AGENT_LABELS, type AgentValues, agentValues } from "./agent-values.ts";

export default recordPage({
  operations: {
    list: "GET /api/v1/agents/",
    read: "GET /api/v1/agents/{agent_id}",
    create: "POST /api/v1/agents/",
    update: "PUT /api/v1/agents/",
    remove: "DELETE /api/v1/agents/{agent_id}",
  },
  permission: "agents",
  noun: "Agent",
  queryKey: "agent",
  list: { to: "/agents", label: "Agents" },
  newTitle: "New agent",
  title: "Agent",
  values: agentValues,
  labels: AGENT_LABELS,
  together: [["prompt_id", "prompt_version_number"]],
  body: (values: AgentValues, stored) => ({
    ...values,
    description: values.description || null,
    ...(stored && { label: stored.label ?? null, languages: stored.languages }),
  }),
  Form: AgentForm,
});
