import { Grid, Select, Stack, Switch, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import type { AgentResponse, AgentSttProvider, AgentWaitSound } from "../api-types.ts";
import { KeyValues } from "../editors/key-values.tsx";
import { RecordSelect } from "../lists/record-select.tsx";
import { Findings } from "../parts/findings.tsx";
import { Panel, RouteLink } from "../parts/parts.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import type { RecordFormProps } from "../records/record-page.tsx";
import { Steady } from "../records/steady.tsx";
import { useMay } from "../server/me.tsx";
import { zones } from "../time/zone.ts";
import { AGENT_LABELS, type AgentValues } from "./agent-values.ts";
import { PromptVersionSelect } from "./prompt-version-select.tsx";
import { TemplateStart } from "./template-start.tsx";
import { ToolSettingFields } from "./tool-setting-fields.tsx";

const STT_PROVIDERS: AgentSttProvider[] = [
  "Google STT V2 (Chirp 2)",
  "Google STT V2",
  "Google STT V1",
  "Deepgram Nova 3",
  "Deepgram Nova 3 (On-Prem)",
  "Deepgram Nova 2",
];
const WAIT_SOUNDS: { value: AgentWaitSound; label: string }[] = [
  { value: "No Sound", label: "No sound" },
  { value: "Keyboard 1", label: "Keyboard 1" },
  { value: "Keyboard 2", label: "Keyboard 2" },
  { value: "Call Center", label: "Call center" },
];

/** An agent's settings; a new one may begin with a template. */
export function AgentForm(props: RecordFormProps<AgentResponse, AgentValues>) {
  const { form, record: agent, frame } = props;
  const values = form.getValues();
  const { errors } = form;
  const { variables, prompt_tool_defaults, tool_headers } = values;
  const { name, description, ...choices } = values;
  const mayBeginPrompt = useMay()("prompts_write") && agent === null;
  return (
    <Stack gap="md">
      {agent === null && <TemplateStart name={values.name} />}
      <Findings issues={agent?.validation_issues} labels={AGENT_LABELS} />
      <Panel
        title={agent ? "Settings" : "Start from your own prompt"}
        actions={
          mayBeginPrompt && (
            <Text size="sm">
              <RouteLink to="/prompts/new">New prompt</RouteLink>
            </Text>
          )
        }
      >
        <RecordFormFrame {...frame}>
          <TextInput label="Name" required {...form.getInputProps("name")} />
          <Textarea
            label="Description"
            autosize
            minRows={1}
            maxRows={6}
            {...form.getInputProps("description")}
          />
          <Steady of={{ ...choices, agent, errors }}>
            {(shown) => (
              <Grid gap="md">
                <Grid.Col span={{ base: 12, sm: 8 }}>
                  <RecordSelect
                    operation="GET /api/v1/prompts/"
                    label="Prompt"
                    required
                    chosenName={agent?.prompt_id === shown.prompt_id ? agent.prompt?.name : null}
                    value={shown.prompt_id || null}
                    onChange={(prompt_id) => {
                      form.setFieldValue("prompt_id", prompt_id ?? 0);
                      form.setFieldValue("prompt_version_number", null);
                    }}
                    error={errors.prompt_id}
                  />
                </Grid.Col>
                <Grid.Col span={{ base: 12, sm: 4 }}>
                  <PromptVersionSelect
                    prompt_id={shown.prompt_id}
                    value={shown.prompt_version_number ?? null}
                    onChange={(version) => form.setFieldValue("prompt_version_number", version)}
                    error={errors.prompt_version_number}
                  />
                </Grid.Col>
                <Grid.Col span={{ base: 12, sm: 6 }}>
                  <RecordSelect
                    operation="GET /api/v1/custom_messages/"
                    label="Greeting"
                    chosenName={
                      agent?.custom_message_id === shown.custom_message_id
                        ? agent?.custom_message?.name
                        : null
                    }
                    value={shown.custom_message_id ?? null}
                    onChange={(chosen) => form.setFieldValue("custom_message_id", chosen)}
                    error={errors.custom_message_id}
                  />
                </Grid.Col>
                <Grid.Col span={{ base: 12, sm: 6 }}>
                  <RecordSelect
                    operation="GET /api/v1/language_groups/"
                    label="Languages and voices"
                    chosenName={
                      agent?.language_group_id === shown.language_group_id
                        ? agent?.language_group?.name
                        : null
                    }
                    value={shown.language_group_id ?? null}
                    onChange={(chosen) => form.setFieldValue("language_group_id", chosen)}
                    error={errors.language_group_id}
                  />
                </Grid.Col>
                <Grid.Col span={{ base: 12, sm: 6 }}>
                  <RecordSelect
                    operation="GET /api/v1/bridge_phrases/"
                    label="Bridge phrases"
                    description="Played while a tool runs. Empty: the organization's default."
                    value={shown.bridge_phrases_id ?? null}
                    onChange={(chosen) => form.setFieldValue("bridge_phrases_id", chosen)}
                    error={errors.bridge_phrases_id}
                  />
                </Grid.Col>
                <Grid.Col span={{ base: 12, sm: 6 }}>
                  <Select
                    label="Time zone"
                    description="Used for dates, times and opening hours."
                    data={zones()}
                    searchable
                    limit={50}
                    allowDeselect={false}
                    {...form.getInputProps("timezone")}
                  />
                </Grid.Col>
                <Grid.Col span={{ base: 12, sm: 6 }}>
                  <Select
                    label="Speech recognition"
                    description="On calls."
                    placeholder="Carrier default"
                    data={STT_PROVIDERS}
                    clearable
                    {...form.getInputProps("stt_provider")}
                  />
                </Grid.Col>
                <Grid.Col span={{ base: 12, sm: 6 }}>
                  <Select
                    label="Sound while thinking"
                    description="Played to callers while the model works."
                    placeholder="No sound"
                    data={WAIT_SOUNDS}
                    clearable
                    {...form.getInputProps("wait_sound")}
                  />
                </Grid.Col>
                <Grid.Col span={12}>
                  <TagsInput
                    label="Labels"
                    description="For filtering. Press Enter to add one."
                    {...form.getInputProps("labels")}
                  />
                </Grid.Col>
              </Grid>
            )}
          </Steady>
          <Steady
            of={{ variables, settings: prompt_tool_defaults, tool_headers, tools: agent?.tools, errors }}
          >
            {({ variables, settings, tool_headers, tools }) => (
              <>
                <KeyValues
                  label="Variables"
                  description="Available as {{ name }} in the prompt and the greeting."
                  value={variables}
                  onChange={(changed) => form.setFieldValue("variables", changed)}
                  error={errors.variables}
                />
                <ToolSettingFields
                  tools={tools ?? []}
                  value={settings}
                  onChange={(changed) => form.setFieldValue("prompt_tool_defaults", changed)}
                  error={errors.prompt_tool_defaults}
                />
                <KeyValues
                  label="Extra HTTP headers for tools"
                  description="Sent with every request of this agent's tools. Not encrypted: keep credentials in a service."
                  value={tool_headers ?? {}}
                  onChange={(headers) =>
                    form.setFieldValue("tool_headers", Object.keys(headers).length > 0 ? headers : null)
                  }
                  error={errors.tool_headers}
                />
              </>
            )}
          </Steady>
          <Stack gap="xs">
            <Switch
              label="Let the model open the conversation"
              {...form.getInputProps("agent_initiated", { type: "checkbox" })}
            />
            <Switch
              label="Change language on request"
              {...form.getInputProps("enable_verbal_language_change", { type: "checkbox" })}
            />
          </Stack>
        </RecordFormFrame>
      </Panel>
    </Stack>
  );
}
