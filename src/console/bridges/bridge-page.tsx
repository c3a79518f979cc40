import { Divider, NumberInput, Switch, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { BridgePhrasesConfigPayload, BridgePhrasesResponse, PhraseSet } from "../api-types.ts";
import { Panel, RouteLink } from "../parts/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../records/record-form.tsx";
import { RecordPage } from "../records/record-page.tsx";
import { RemoveRecord } from "../records/remove-record.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { AddTool, PhraseFields, ToolPhrases } from "./phrase-fields.tsx";

type Values = {
  name: string;
  description: string;
  config: BridgePhrasesConfigPayload;
  is_default: boolean;
  edit_comments: string;
};

const NO_PHRASES: PhraseSet = { messages: [], localized: {} };
const NEW: Values = {
  name: "",
  description: "",
  config: {
    phrases: NO_PHRASES,
    tools: [],
    smart_turn_timeout_seconds: 2.75,
    randomize_bridge_phrases: false,
  },
  is_default: false,
  edit_comments: "",
};

const LIST = ["GET /api/v1/bridge_phrases/"];
const MOST_TOOLS = 200;
const read = (id: string) =>
  call("GET /api/v1/bridge_phrases/{bridge_phrases_id}", { path: { bridge_phrases_id: Number(id) } });

export default function BridgePage() {
  return (
    <RecordPage
      queryKey="bridge phrases"
      newTitle="New phrases"
      title="Bridge phrases"
      back={{ to: "/bridges", label: "Bridge phrases" }}
      read={read}
    >
      {(id, found) => <BridgeForm key={id} id={id} phrases={found} />}
    </RecordPage>
  );
}

function BridgeForm({ id, phrases }: { id: string; phrases: BridgePhrasesResponse | null }) {
  const may = useMay();
  const navigate = useNavigate();
  const tools = useQuery({
    queryKey: ["GET /api/v1/tools/", "names"],
    enabled: may("tools_read"),
    queryFn: ({ signal }) =>
      call("GET /api/v1/tools/", { query: { limit: MOST_TOOLS, order_by: "name" }, signal }),
  });
  const record = useRecordForm<BridgePhrasesResponse, Values>({
    noun: "Bridge phrases",
    labels: {
      config: "Phrases",
      "config.randomize_bridge_phrases": "Random order",
      is_default: "Default set",
      edit_comments: "Version note",
    },
    record: phrases,
    values: (found) => (found ? valuesOf(found) : NEW),
    save({ edit_comments, ...values }) {
      const body = {
        ...values,
        description: values.description || null,
        config: withoutEmptyLines(values.config),
      };
      return phrases
        ? call("PUT /api/v1/bridge_phrases/", {
            body: { ...body, id: phrases.id, edit_comments: edit_comments || null },
          })
        : call("POST /api/v1/bridge_phrases/", { body });
    },
    reread: () => read(id),
    invalidates: [["bridge phrases"], LIST],
    onSaved: (stored) => {
      if (phrases === null) void navigate({ to: `/bridges/${stored.id}` });
    },
  });
  const { form } = record;
  const { config } = form.getValues();
  const readOnly = !may("bridge_phrases_write");
  const set = (part: Partial<BridgePhrasesConfigPayload>) =>
    form.setFieldValue("config", { ...config, ...part });
  const taken = config.tools.map(({ tool_name }) => tool_name);
  return (
    <Panel>
      <RecordFormFrame
        form={record}
        readOnly={readOnly}
        extra={
          phrases &&
          may("bridge_phrases_delete") && (
            <RemoveRecord
              noun="set of phrases"
              name={phrases.name}
              remove={(reason) =>
                call("DELETE /api/v1/bridge_phrases/{bridge_phrases_id}", {
                  path: { bridge_phrases_id: phrases.id },
                  query: { reason },
                })
              }
              invalidates={[LIST]}
              onRemoved={() => void navigate({ to: "/bridges", ignoreBlocker: true })}
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
        <NumberInput
          label="First phrase after"
          description="Seconds, 0.25 to 30. The next follow after two, three and four times as long. Empty: none."
          w={340}
          maw="100%"
          suffix=" s"
          step={0.25}
          decimalScale={2}
          value={config.smart_turn_timeout_seconds ?? ""}
          onChange={(seconds) => set({ smart_turn_timeout_seconds: seconds === "" ? null : Number(seconds) })}
          error={form.errors["config.smart_turn_timeout_seconds"]}
        />
        <Switch
          label="Random order"
          description="Each phrase is used once per round, never twice in a row."
          {...form.getInputProps("config.randomize_bridge_phrases", { type: "checkbox" })}
        />
        <Switch
          label="Default set"
          description="Used by agents without a set of their own."
          {...form.getInputProps("is_default", { type: "checkbox" })}
        />
        <PhraseFields
          name="the agent"
          value={config.phrases}
          onChange={(next) => set({ phrases: next })}
          errorOf={(path) => form.errors[`config.phrases.${path}`]}
          readOnly={readOnly}
        />
        <Divider />
        <PhraseFields
          name="the apology"
          label="Apology"
          description="Spoken when the model gives no answer. Empty: the built-in apology in the session's language."
          value={config.apology ?? NO_PHRASES}
          onChange={(next) => set({ apology: next })}
          errorOf={(path) => form.errors[`config.apology.${path}`]}
          readOnly={readOnly}
        />
        {config.tools.map(({ tool_name, phrases: own }, index) => (
          <div key={tool_name}>
            <Divider mb="md" />
            <ToolPhrases
              tool={tool_name}
              value={own}
              onChange={(next) => set({ tools: config.tools.with(index, { tool_name, phrases: next }) })}
              onRemove={() => set({ tools: config.tools.toSpliced(index, 1) })}
              errorOf={(path) => form.errors[`config.tools.${index}.phrases.${path}`]}
              readOnly={readOnly}
            />
          </div>
        ))}
        {!readOnly && (
          <AddTool
            tools={(tools.data?.items ?? []).map(({ name }) => name).filter((name) => !taken.includes(name))}
            onAdd={(tool_name) => set({ tools: [...config.tools, { tool_name, phrases: NO_PHRASES }] })}
          />
        )}
        {phrases?.agents_info && phrases.agents_info.length > 0 && (
          <div>
            Said by{" "}
            {phrases.agents_info.map((agent, index) => (
              <span key={agent.id}>
                {index > 0 && ", "}
                <RouteLink to={`/agents/${agent.id}`}>{agent.name}</RouteLink>
              </span>
            ))}
          </div>
        )}
        {phrases && <TextInput label="Version note" dir="auto" {...form.getInputProps("edit_comments")} />}
      </RecordFormFrame>
    </Panel>
  );
}

const valuesOf = (phrases: BridgePhrasesResponse): Values => ({
  name: phrases.name,
  description: phrases.description ?? "",
  config: phrases.config,
  is_default: phrases.is_default,
  edit_comments: "",
});

/** Lines that nothing was written in say nothing. */
function withoutEmptyLines(config: BridgePhrasesConfigPayload): BridgePhrasesConfigPayload {
  const said = (messages: string[]) => messages.map((text) => text.trim()).filter((text) => text !== "");
  const cleaned = ({ messages, localized }: PhraseSet): PhraseSet => ({
    messages: said(messages),
    localized: Object.fromEntries(
      Object.entries(localized).map(([tag, own]) => [tag, { messages: said(own.messages) }]),
    ),
  });
  return {
    ...config,
    phrases: cleaned(config.phrases),
    ...(config.apology && { apology: cleaned(config.apology) }),
    tools: config.tools.map(({ tool_name, phrases }) => ({ tool_name, phrases: cleaned(phrases) })),
  };
}
