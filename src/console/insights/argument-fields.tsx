import {
  ActionIcon,
  Button,
  Group,
  NumberInput,
  Select,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { InsightToolDefinition } from "../api-types.ts";
import { JsonEditor } from "../editors/json-editor.tsx";
import { KeyValues } from "../editors/key-values.tsx";
import { RecordSelect } from "../lists/record-select.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import classes from "./insights.module.css";
import {
  OUTPUT_TYPES,
  type Output,
  outputsOf,
  type Parameter,
  parametersOf,
  sentOutputs,
} from "./parameters.ts";
import { numberOrNull } from "./workflow-values.ts";

export type Arguments = Record<string, unknown>;

const HINTS: Record<string, string> = {
  prompt: "The model also gets the transcript. {{ insights.NAME }} inserts the result of an earlier tool.",
  provider: "Empty: default.",
  temperature: "0 to 2; lower is steadier.",
  seed: "The same seed makes results more repeatable, where the model supports it.",
  language: "A code such as en. Empty: detected.",
  diarize: "Labels each speaker in the transcript.",
  url: "Receives transcript and tool calls as JSON; returns a JSON object.",
  method: "Default: POST.",
  headers: "Not secret. Put credentials into a service.",
  service_id: "Credentials sent with the request.",
  pattern: "RE2 syntax. The result is the first group, or else the whole match.",
  field: "Default: the whole transcript.",
};
const LABELS: Record<string, string> = {
  service_id: "Service",
  url: "Address",
  diarize: "Separate speakers",
};
const LONG = ["prompt"];
/** Aligns the fields of a row, however long their descriptions are. */
const ORDER: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];

type Props = {
  definition: InsightToolDefinition;
  value: Arguments;
  onChange(value: Arguments): void;
  readOnly: boolean;
};

/** A field for each parameter of the definition. */
export function ArgumentFields({ definition, value, onChange, readOnly }: Props) {
  const set = (name: string, next: unknown) =>
    onChange(
      next === null || next === ""
        ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
        : { ...value, [name]: next },
    );
  return (
    <div className={classes.fields}>
      {parametersOf(definition.tool_parameters).map((parameter) => (
        <div key={parameter.name} className={isWide(parameter) ? classes.wide : undefined}>
          <Field
            definition={definition}
            parameter={parameter}
            all={value}
            set={(next) => set(parameter.name, next)}
            readOnly={readOnly}
          />
        </div>
      ))}
    </div>
  );
}

const isWide = ({ kind, name }: Parameter): boolean =>
  kind === "json" || kind === "texts" || LONG.includes(name) || name === "url";

function Field(props: {
  definition: InsightToolDefinition;
  parameter: Parameter;
  all: Arguments;
  set(value: unknown): void;
  readOnly: boolean;
}) {
  const { definition, parameter, all, set, readOnly } = props;
  const { name, required, kind, choices } = parameter;
  const value = all[name];
  const shared = {
    label: LABELS[name] ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " "),
    description: HINTS[name],
    inputWrapperOrder: ORDER,
    required,
  };
  if (name === "outputs") return <OutputFields value={outputsOf(value)} onChange={set} readOnly={readOnly} />;
  if (name === "service_id") {
    return (
      <RecordSelect
        operation="GET /api/v1/services/"
        {...shared}
        value={typeof value === "number" ? value : null}
        onChange={set}
      />
    );
  }
  if (definition.type === "llm" && (name === "provider" || name === "model")) {
    return <ModelField name={name} label={shared.label} all={all} set={set} />;
  }
  if (LONG.includes(name)) {
    return (
      <Textarea
        {...shared}
        autosize
        minRows={4}
        maxRows={24}
        value={String(value ?? "")}
        onChange={({ currentTarget }) => set(currentTarget.value)}
      />
    );
  }
  switch (kind) {
    case "text":
      return (
        <TextInput
          {...shared}
          value={String(value ?? "")}
          onChange={({ currentTarget }) => set(currentTarget.value)}
        />
      );
    case "number":
      return (
        <NumberInput
          {...shared}
          value={typeof value === "number" ? value : ""}
          onChange={(next) => set(numberOrNull(next))}
        />
      );
    case "choice":
    case "boolean":
      return (
        <Select
          {...shared}
          clearable={!required}
          clearButtonProps={{ "aria-label": `Clear ${shared.label}` }}
          data={kind === "boolean" ? ["true", "false"] : choices}
          value={value === undefined || value === null ? null : String(value)}
          onChange={(next) => set(kind === "boolean" && next !== null ? next === "true" : next)}
        />
      );
    case "texts":
      return (
        <KeyValues
          label={shared.label}
          description={shared.description}
          value={(value ?? {}) as Record<string, string>}
          onChange={(next) => set(Object.keys(next).length > 0 ? next : null)}
        />
      );
    default:
      return <JsonEditor label={shared.label} value={value ?? null} onChange={set} readOnly={readOnly} />;
  }
}

