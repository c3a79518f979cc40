import { recordPage } from "../records/build-record-page.tsx";
import { AgentForm } from "./agent-form.tsx";
import { AGENT_LABELS, agentBody, agentValues } from "./agent-values.ts";
import { AgentWorkbench } from "./agent-workbench.tsx";

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
  body: agentBody,
  Around: ({ record, children }) => <AgentWorkbench agent={record}>{children}</AgentWorkbench>,
  Form: AgentForm,
});
