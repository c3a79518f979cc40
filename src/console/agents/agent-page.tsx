import { Grid, Select, Stack, Switch, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { AgentResponse, AgentUpdate } from "../api-types.ts";
import { call } from "../ground/api.ts";
import { Findings } from "../ground/findings.tsx";
import { KeyValues } from "../ground/key-values.tsx";
import { useMay } from "../ground/me.tsx";
import { Fetched, PageHead, Panel } from "../ground/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../ground/record-form.tsx";
import { RecordSelect } from "../ground/record-select.tsx";
import { RemoveRecord } from "../ground/remove-record.tsx";
import { Time } from "../ground/time.tsx";
import { zones } from "../ground/zone.ts";
import { TalkPane } from "./talk-pane.tsx";

type Values = Omit<AgentUpdate, "id" | "label" | "languages">;

const NEW: Values = {
  name: "",
  description: "",
  labels: [],
  type: "ca_v1",
  prompt_id: 0,
  prompt_version_number: null,
  custom_message_id: null,
  language_group_id: null,
  bridge_phrases_id: null,
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC",
  prompt_tool_defaults: [],
  variables: {},
  tool_headers: null,
  agent_initiated: false,
  enable_verbal_language_change: false,
};

const read = (id: string) => call("GET /api/v1/agents/{id}", { path: { id: Number(id) } });

export default function AgentPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const isNew = id === "new";
  const agent = useQuery({ queryKey: ["agent", id], queryFn: () => read(id), enabled: !isNew });
  return (
    <>
      <PageHead
        title={isNew ? "New agent" : (agent.data?.name ?? "Agent")}
        back={{ to: "/agents", label: "Agents" }}
        about={
          agent.data && (
            <>
              Changed <Time at={agent.data.updated_at} /> by {agent.data.last_updated_by}
            </>
          )
        }
      />
      {isNew ? (
        <AgentForm id={id} agent={null} />
      ) : (
        <Fetched query={agent} lines={14}>
          {(found) => <AgentForm key={id} id={id} agent={found} />}
        </Fetched>
      )}
    </>
  );
}

