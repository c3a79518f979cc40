import type { PromptResponse } from "../api-types.ts";
import { RecordPage } from "../records/record-page.tsx";
import { call } from "../server/api.ts";
import { PromptForm } from "./prompt-form.tsx";

const read = (id: string): Promise<PromptResponse> =>
  call("GET /api/v1/prompts/{prompt_id}", { path: { prompt_id: Number(id) } });

export default function PromptPage() {
  return (
    <RecordPage
      queryKey="prompt"
      newTitle="New prompt"
      title="Prompt"
      back={{ to: "/prompts", label: "Prompts" }}
      read={read}
      version={({ version_number }) => version_number ?? 1}
    >
      {(id, found) => <PromptForm key={id} prompt={found} reread={() => read(id)} />}
    </RecordPage>
  );
}
