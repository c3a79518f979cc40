import {
  ActionIcon,
  Alert,
  Grid,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconLock, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { InsightWorkflowInput, InsightWorkflowOutput } from "../api-types.ts";
import { call } from "../ground/api.ts";
import { ConfirmButton } from "../ground/confirm-button.tsx";
import { KeyValues } from "../ground/key-values.tsx";
import { useMay } from "../ground/me.tsx";
import { Panel } from "../ground/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../ground/record-form.tsx";
import { WhenField } from "../outbound/when-field.tsx";
import { SOURCES } from "./insight-words.tsx";
import classes from "./insights.module.css";

type Values = Omit<InsightWorkflowInput, "conditions" | "start_datetime" | "end_datetime"> & {
  start_datetime: string | null;
  end_datetime: string | null;
  conditions: {
    min_duration: number | null;
    max_duration: number | null;
    sample_rate: number | null;
    agent_list: string[];
    prompt_list: string[];
    folder_list: number[];
    sheet_info: Record<string, string>;
  };
};

const LIST = ["GET /api/v1/insights/workflows/"];
const OFFERED = 200;

export function WorkflowForm({ id, workflow }: { id: string; workflow: InsightWorkflowOutput | null }) {
  const may = useMay();
  const navigate = useNavigate();
  const record = useRecordForm<InsightWorkflowOutput, Values>({
    noun: "Workflow",
    labels: {
      source: "Over",
      insight_tool_ids: "Tools",
      start_datetime: "From",
      end_datetime: "Until",
      "conditions.min_duration": "At least this long",
      "conditions.max_duration": "At most this long",
      "conditions.sample_rate": "Share of them",
      "conditions.agent_list": "Agents",
      "conditions.folder_list": "Folders",
      "conditions.prompt_list": "Prompts",
      "conditions.sheet_info": "Sheet",
    },
    record: workflow,
    values: valuesOf,
    save(values) {
      const body = sent(values);
      return workflow
        ? call("PUT /api/v1/insights/workflows/{workflow_id}", { path: { workflow_id: workflow.id }, body })
        : call("POST /api/v1/insights/workflows/", { body });
    },
    reread: () => call("GET /api/v1/insights/workflows/{workflow_id}", { path: { workflow_id: Number(id) } }),
    invalidates: [["insight workflow"], ["insight spending"], LIST],
    onSaved: (stored) => {
      if (workflow === null) void navigate({ to: `/insights/workflows/${stored.id}` });
    },
  });
  const { form } = record;
  const values = form.getValues();
  const { conditions, source } = values;
  const isActive = workflow?.status === "ACTIVE";
  const readOnly = !may("insights_write") || isActive;
  const errorOf = (path: string) => form.errors[path];
  const setCondition = (part: Partial<Values["conditions"]>) =>
    form.setFieldValue("conditions", { ...conditions, ...part });
  return (
    <>
      {isActive && may("insights_write") && (
        <Alert color="ink" icon={<IconLock />} mb="md" title="It is active, and can't be changed">
          Inactivate it under “Work and cost” first: what changes may cost something else.
        </Alert>
      )}
      <Panel>
        <RecordFormFrame
          form={record}
          readOnly={readOnly}
          extra={
            workflow &&
            may("insights_delete") && (
              <ConfirmButton
                verb="Delete"
                c="var(--mantine-color-error)"
                question="Delete this workflow?"
                act={() =>
                  call("DELETE /api/v1/insights/workflows/{workflow_id}", {
                    path: { workflow_id: workflow.id },
                  })
                }
                invalidates={[LIST]}
                done={`${workflow.name} deleted`}
                onDone={() => void navigate({ to: "/insights" })}
              >
                What waits in the queue of <b dir="auto">{workflow.name}</b> is dropped; what it found stays.
              </ConfirmButton>
            )
          }
        >
          <Group gap="md" grow align="flex-start" preventGrowOverflow={false}>
            <TextInput label="Name" required dir="auto" {...form.getInputProps("name")} />
            <Select
              label="Over"
              description={SOURCES[source].about}
              inputWrapperOrder={["label", "input", "description", "error"]}
              allowDeselect={false}
              data={Object.entries(SOURCES).map(([value, { name }]) => ({ value, label: name }))}
              {...form.getInputProps("source")}
            />
          </Group>
          <Textarea
            label="Description"
            dir="auto"
            autosize
            minRows={1}
            {...form.getInputProps("description")}
          />
          <ToolOrder
            ids={values.insight_tool_ids}
            names={new Map(workflow?.insight_tools.map((tool) => [tool.id, tool.name]))}
            onChange={(ids) => form.setFieldValue("insight_tool_ids", ids)}
            error={errorOf("insight_tool_ids")}
            readOnly={readOnly}
          />
          <div>
            <Text fw={600}>Which ones</Text>
            <Text size="sm" c="dimmed">
              What is left empty holds for all.
            </Text>
          </div>
          <Grid gap="md">
            <Grid.Col span={{ base: 12, sm: 4 }}>
              <NumberInput
                label="At least this long"
                suffix=" s"
                min={0}
                value={conditions.min_duration ?? ""}
                onChange={(least) => setCondition({ min_duration: numberOrNull(least) })}
                error={errorOf("conditions.min_duration")}
              />
            </Grid.Col>
            <Grid.Col span={{ base: 12, sm: 4 }}>
              <NumberInput
                label="At most this long"
                suffix=" s"
                min={0}
                value={conditions.max_duration ?? ""}
                onChange={(most) => setCondition({ max_duration: numberOrNull(most) })}
                error={errorOf("conditions.max_duration")}
              />
            </Grid.Col>
            <Grid.Col span={{ base: 12, sm: 4 }}>
              <NumberInput
                label="Share of them"
                suffix=" %"
                min={0}
                max={100}
                placeholder="100 %"
                value={conditions.sample_rate ?? ""}
                onChange={(rate) => setCondition({ sample_rate: numberOrNull(rate) })}
                error={errorOf("conditions.sample_rate")}
              />
            </Grid.Col>
            <Grid.Col span={{ base: 12, sm: 6 }}>
              <TagsInput
                label={source === "upload" ? "Agent numbers" : "Agents"}
                description={source === "upload" ? "As they were uploaded." : "By name or number."}
                value={conditions.agent_list}
                onChange={(agent_list) => setCondition({ agent_list })}
                error={errorOf("conditions.agent_list")}
              />
            </Grid.Col>
            {source === "upload" ? (
              <Grid.Col span={{ base: 12, sm: 6 }}>
                <FolderSelect
                  value={conditions.folder_list}
                  onChange={(folder_list) => setCondition({ folder_list })}
                  error={errorOf("conditions.folder_list")}
                />
              </Grid.Col>
            ) : (
              <Grid.Col span={{ base: 12, sm: 6 }}>
                <TagsInput
                  label="Prompts"
                  description="By name or number."
                  value={conditions.prompt_list}
                  onChange={(prompt_list) => setCondition({ prompt_list })}
                  error={errorOf("conditions.prompt_list")}
                />
              </Grid.Col>
            )}
            <Grid.Col span={{ base: 12, sm: 6 }}>
              <WhenField
                label="From"
                description="Older ones from then on are taken up at activation. Empty: only those to come."
                value={values.start_datetime}
                onChange={(at) => form.setFieldValue("start_datetime", at)}
                error={errorOf("start_datetime")}
              />
            </Grid.Col>
            <Grid.Col span={{ base: 12, sm: 6 }}>
              <WhenField
                label="Until"
                description="Empty: until it is inactivated, whenever that is."
                value={values.end_datetime}
                onChange={(at) => form.setFieldValue("end_datetime", at)}
                error={errorOf("end_datetime")}
              />
            </Grid.Col>
          </Grid>
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

/** Tools run in this order, and may read what those before them found. */
function ToolOrder(props: {
  ids: number[];
  names: Map<number, string>;
  onChange(ids: number[]): void;
  error: ReactNode;
  readOnly: boolean;
}) {
  const { ids, names, onChange, error, readOnly } = props;
  const may = useMay();
  const tools = useQuery({
    queryKey: ["GET /api/v1/insights/tool-configurations", "names"],
    enabled: may("insights_read"),
    queryFn: ({ signal }) =>
      call("GET /api/v1/insights/tool-configurations", {
        query: { limit: OFFERED, order_by: "name" },
        signal,
      }),
  });
  const known = new Map([...names, ...(tools.data?.items ?? []).map(({ id, name }) => [id, name] as const)]);
  const move = (from: number, to: number) =>
    onChange(ids.toSpliced(from, 1).toSpliced(to, 0, ids[from] as number));
  return (
    <div>
      <Text size="sm" fw={500}>
        Tools, in the order they run
      </Text>
      <ol className={classes.ordered}>
        {ids.map((id, index) => {
          const name = known.get(id) ?? `Tool ${id}`;
          return (
            <li key={id}>
              <span className={classes.place}>{index + 1}.</span>
              <bdi>{name}</bdi>
              {!readOnly && (
                <Group gap={2} wrap="nowrap">
                  <ActionIcon
                    aria-label={`Move ${name} up`}
                    disabled={index === 0}
                    onClick={() => move(index, index - 1)}
                  >
                    <IconArrowUp size={15} />
                  </ActionIcon>
                  <ActionIcon
                    aria-label={`Move ${name} down`}
                    disabled={index === ids.length - 1}
                    onClick={() => move(index, index + 1)}
                  >
                    <IconArrowDown size={15} />
                  </ActionIcon>
                  <ActionIcon
                    aria-label={`Leave ${name} out`}
                    onClick={() => onChange(ids.toSpliced(index, 1))}
                  >
                    <IconX size={15} />
                  </ActionIcon>
                </Group>
              )}
            </li>
          );
        })}
      </ol>
      {!readOnly && (
        <Select
          mt={6}
          aria-label="Tool to add"
          placeholder="Add a tool"
          searchable
          data={[...known]
            .filter(([id]) => !ids.includes(id))
            .map(([id, name]) => ({ value: String(id), label: name }))}
          value={null}
          onChange={(id) => id !== null && onChange([...ids, Number(id)])}
          error={error}
          nothingFoundMessage="No tool by that name"
        />
      )}
    </div>
  );
}

function FolderSelect(props: { value: number[]; onChange(ids: number[]): void; error: ReactNode }) {
  const folders = useQuery({
    queryKey: ["GET /api/v1/insights/folders/", "names"],
    queryFn: ({ signal }) =>
      call("GET /api/v1/insights/folders/", { query: { limit: OFFERED, order_by: "name" }, signal }),
  });
  const found = (folders.data?.items ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
  const unknown = props.value.filter((id) => !found.some(({ value }) => value === String(id)));
  return (
    <MultiSelect
      label="Folders"
      description="Where recordings are taken from."
      searchable
      data={[...found, ...unknown.map((id) => ({ value: String(id), label: `Folder ${id}` }))]}
      value={props.value.map(String)}
      onChange={(ids) => props.onChange(ids.map(Number))}
      error={props.error}
    />
  );
}

const numberOrNull = (value: number | string): number | null => (value === "" ? null : Number(value));

function valuesOf(workflow: InsightWorkflowOutput | null): Values {
  const conditions = workflow?.conditions;
  return {
    name: workflow?.name ?? "",
    source: (workflow?.source ?? "agent") as Values["source"],
    description: workflow?.description ?? "",
    insight_tool_ids: workflow?.insight_tool_ids ?? [],
    start_datetime: workflow?.start_datetime ?? null,
    end_datetime: workflow?.end_datetime ?? null,
    conditions: {
      min_duration: conditions?.min_duration ?? null,
      max_duration: conditions?.max_duration ?? null,
      sample_rate: conditions?.sample_rate ?? null,
      agent_list: (conditions?.agent_list ?? []).map(String),
      prompt_list: conditions?.prompt_list ?? [],
      folder_list: conditions?.folder_list ?? [],
      sheet_info: conditions?.sheet_info ?? {},
    },
  };
}

/** An empty list holds for all, as null does; agents by number go as numbers, as the API wants all or none. */
function sent({ conditions, ...values }: Values): InsightWorkflowInput {
  const { agent_list, prompt_list, folder_list, sheet_info } = conditions;
  const isNumbers = agent_list.every((each) => /^\d{1,15}$/.test(each)) && values.source !== "upload";
  return {
    ...values,
    conditions: {
      ...conditions,
      agent_list: agent_list.length === 0 ? null : isNumbers ? agent_list.map(Number) : agent_list,
      prompt_list: prompt_list.length > 0 ? prompt_list : null,
      folder_list: folder_list.length > 0 ? folder_list : null,
      sheet_info: Object.keys(sheet_info).length > 0 ? sheet_info : null,
    },
  };
}