function AgentForm({ id, agent }: { id: string; agent: AgentResponse | null }) {
  const may = useMay();
  const navigate = useNavigate();
  const record = useRecordForm<AgentResponse, Values>({
    noun: "Agent",
    record: agent,
    values: (found) => (found ? valuesOf(found) : NEW),
    save(values) {
      const body = { ...values, description: values.description || null };
      return agent
        ? call("PUT /api/v1/agents/", { body: { ...body, id: agent.id, languages: agent.languages } })
        : call("POST /api/v1/agents/", { body });
    },
    reread: () => read(id),
    invalidates: [["agent"], ["GET /api/v1/agents/"]],
    onSaved: (stored) => {
      if (agent === null) void navigate({ to: `/agents/${stored.id}` });
    },
  });
  const { form } = record;
  const values = form.getValues();
  const mayWrite = may("agents_write");
  return (
    <Grid gap="md" align="flex-start">
      <Grid.Col span={{ base: 12, lg: agent && may("chat") ? 7 : 12 }}>
        <Findings issues={agent?.validation_issues} />
        <Panel>
          <RecordFormFrame
            form={record}
            readOnly={!mayWrite}
            extra={
              agent &&
              may("agents_delete") && (
                <RemoveRecord
                  noun="agent"
                  name={agent.name}
                  remove={(reason) =>
                    call("DELETE /api/v1/agents/{id}", { path: { id: agent.id }, query: { reason } })
                  }
                  invalidates={[["GET /api/v1/agents/"]]}
                  onRemoved={() => void navigate({ to: "/agents" })}
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
              maxRows={6}
              {...form.getInputProps("description")}
            />
            <Grid gap="md">
              <Grid.Col span={{ base: 12, sm: 8 }}>
                <RecordSelect
                  operation="GET /api/v1/prompts/"
                  label="Prompt"
                  required
                  chosenName={agent?.prompt_id === values.prompt_id ? agent.prompt?.name : null}
                  value={values.prompt_id || null}
                  onChange={(prompt_id) => {
                    form.setFieldValue("prompt_id", prompt_id ?? 0);
                    form.setFieldValue("prompt_version_number", null);
                  }}
                  error={form.errors.prompt_id}
                />
              </Grid.Col>
              <Grid.Col span={{ base: 12, sm: 4 }}>
                <PromptVersion
                  prompt_id={values.prompt_id}
                  value={values.prompt_version_number ?? null}
                  onChange={(version) => form.setFieldValue("prompt_version_number", version)}
                  error={form.errors.prompt_version_number}
                />
              </Grid.Col>
              <Grid.Col span={{ base: 12, sm: 6 }}>
                <RecordSelect
                  operation="GET /api/v1/custom_messages/"
                  label="Greeting"
                  chosenName={agent?.custom_message?.name}
                  value={values.custom_message_id ?? null}
                  onChange={(chosen) => form.setFieldValue("custom_message_id", chosen)}
                  error={form.errors.custom_message_id}
                />
              </Grid.Col>
              <Grid.Col span={{ base: 12, sm: 6 }}>
                <RecordSelect
                  operation="GET /api/v1/language_groups/"
                  label="Languages and voices"
                  chosenName={agent?.language_group?.name}
                  value={values.language_group_id ?? null}
                  onChange={(chosen) => form.setFieldValue("language_group_id", chosen)}
                  error={form.errors.language_group_id}
                />
              </Grid.Col>
              <Grid.Col span={{ base: 12, sm: 6 }}>
                <Select
                  label="Time zone"
                  description="What “today” and opening hours mean to the agent."
                  data={zones()}
                  searchable
                  limit={50}
                  allowDeselect={false}
                  {...form.getInputProps("timezone")}
                />
              </Grid.Col>
              <Grid.Col span={{ base: 12, sm: 6 }}>
                <TagsInput
                  label="Labels"
                  description="To find it again; Enter adds one."
                  {...form.getInputProps("labels")}
                />
              </Grid.Col>
            </Grid>
            <KeyValues
              label="Variables"
              description="Filled into the prompt and the greeting where they say {{ name }}."
              value={values.variables}
              onChange={(variables) => form.setFieldValue("variables", variables)}
              error={form.errors.variables}
            />
            <KeyValues
              label="Headers of tool calls"
              description="Sent with every request of this agent's tools."
              value={values.tool_headers ?? {}}
              onChange={(headers) =>
                form.setFieldValue("tool_headers", Object.keys(headers).length > 0 ? headers : null)
              }
              error={form.errors.tool_headers}
            />
            <Stack gap="xs">
              <Switch label="Speaks first" {...form.getInputProps("agent_initiated", { type: "checkbox" })} />
              <Switch
                label="May change the language when asked to"
                {...form.getInputProps("enable_verbal_language_change", { type: "checkbox" })}
              />
            </Stack>
          </RecordFormFrame>
        </Panel>
      </Grid.Col>
      {agent && may("chat") && (
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <TalkPane agent_id={agent.id} />
        </Grid.Col>
      )}
    </Grid>
  );
}

/** A new version of the prompt is used at once, unless the agent keeps to one. */
function PromptVersion(props: {
  prompt_id: number;
  value: number | null;
  onChange(version: number | null): void;
  error: React.ReactNode;
}) {
  const { prompt_id, value, onChange, error } = props;
  const history = useQuery({
    queryKey: ["prompt history", prompt_id],
    queryFn: ({ signal }) => call("GET /api/v1/prompts/{id}/history", { path: { id: prompt_id }, signal }),
    enabled: prompt_id > 0,
  });
  const numbers = (history.data ?? []).map((version) => String(version.version_number));
  const kept = value !== null && !numbers.includes(String(value)) ? [String(value)] : [];
  return (
    <Select
      label="Version"
      placeholder="Always the newest"
      data={[...kept, ...numbers].map((number) => ({ value: number, label: `Version ${number}` }))}
      value={value === null ? null : String(value)}
      onChange={(number) => onChange(number === null ? null : Number(number))}
      clearable
      error={error}
    />
  );
}

/** What of the record can be sent back. */
function valuesOf(agent: AgentResponse): Values {
  const own = Object.keys(NEW).map((name) => [
    name,
    agent[name as keyof AgentResponse] ?? NEW[name as keyof Values],
  ]);
  return {
    ...(Object.fromEntries(own) as Values),
    stt_provider: agent.stt_provider as Values["stt_provider"],
    wait_sound: agent.wait_sound as Values["wait_sound"],
  };
}
