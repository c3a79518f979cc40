import { Stack, Switch, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { PromptResponse } from "../api-types.ts";
import { variablesOf } from "../editors/template-variables.ts";
import { RecordSelect } from "../lists/record-select.tsx";
import { Findings } from "../parts/findings.tsx";
import { Panel } from "../parts/parts.tsx";
import { ViewTabs } from "../parts/view-tabs.tsx";
import { AgentLinks } from "../records/agent-links.tsx";
import { useAgentsWith } from "../records/agents-with.ts";
import { NameFields, VersionNote } from "../records/common-fields.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import type { RecordFormProps } from "../records/record-page.tsx";
import { PromptFields } from "./prompt-fields.tsx";
import { PROMPT_LABELS, type PromptValues } from "./prompt-values.ts";
import { PromptVersions } from "./prompt-versions.tsx";

/** A prompt's form and a view of its versions, from which one can be restored into the form. */
export function PromptForm(props: RecordFormProps<PromptResponse, PromptValues>) {
  const { form, record: prompt, readOnly, frame } = props;
  const navigate = useNavigate();
  const values = form.getValues();
  const agents = useAgentsWith("prompt_id", prompt?.id ?? null);
  const variables = variablesOf(agents?.items ?? []);
  return (
    <ViewTabs label="Views of the prompt" views={{ form: "Prompt", ...(prompt && { history: "Versions" }) }}>
      {(shown) =>
        shown === "history" && prompt ? (
          <PromptVersions
            prompt={prompt}
            onRestore={
              readOnly
                ? null
                : (version) => {
                    form.setFieldValue("context", version.prompt_text);
                    if (version.llm_config) form.setFieldValue("llm_config", version.llm_config);
                    form.setFieldValue("edit_comments", `As in version ${version.version_number}`);
                    void navigate({ to: ".", search: {} });
                  }
            }
          />
        ) : (
          <>
            <Findings issues={prompt?.validation_issues} labels={PROMPT_LABELS} />
            {agents && (
              <Text size="sm" mb="md">
                Used by{" "}
                {agents.items.length === 0 ? (
                  "no agent yet"
                ) : (
                  <AgentLinks
                    agents={agents.items}
                    total={agents.total_count}
                    all={`/agents?f_prompt_id=${prompt?.id}`}
                  />
                )}
              </Text>
            )}
            <Panel>
              <RecordFormFrame {...frame}>
                <NameFields form={form} />
                <PromptFields form={form} variables={variables} readOnly={readOnly} />
                <Stack gap="xs">
                  <Switch
                    label="Run a tool after the session"
                    {...form.getInputProps("session_end_enabled", { type: "checkbox" })}
                  />
                  {values.session_end_enabled && (
                    <RecordSelect
                      operation="GET /api/v1/tools/"
                      label="End-of-session tool"
                      chosenName={
                        prompt?.session_end_tool_id === values.session_end_tool_id
                          ? prompt?.session_end_tool?.name
                          : null
                      }
                      value={values.session_end_tool_id}
                      onChange={(chosen) => form.setFieldValue("session_end_tool_id", chosen)}
                      error={form.errors.session_end_tool_id}
                    />
                  )}
                </Stack>
                <VersionNote form={form} record={prompt} />
              </RecordFormFrame>
            </Panel>
          </>
        )
      }
    </ViewTabs>
  );
}
