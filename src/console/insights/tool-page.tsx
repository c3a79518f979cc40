import { Button, Group, NumberInput, Select, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { InsightToolDefinition, InsightToolResponse } from "../api-types.ts";
import { asLeft } from "../parts/as-left.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Findings } from "../parts/findings.tsx";
import { Fetched, Panel } from "../parts/parts.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import type { RecordFormProps } from "../records/record-page.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { ArgumentFields, type Arguments } from "./argument-fields.tsx";
import { kindChoices } from "./insight-words.tsx";
import { TryTool } from "./try-tool.tsx";

type Values = {
  name: string;
  description: string;
  version: number;
  insight_tool_definition_id: number;
  tool_arguments: Arguments;
};

const NEW: Values = {
  name: "",
  description: "",
  version: 1,
  insight_tool_definition_id: 1,
  tool_arguments: { prompt: "", outputs: [{ name: "topic", type: "string" }] },
};

const LIST = "GET /api/v1/insights/tool-configurations";

export default recordPage({
  operations: {
    list: LIST,
    read: "GET /api/v1/insights/tool-configurations/{tool_id}",
    create: "POST /api/v1/insights/tool-configurations",
    update: "PUT /api/v1/insights/tool-configurations/{tool_id}",
  },
  permission: "insights",
  noun: "Insight tool",
  queryKey: "insight tool",
  list: { to: "/insights?view=tools", label: "Insight tools" },
  address: "/insights/tools",
  newTitle: "New insight tool",
  title: "Insight tool",
  version: ({ version }) => version,
  alsoInvalidates: [["insight workflow"]],
  together: [["insight_tool_definition_id", "tool_arguments"]],
  labels: { insight_tool_definition_id: "Type", tool_arguments: "Arguments" },
  values: (found): Values =>
    found
      ? {
          name: found.name,
          description: found.description,
          version: found.version,
          insight_tool_definition_id: found.insight_tool_definition_id,
          tool_arguments: (found.tool_arguments ?? {}) as Arguments,
        }
      : NEW,
  body: (values) => values,
  Remove: RemoveTool,
  Form: WithDefinitions,
});

type Props = RecordFormProps<InsightToolResponse, Values>;

function WithDefinitions(props: Props) {
  const definitions = useQuery({
    queryKey: ["insight definitions"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => call("GET /api/v1/insights/tool-definitions", { signal }),
  });
  return (
    <Fetched query={definitions} lines={12}>
      {(known) => <ToolForm {...props} definitions={known} />}
    </Fetched>
  );
}

function ToolForm(props: Props & { definitions: InsightToolDefinition[] }) {
  const { form, record: tool, readOnly, frame, definitions } = props;
  const may = useMay();
  const values = form.getValues();
  const definition = definitions.find((each) => each.id === values.insight_tool_definition_id);
  return (
    <>
      <Findings issues={tool?.validation_issues} />
      <Stack gap="md">
        <Panel>
          <RecordFormFrame {...frame}>
            <Group gap="md" grow align="flex-start" preventGrowOverflow={false}>
              <TextInput label="Name" required {...form.getInputProps("name")} />
              <Select
                label="Type"
                allowDeselect={false}
                data={kindChoices(definitions)}
                value={String(values.insight_tool_definition_id)}
                onChange={(chosen) => {
                  const next = Number(chosen);
                  if (next === values.insight_tool_definition_id) return;
                  const stored = form.getInitialValues();
                  form.setFieldValue("insight_tool_definition_id", next);
                  form.setFieldValue(
                    "tool_arguments",
                    [stored, NEW].find((each) => each.insight_tool_definition_id === next)?.tool_arguments ??
                      {},
                  );
                }}
                error={form.errors.insight_tool_definition_id}
              />
            </Group>
            {definition && (
              <Text size="sm" c="dimmed">
                {definition.description.replaceAll("`", "")}
              </Text>
            )}
            <Textarea label="Description" autosize minRows={1} {...form.getInputProps("description")} />
            {definition && (
              <ArgumentFields
                // Mounted anew for another definition, which has other parameters.
                key={definition.id}
                definition={definition}
                value={values.tool_arguments}
                onChange={(next) => form.setFieldValue("tool_arguments", next)}
                readOnly={readOnly}
              />
            )}
            {form.errors.tool_arguments && (
              <Text size="sm" c="var(--mantine-color-error)" role="alert">
                {form.errors.tool_arguments}
              </Text>
            )}
            <Group gap="xs" align="flex-start">
              <NumberInput
                label="Version"
                description="Raise the version to re-analyze past sessions."
                min={0}
                allowDecimal={false}
                inputWrapperOrder={["label", "input", "description", "error"]}
                {...form.getInputProps("version")}
              />
              {tool && !readOnly && values.version === tool.version && (
                <Button
                  mt={25}
                  variant="default"
                  onClick={() => form.setFieldValue("version", tool.version + 1)}
                >
                  Create version {tool.version + 1}
                </Button>
              )}
            </Group>
          </RecordFormFrame>
        </Panel>
        {tool && may("insights_write") && (
          <TryTool name={tool.name} saved_at={tool.updated_at} isDirty={frame.form.isDirty} />
        )}
      </Stack>
    </>
  );
}

function RemoveTool({ record }: { record: InsightToolResponse }) {
  const navigate = useNavigate();
  return (
    <ConfirmButton
      verb="Delete"
      c="var(--mantine-color-error)"
      question="Delete this insight tool?"
      act={() =>
        call("DELETE /api/v1/insights/tool-configurations/{tool_id}", {
          path: { tool_id: record.id },
        })
      }
      invalidates={[[LIST]]}
      done={`${record.name} deleted`}
      onDone={() => void navigate({ to: asLeft("/insights?view=tools"), ignoreBlocker: true, replace: true })}
    >
      No workflow can use <b dir="auto">{record.name}</b> any more. Its results are kept.
    </ConfirmButton>
  );
}
