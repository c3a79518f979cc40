import { Alert, Grid, Group, NumberInput, Select, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import type { InsightWorkflowOutput } from "../api-types.ts";
import { KeyValues } from "../editors/key-values.tsx";
import { Panel } from "../parts/parts.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import type { RecordFormProps } from "../records/record-page.tsx";
import { Steady } from "../records/steady.tsx";
import { useMay } from "../server/me.tsx";
import { WhenField } from "../time/when-field.tsx";
import { OFFERED_SOURCES, SOURCE_NAMES, SOURCES } from "./insight-words.tsx";
import { FolderSelect, ToolOrder } from "./workflow-parts.tsx";
import { numberOrNull, type WorkflowValues } from "./workflow-values.ts";

export function WorkflowForm(props: RecordFormProps<InsightWorkflowOutput, WorkflowValues>) {
  const { form, record: workflow, readOnly, frame } = props;
  const may = useMay();
  const values = form.getValues();
  const { conditions, source, start_datetime, end_datetime } = values;
  const errorOf = (path: string) => form.errors[path];
  const setCondition = (part: Partial<WorkflowValues["conditions"]>) =>
    form.setFieldValue("conditions", { ...conditions, ...part });
  return (
    <>
      {workflow?.status === "ACTIVE" && may("insights_write") && (
        <Alert color="ink" icon={<IconLock />} mb="md" title="Active workflows can't be changed">
          Deactivate it under “Work and cost” first: a change can alter the cost.
        </Alert>
      )}
      <Panel>
        <RecordFormFrame {...frame}>
          <Group gap="md" grow align="flex-start" preventGrowOverflow={false}>
            <TextInput label="Name" required {...form.getInputProps("name")} />
            <Select
              label="Data"
              description={SOURCES[source].about}
              inputWrapperOrder={["label", "input", "description", "error"]}
              allowDeselect={false}
              data={workflow?.source === "sheet" ? SOURCE_NAMES : OFFERED_SOURCES}
              {...form.getInputProps("source")}
            />
          </Group>
          <Textarea label="Description" autosize minRows={1} {...form.getInputProps("description")} />
          <ToolOrder
            ids={values.insight_tool_ids}
            names={new Map(workflow?.insight_tools.map((tool) => [tool.id, tool.name]))}
            onChange={(ids) => form.setFieldValue("insight_tool_ids", ids)}
            error={errorOf("insight_tool_ids")}
            readOnly={readOnly}
          />
          <div>
            <Text fw={600}>Filters (optional)</Text>
            <Text size="sm" c="dimmed">
              Empty filters match everything.
              {source === "upload" && " A recording of unknown length never matches a length filter."}
            </Text>
          </div>
          <Steady of={{ conditions, source, start_datetime, end_datetime, errors: form.errors }}>
            {({ conditions: shown, source, start_datetime, end_datetime }) => (
              <Grid gap="md">
                <Grid.Col span={{ base: 12, sm: 4 }}>
                  <NumberInput
                    label="Minimum duration"
                    placeholder="Seconds"
                    suffix=" s"
                    min={0}
                    allowNegative={false}
                    value={shown.min_duration ?? ""}
                    onChange={(least) => setCondition({ min_duration: numberOrNull(least) })}
                    error={errorOf("conditions.min_duration")}
                  />
                </Grid.Col>
                <Grid.Col span={{ base: 12, sm: 4 }}>
                  <NumberInput
                    label="Maximum duration"
                    placeholder="Seconds"
                    suffix=" s"
                    min={0}
                    allowNegative={false}
                    value={shown.max_duration ?? ""}
                    onChange={(most) => setCondition({ max_duration: numberOrNull(most) })}
                    error={errorOf("conditions.max_duration")}
                  />
                </Grid.Col>
                <Grid.Col span={{ base: 12, sm: 4 }}>
                  <NumberInput
                    label="Sample rate"
                    suffix=" %"
                    min={0}
                    allowNegative={false}
                    max={100}
                    placeholder="100 %"
                    value={shown.sample_rate ?? ""}
                    onChange={(rate) => setCondition({ sample_rate: numberOrNull(rate) })}
                    error={errorOf("conditions.sample_rate")}
                  />
                </Grid.Col>
                <Grid.Col span={{ base: 12, sm: 6 }}>
                  <TagsInput
                    label={source === "upload" ? "Agent numbers" : "Agents"}
                    description={source === "upload" ? "As given at the upload." : "By name or number."}
                    value={shown.agent_list}
                    onChange={(agent_list) => setCondition({ agent_list })}
                    error={errorOf("conditions.agent_list")}
                  />
                </Grid.Col>
                {source === "upload" ? (
                  <Grid.Col span={{ base: 12, sm: 6 }}>
                    <FolderSelect
                      value={shown.folder_list}
                      onChange={(folder_list) => setCondition({ folder_list })}
                      error={errorOf("conditions.folder_list")}
                    />
                  </Grid.Col>
                ) : null}
                {(source !== "upload" || shown.prompt_list.length > 0) && (
                  <Grid.Col span={{ base: 12, sm: 6 }}>
                    <TagsInput
                      label="Prompts"
                      description={
                        source === "upload"
                          ? "Recordings have no prompt: with a prompt here, none matches."
                          : "By name or number."
                      }
                      value={shown.prompt_list}
                      onChange={(prompt_list) => setCondition({ prompt_list })}
                      error={errorOf("conditions.prompt_list")}
                    />
                  </Grid.Col>
                )}
                <Grid.Col span={{ base: 12, sm: 6 }}>
                  <WhenField
                    label="From"
                    description="Backfill from this date when activated. Empty: new sessions only."
                    value={start_datetime}
                    onChange={(at) => form.setFieldValue("start_datetime", at)}
                    error={errorOf("start_datetime")}
                  />
                </Grid.Col>
                <Grid.Col span={{ base: 12, sm: 6 }}>
                  <WhenField
                    label="Until"
                    description="Empty: no end."
                    value={end_datetime}
                    onChange={(at) => form.setFieldValue("end_datetime", at)}
                    error={errorOf("end_datetime")}
                  />
                </Grid.Col>
              </Grid>
            )}
          </Steady>
          {source === "sheet" && (
            <KeyValues
              label="Sheet"
              value={conditions.sheet_info}
              onChange={(sheet_info) => setCondition({ sheet_info })}
              error={errorOf("conditions.sheet_info")}
            />
          )}
        </RecordFormFrame>
      </Panel>
    </>
  );
}
