import {
  Grid,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  Switch,
  Tabs,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { PromptLlmConfig, PromptLlmProvider, PromptResponse } from "../api-types.ts";
import { call } from "../ground/api.ts";
import { Findings } from "../ground/findings.tsx";
import { useMay } from "../ground/me.tsx";
import { Facts, Panel, RouteLink } from "../ground/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../ground/record-form.tsx";
import { RecordPage } from "../ground/record-page.tsx";
import { RecordSelect } from "../ground/record-select.tsx";
import { RemoveRecord } from "../ground/remove-record.tsx";
import { TemplateEditor } from "../ground/template-editor.tsx";
import { unknownNames, variablesOf } from "../ground/template-variables.ts";
import { PromptVersions } from "./prompt-versions.tsx";

type Values = {
  name: string;
  description: string;
  context: string;
  tools: string[];
  llm_config: PromptLlmConfig;
  session_end_enabled: boolean;
  session_end_tool_id: number | null;
  edit_comments: string;
};

const NEW: Values = {
  name: "",
  description: "",
  context: "",
  tools: ["hangup"],
  llm_config: {
    provider: "openai",
    model: "gpt-6-luna",
    version: null,
    api_version: null,
    temperature: null,
    seed: null,
  },
  session_end_enabled: false,
  session_end_tool_id: null,
  edit_comments: "",
};

const read = (id: string) => call("GET /api/v1/prompts/{id}", { path: { id: Number(id) } });

export default function PromptPage() {
  return (
    <RecordPage
      queryKey="prompt"
      newTitle="New prompt"
      title="Prompt"
      back={{ to: "/prompts", label: "Prompts" }}
      read={read}
      changed={(found) => ({
        at: found.last_updated,
        by: found.last_updated_by,
        version: found.version_number ?? 1,
      })}
    >
      {(id, found) => <PromptForm key={id} id={id} prompt={found} />}
    </RecordPage>
  );
}

function PromptForm({ id, prompt }: { id: string; prompt: PromptResponse | null }) {
  const may = useMay();
  const navigate = useNavigate();
  const { view = "form" } = useSearch({ strict: false }) as { view?: string };
  const record = useRecordForm<PromptResponse, Values>({
    noun: "Prompt",
    record: prompt,
    values: (found) => (found ? valuesOf(found) : NEW),
    save(values) {
      const body = {
        ...values,
        type: "prompt_v1",
        description: values.description || null,
        edit_comments: values.edit_comments || null,
        include_default_tools: false,
      };
      return prompt
        ? call("PUT /api/v1/prompts/", { body: { ...body, id: prompt.id } })
        : call("POST /api/v1/prompts/", { body });
    },
    reread: () => read(id),
    invalidates: [["prompt"], ["prompt history"], ["GET /api/v1/prompts/"]],
    onSaved: (stored) => {
      if (prompt === null) void navigate({ to: `/prompts/${stored.id}` });
    },
  });
  const { form } = record;
  const values = form.getValues();
  const mayWrite = may("prompts_write");
  const agents = useAgents(prompt?.id ?? null);
  const variables = variablesOf(agents);
  const unknown = unknownNames(values.context, variables);
  const shown = prompt && view === "history" ? "history" : "form";
  return (
    <Tabs
      value={shown}
      onChange={(chosen) =>
        void navigate({ to: ".", search: chosen === "form" ? {} : { view: chosen }, resetScroll: false })
      }
      keepMounted={false}
    >
      <Tabs.List mb="md" aria-label="Views of the prompt">
        <Tabs.Tab value="form">Prompt</Tabs.Tab>
        {prompt && <Tabs.Tab value="history">Versions</Tabs.Tab>}
      </Tabs.List>
      {shown === "history" && prompt ? (
        <PromptVersions
          prompt={prompt}
          onRestore={
            mayWrite
              ? (version) => {
                  form.setFieldValue("context", version.prompt_text);
                  if (version.llm_config) form.setFieldValue("llm_config", version.llm_config);
                  form.setFieldValue("edit_comments", `As in version ${version.version_number}`);
                  void navigate({ to: ".", search: {} });
                }
              : null
          }
        />
      ) : (
        <>
          <Findings issues={prompt?.validation_issues} />
          {prompt && <Facts items={[["Used by", <Users key="agents" agents={agents} />]]} />}
          <Panel>
            <RecordFormFrame
              form={record}
              readOnly={!mayWrite}
              extra={
                prompt &&
                may("prompts_delete") && (
                  <RemoveRecord
                    noun="prompt"
                    name={prompt.name}
                    remove={(reason) =>
                      call("DELETE /api/v1/prompts/{id}", { path: { id: prompt.id }, query: { reason } })
                    }
                    invalidates={[["GET /api/v1/prompts/"]]}
                    onRemoved={() => void navigate({ to: "/prompts" })}
                  />
                )
              }
            >
              <TextInput label="Name" required dir="auto" {...form.getInputProps("name")} />
              <Textarea
                label="Description"
                dir="auto"
                autosize
                minRows={1}
                {...form.getInputProps("description")}
              />
              <TemplateEditor
                label="Instructions"
                description="Type {{ to fill in a variable."
                value={values.context}
                onChange={(context) => form.setFieldValue("context", context)}
                variables={variables}
                error={form.errors.context}
                readOnly={!mayWrite}
              />
              {unknown.length > 0 && (
                <Text size="sm" role="status">
                  Nothing sets {unknown.join(", ")} when a session starts: a tool, a workflow or a campaign
                  has to, or it stays empty.
                </Text>
              )}
              <ModelFields
                value={values.llm_config}
                onChange={(llm_config) => form.setFieldValue("llm_config", llm_config)}
                errorOf={(field) => form.errors[`llm_config.${field}`]}
              />
              <ToolNames
                value={values.tools}
                onChange={(tools) => form.setFieldValue("tools", tools)}
                error={form.errors.tools}
              />
              <Stack gap="xs">
                <Switch
                  label="Runs a tool when the session has ended"
                  {...form.getInputProps("session_end_enabled", { type: "checkbox" })}
                />
                {values.session_end_enabled && (
                  <RecordSelect
                    operation="GET /api/v1/tools/"
                    label="Tool at the end"
                    chosenName={prompt?.session_end_tool?.name}
                    value={values.session_end_tool_id}
                    onChange={(chosen) => form.setFieldValue("session_end_tool_id", chosen)}
                    error={form.errors.session_end_tool_id}
                  />
                )}
              </Stack>
              {prompt && (
                <TextInput
                  label="What changes, for the versions"
                  dir="auto"
                  {...form.getInputProps("edit_comments")}
                />
              )}
            </RecordFormFrame>
          </Panel>
        </>
      )}
    </Tabs>
  );
}

function Users({ agents }: { agents: { id: number; name: string }[] }) {
  if (agents.length === 0) return "no agent yet";
  return agents.map(({ id, name }, index) => (
    <span key={id}>
      {index > 0 && ", "}
      <RouteLink to={`/agents/${id}`}>{name}</RouteLink>
    </span>
  ));
}

/** Who uses the prompt, and with which variables. */
function useAgents(prompt_id: number | null) {
  const agents = useQuery({
    queryKey: ["GET /api/v1/agents/", "of prompt", prompt_id],
    enabled: prompt_id !== null,
    queryFn: ({ signal }) =>
      call("GET /api/v1/agents/", {
        query: { search_fields: ["prompt_id"], search_field_values: [String(prompt_id)], limit: 100 },
        signal,
      }),
  });
  return agents.data?.items ?? [];
}

function ModelFields(props: {
  value: PromptLlmConfig;
  onChange(value: PromptLlmConfig): void;
  errorOf(field: keyof PromptLlmConfig): React.ReactNode;
}) {
  const { value, onChange, errorOf } = props;
  const models = useQuery({
    queryKey: ["supported models"],
    staleTime: 300_000,
    queryFn: ({ signal }) => call("GET /api/v1/prompts/llms/supported", { signal }),
  });
  const offered = (models.data ?? []).map(({ provider, model, display_name, deprecated }) => ({
    value: `${provider}/${model}`,
    label: `${display_name}${deprecated ? ", to be retired" : ""} (${provider})`,
  }));
  const chosen = `${value.provider}/${value.model}`;
  const known = offered.some((option) => option.value === chosen);
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, sm: 6 }}>
        <Select
          label="Model"
          searchable
          allowDeselect={false}
          data={known ? offered : [{ value: chosen, label: chosen }, ...offered]}
          value={chosen}
          onChange={(picked) => {
            const [provider, ...model] = (picked ?? chosen).split("/");
            onChange({ ...value, provider: provider as PromptLlmProvider, model: model.join("/") });
          }}
          error={errorOf("model") ?? errorOf("provider")}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 6, sm: 3 }}>
        <NumberInput
          label="Temperature"
          placeholder="the model's own"
          min={0}
          max={2}
          step={0.1}
          decimalScale={2}
          value={value.temperature ?? ""}
          onChange={(temperature) =>
            onChange({ ...value, temperature: temperature === "" ? null : Number(temperature) })
          }
          error={errorOf("temperature")}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 6, sm: 3 }}>
        <NumberInput
          label="Seed"
          placeholder="none"
          allowDecimal={false}
          value={value.seed ?? ""}
          onChange={(seed) => onChange({ ...value, seed: seed === "" ? null : Number(seed) })}
          error={errorOf("seed")}
        />
      </Grid.Col>
    </Grid>
  );
}

function ToolNames(props: { value: string[]; onChange(value: string[]): void; error: React.ReactNode }) {
  const tools = useQuery({
    queryKey: ["GET /api/v1/tools/", "all names"],
    queryFn: ({ signal }) =>
      call("GET /api/v1/tools/", { query: { fields: ["name"], limit: 1000, order_by: "name" }, signal }),
  });
  const names = (tools.data?.items ?? []).map(({ name }) => name);
  return (
    <MultiSelect
      label="Tools"
      description="What the model may call; the names are those of Tools."
      searchable
      limit={100}
      data={[...new Set([...names, ...props.value])]}
      value={props.value}
      onChange={props.onChange}
      error={props.error}
    />
  );
}

const valuesOf = (prompt: PromptResponse): Values => ({
  name: prompt.name,
  description: prompt.description ?? "",
  context: prompt.context ?? "",
  tools: prompt.tools,
  llm_config: prompt.llm_config,
  session_end_enabled: prompt.session_end_enabled,
  session_end_tool_id: prompt.session_end_tool_id ?? null,
  edit_comments: "",
});
