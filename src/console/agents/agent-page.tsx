import type { AgentResponse } from "../api-types.ts";
import { RecordPage } from "../records/record-page.tsx";
import { call } from "../server/api.ts";
import { AgentForm } from "./agent-form.tsx";

const read = (id: string): Promise<AgentResponse> =>
  call("GET /api/v1/agents/{agent_id}", { path: { agent_id: Number(id) } });

export default function AgentPage() {
  return (
    <RecordPage
      queryKey="agent"
      newTitle="New agent"
      title="Agent"
      back={{ to: "/agents", label: "Agents" }}
      read={read}
    >
      {(id, found) => <AgentForm key={id} agent={found} reread={() => read(id)} />}
    </RecordPage>
  );
}