function ModelField(props: {
  name: "provider" | "model";
  label: string;
  all: Arguments;
  set(value: unknown): void;
}) {
  const { name, label, all, set } = props;
  const may = useMay();
  const offered = useQuery({
    queryKey: ["supported models"],
    staleTime: Number.POSITIVE_INFINITY,
    enabled: may("prompts_read"),
    queryFn: ({ signal }) => call("GET /api/v1/prompts/llms/supported", { signal }),
  });
  const value = typeof all[name] === "string" ? (all[name] as string) : null;
  const models = offered.data ?? [];
  const choices =
    name === "provider"
      ? models.map(({ provider }) => provider)
      : models
          .filter(({ provider }) => all.provider === undefined || provider === all.provider)
          .map(({ model }) => model);
  return (
    <Select
      label={label}
      placeholder="Default"
      searchable
      clearable
      clearButtonProps={{ "aria-label": `Clear ${label}` }}
      data={[...new Set([...(value ? [value] : []), ...choices])]}
      value={value}
      onChange={set}
    />
  );
}

/** The outputs that a model is asked for: names, types and, optionally, the allowed values. */
function OutputFields(props: { value: Output[]; onChange(value: unknown): void; readOnly: boolean }) {
  const { value, onChange, readOnly } = props;
  const change = (next: Output[]) => onChange(next.length > 0 ? sentOutputs(next) : null);
  return (
    <Stack gap={6}>
      <div>
        <Text size="sm" fw={500}>
          Answers
        </Text>
        <Text size="xs" c="dimmed">
          Values the model returns. None: a summary.
        </Text>
      </div>
      {value.map((output, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an answer is its place while its name is being typed
        <div key={index} className={classes.output}>
          <TextInput
            aria-label={`Name of answer ${index + 1}`}
            placeholder="topic"
            value={output.name}
            onChange={({ currentTarget }) =>
              change(value.with(index, { ...output, name: currentTarget.value }))
            }
          />
          <Select
            aria-label={`Type of answer ${index + 1}`}
            allowDeselect={false}
            data={OUTPUT_TYPES}
            value={output.type}
            onChange={(type) => change(value.with(index, { ...output, type: type ?? "string" }))}
          />
          <div className={classes.values}>
            <TagsInput
              aria-label={`Only these values of answer ${index + 1}`}
              placeholder={output.return_values.length > 0 ? "" : "any value, or only these"}
              disabled={output.type === "boolean"}
              splitChars={[","]}
              value={output.return_values}
              onChange={(return_values) => change(value.with(index, { ...output, return_values }))}
            />
          </div>
          {!readOnly && (
            <ActionIcon
              aria-label={`Remove answer ${output.name || index + 1}`}
              onClick={() => change(value.toSpliced(index, 1))}
            >
              <IconTrash size={15} />
            </ActionIcon>
          )}
        </div>
      ))}
      {!readOnly && (
        <Group>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} />}
            onClick={() => change([...value, { name: "", type: "string", return_values: [], more: {} }])}
          >
            Add answer
          </Button>
        </Group>
      )}
    </Stack>
  );
}
