import { Group, Text } from "@mantine/core";
import type { AgentResponse, PromptResponse } from "../../api-types.ts";
import { variablesOf } from "../../editors/template-variables.ts";
import { counted } from "../../parts/counted.ts";
import { Findings } from "../../parts/findings.tsx";
import { Panel, RouteLink } from "../../parts/parts.tsx";
import { PromptFields } from "../../prompts/prompt-fields.tsx";
import { PROMPT_LABELS, promptBody, promptValues } from "../../prompts/prompt-values.ts";
import { useRecordForm } from "../../records/record-form.tsx";
import { RecordFormFrame } from "../../records/record-form-frame.tsx";
import { call } from "../../server/api.ts";
import { useMay } from "../../server/me.tsx";

/** The agent's prompt: what it says, its model and its tools, saved as a version of the prompt. */
export function InstructionsSection({ agent, prompt }: { agent: AgentResponse; prompt: PromptResponse }) {
  const may = useMay();
  const readOnly = !may("prompts_write");
  const form = useRecordForm({
    record: prompt,
    values: promptValues,
    reread: () => call("GET /api/v1/prompts/{prompt_id}", { path: { prompt_id: prompt.id } }),
    save: (values, stored) =>
      call("PUT /api/v1/prompts/", { body: { ...promptBody(values), id: stored?.id ?? prompt.id } }),
    invalidates: [["agent"], ["prompt"], ["prompt history"], ["GET /api/v1/prompts/"]],
    onSaved: () => {},
    noun: "Instructions",
    labels: PROMPT_LABELS,
  });
  const others = (prompt.agent_count ?? 1) - 1;
  const pinned = agent.prompt_version_number ?? null;
  return (
    <Panel
      title="Instructions"
      actions={
        <Group gap="md">
          {!readOnly && may("tools_write") && (
            <Text size="sm">
              <RouteLink to={`/workflows/new?agent=${agent.id}`}>New workflow</RouteLink>
            </Text>
          )}
          <Text size="sm">
            <RouteLink to={`/prompts/${prompt.id}`}>Versions and settings</RouteLink>
          </Text>
        </Group>
      }
    >
      {others > 0 && (
        <Text size="sm" mb="md" role="note">
          {counted(others, "other agent uses", "other agents use")} these instructions, too: what you save
          changes all of them. To change only this agent, duplicate it.
        </Text>
      )}
      {pinned !== null && (
        <Text size="sm" mb="md" role="note">
          This agent is fixed to version {pinned}. To use what you save here, choose the latest version in its
          settings.
        </Text>
      )}
      <Findings issues={prompt.validation_issues} labels={PROMPT_LABELS} />
      <RecordFormFrame form={form} readOnly={readOnly} verb="Save instructions">
        <PromptFields form={form.fields} variables={variablesOf([agent])} readOnly={readOnly} />
      </RecordFormFrame>
    </Panel>
  );
}
