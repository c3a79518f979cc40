import { Button, Group, NumberInput, Select, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { InsightToolDefinition, InsightToolOutput } from "../api-types.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Findings } from "../parts/findings.tsx";
import { Fetched, Panel } from "../parts/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../records/record-form.tsx";
import { RecordPage } from "../records/record-page.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { ArgumentFields, type Arguments } from "./argument-fields.tsx";
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

const LIST = ["GET /api/v1/insights/tool-configurations"];
const read = (tool_id: string) =>
  call("GET /api/v1/insights/tool-configurations/{tool_id}", { path: { tool_id } });

export default function InsightToolPage() {
  const definitions = useQuery({
    queryKey: ["insight definitions"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => call("GET /api/v1/insights/tool-definitions", { signal }),
  });
  return (
    <RecordPage
      queryKey="insight tool"
      newTitle="New insight tool"
      title="Insight tool"
      back={{ to: "/insights?view=tools", label: "Insight tools" }}
      read={read}
      version={({ version }) => version}
    >
      {(id, found) => (
        <Fetched query={definitions} lines={12}>
          {(known) => (
            <>
              <Findings issues={found?.validation_issues} />
              <ToolForm key={id} id={id} tool={found} definitions={known} />
            </>
          )}
        </Fetched>
      )}
    </RecordPage>
  );
}

function ToolForm(props: {
  id: string;
  tool: InsightToolOutput | null;
  definitions: InsightToolDefinition[];
}) {
  const { id, tool, definitions } = props;
  const may = useMay();
  const navigate = useNavigate();
  const record = useRecordForm<InsightToolOutput, Values>({
    noun: "Insight tool",
    together: [["insight_tool_definition_id", "tool_arguments"]],
    labels: { insight_tool_definition_id: "What it does", tool_arguments: "Arguments" },
    record: tool,
    values: (found) => (found ? valuesOf(found) : NEW),
    save: (body) =>
      tool
        ? call("PUT /api/v1/insights/tool-configurations/{tool_id}", { path: { tool_id: tool.id }, body })
        : call("POST /api/v1/insights/tool-configurations", { body }),
    reread: () => read(id),
    invalidates: [["insight tool"], ["insight workflow"], LIST],
    onSaved: (stored) => {
      if (tool === null) void navigate({ to: `/insights/tools/${stored.id}` });
    },
  });
  const { form } = record;
  const values = form.getValues();
  const readOnly = !may("insights_write");
  const definition = definitions.find((each) => each.id === values.insight_tool_definition_id);
  return (
    <Stack gap="md">
      <Panel>
        <RecordFormFrame
          form={record}
          readOnly={readOnly}
          extra={
            tool &&
            may("insights_delete") && (
              <ConfirmButton
                verb="Delete"
                c="var(--mantine-color-error)"
                question="Delete this insight tool?"
                act={() =>
                  call("DELETE /api/v1/insights/tool-configurations/{tool_id}", {
                    path: { tool_id: tool.id },
                  })
                }
                invalidates={[LIST]}
                done={`${tool.name} deleted`}
                onDone={() =>
                  void navigate({ to: "/insights", search: { view: "tools" } as never, ignoreBlocker: true })
                }
              >
                No workflow can use <b dir="auto">{tool.name}</b> any more. What it found stays.
              </ConfirmButton>
            )
          }
        >
          <Group gap="md" grow align="flex-start" preventGrowOverflow={false}>
            <TextInput label="Name" required dir="auto" {...form.getInputProps("name")} />
            <Select
              label="What it does"
              allowDeselect={false}
              data={definitions.map(({ id: number, name }) => ({ value: String(number), label: name }))}
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
              {definition.description}
            </Text>
          )}
          <Textarea
            label="Description"
            dir="auto"
            autosize
            minRows={1}
            {...form.getInputProps("description")}
          />
          {definition && (
            <ArgumentFields
              // Another definition asks for other things.
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
                Make it version {tool.version + 1}
              </Button>
            )}
          </Group>
        </RecordFormFrame>
      </Panel>
      {tool && may("insights_write") && (
        <TryTool name={tool.name} saved_at={tool.updated_at} isDirty={record.isDirty} />
      )}
    </Stack>
  );
}

const valuesOf = (tool: InsightToolOutput): Values => ({
  name: tool.name,
  description: tool.description,
  version: tool.version,
  insight_tool_definition_id: tool.insight_tool_definition_id,
  tool_arguments: (tool.tool_arguments ?? {}) as Arguments,
});
