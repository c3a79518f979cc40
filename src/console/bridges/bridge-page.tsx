import { Divider, NumberInput, Switch } from "@mantine/core";
import type { BridgePhrasesConfigPayload, BridgePhrasesResponse, PhraseSet } from "../api-types.ts";
import { Panel } from "../parts/parts.tsx";
import { AgentLinks } from "../records/agent-links.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { NameFields, VersionNote } from "../records/common-fields.tsx";
import { fieldsOf, optionalText, VERSION_NOTE } from "../records/record-fields.ts";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import type { RecordFormProps } from "../records/record-page.tsx";
import { AddTool, PhraseFields, ToolPhrases } from "./phrase-fields.tsx";

const NO_PHRASES: PhraseSet = { messages: [], localized: {} };
const NEW_CONFIG: BridgePhrasesConfigPayload = {
  phrases: NO_PHRASES,
  tools: [],
  smart_turn_timeout_seconds: 2.75,
  randomize_bridge_phrases: false,
};

const fields = fieldsOf("PUT /api/v1/bridge_phrases/", {
  name: { initial: "" },
  description: optionalText(),
  config: { initial: NEW_CONFIG, label: "Phrases" },
  is_default: { initial: false, label: "Default set" },
  edit_comments: VERSION_NOTE,
});
type Values = ReturnType<typeof fields.values>;

export default recordPage({
  operations: {
    list: "GET /api/v1/bridge_phrases/",
    read: "GET /api/v1/bridge_phrases/{bridge_phrases_id}",
    create: "POST /api/v1/bridge_phrases/",
    update: "PUT /api/v1/bridge_phrases/",
    remove: "DELETE /api/v1/bridge_phrases/{bridge_phrases_id}",
  },
  permission: "bridge_phrases",
  noun: "Bridge phrases",
  removes: "set of phrases",
  queryKey: "bridge phrases",
  list: { to: "/bridges", label: "Bridge phrases" },
  newTitle: "New phrases",
  title: "Bridge phrases",
  ...fields,
  labels: {
    ...fields.labels,
    "config.smart_turn_timeout_seconds": "First phrase after (s)",
    "config.randomize_bridge_phrases": "Random order",
    "config.apology": "Apology",
  },
  body: (values: Values, stored) =>
    fields.body({ ...values, config: withoutEmptyLines(values.config) }, stored),
  Form: BridgeForm,
});

function BridgeForm({ form, record, frame, readOnly }: RecordFormProps<BridgePhrasesResponse, Values>) {
  const { config } = form.getValues();
  const set = (part: Partial<BridgePhrasesConfigPayload>) =>
    form.setFieldValue("config", { ...config, ...part });
  return (
    <Panel>
      <RecordFormFrame {...frame}>
        <NameFields form={form} />
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
            taken={config.tools.map(({ tool_name }) => tool_name)}
            onAdd={(tool_name) => set({ tools: [...config.tools, { tool_name, phrases: NO_PHRASES }] })}
          />
        )}
        {record?.agents_info && record.agents_info.length > 0 && (
          <div>
            Said by <AgentLinks agents={record.agents_info} />
          </div>
        )}
        <VersionNote form={form} record={record} />
      </RecordFormFrame>
    </Panel>
  );
}

/** Empty lines are not sent. */
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
