import { Alert, Autocomplete, NumberInput, Select, SimpleGrid, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { JudgeResponse } from "../api-types.ts";
import { RecordSelect } from "../lists/record-select.tsx";
import { Panel } from "../parts/parts.tsx";
import { ViewTabs } from "../parts/view-tabs.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { NameFields } from "../records/common-fields.tsx";
import { fieldsOf, optionalText } from "../records/record-fields.ts";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import type { RecordFormProps } from "../records/record-page.tsx";
import { call } from "../server/api.ts";
import { CalibrationPanel } from "./calibration-panel.tsx";

const TOOLS = "GET /api/v1/insights/tool-configurations";

const fields = fieldsOf("PUT /api/v1/judges/", {
  name: { initial: "" },
  description: { initial: "" },
  question: { initial: "" },
  insight_tool_id: { initial: 0, label: "Insight tool" },
  output: { initial: "", label: "Verdict output" },
  wanted: { initial: true, label: "Yes value" },
  reason_output: optionalText("Reason output"),
  votes: { initial: 3 },
  least_kappa: { initial: 0.6, label: "Least agreement (κ)" },
});
type Values = ReturnType<typeof fields.values>;

export default recordPage({
  operations: {
    list: "GET /api/v1/judges/",
    read: "GET /api/v1/judges/{judge_id}",
    create: "POST /api/v1/judges/",
    update: "PUT /api/v1/judges/",
    remove: "DELETE /api/v1/judges/{judge_id}",
  },
  permission: "tests",
  noun: "Judge",
  queryKey: "judge",
  list: { to: "/tests/judges", label: "Judges" },
  newTitle: "New judge",
  title: "Judge",
  acrossViews: true,
  ...fields,
  // The API takes numbers; a select and a number field may hold their texts.
  body: (values: Values, stored: JudgeResponse | null) => ({
    ...fields.body(values, stored),
    least_kappa: Number(values.least_kappa),
  }),
  Around: ({ record, children }) => (
    <ViewTabs label="Views of the judge" views={{ calibration: "Calibration", settings: "Settings" }}>
      {(view) => (view === "calibration" ? <CalibrationPanel judge={record} /> : children)}
    </ViewTabs>
  ),
  Form: JudgeForm,
});

type Output = { name: string; type: string; return_values?: unknown };

/** What the tool answers; a pattern tool has its own two. */
function useOutputs(insight_tool_id: number): Output[] {
  const tool = useQuery({
    queryKey: ["insight tool", String(insight_tool_id)],
    enabled: insight_tool_id > 0,
    queryFn: ({ signal }) =>
      call("GET /api/v1/insights/tool-configurations/{tool_id}", {
        path: { tool_id: String(insight_tool_id) },
        signal,
      }),
  });
  if (!tool.data) return [];
  if (tool.data.insight_tool_definition?.type === "regex")
    return [
      { name: "matched", type: "boolean" },
      { name: "value", type: "string" },
    ];
  return ((tool.data.tool_arguments as { outputs?: Output[] } | null)?.outputs ?? []).filter(Boolean);
}

function JudgeForm({ form, record, frame }: RecordFormProps<JudgeResponse, Values>) {
  const { insight_tool_id, output, wanted, votes } = form.getValues();
  const outputs = useOutputs(insight_tool_id);
  const names = outputs.map(({ name }) => name);
  const type = outputs.find(({ name }) => name === output)?.type ?? typeof wanted;
  return (
    <Panel>
      <RecordFormFrame {...frame}>
        <NameFields form={form} />
        <Textarea
          label="Question"
          description="Answered with yes or no by people who label sessions. For example: Was the agent polite?"
          required
          autosize
          {...form.getInputProps("question")}
        />
        <RecordSelect
          operation={TOOLS}
          label="Insight tool"
          description="It answers the question, by a model or a regular expression."
          required
          value={insight_tool_id === 0 ? null : insight_tool_id}
          chosenName={insight_tool_id === record?.insight_tool_id ? record?.insight_tool : null}
          onChange={(id) => form.setFieldValue("insight_tool_id", id ?? 0)}
          error={form.errors.insight_tool_id}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <Autocomplete
            label="Verdict output"
            required
            data={names}
            value={output}
            onChange={(name) => {
              form.setFieldValue("output", name);
              const chosen = outputs.find((each) => each.name === name)?.type;
              if (chosen) form.setFieldValue("wanted", EMPTY[chosen] ?? "");
            }}
            error={form.errors.output}
          />
          <WantedField
            type={type}
            value={wanted}
            onChange={(next) => form.setFieldValue("wanted", next)}
            error={form.errors.wanted}
          />
          <Autocomplete label="Reason output" data={names} {...form.getInputProps("reason_output")} />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label="Votes"
            description="How often the tool is asked about one conversation; the majority decides."
            allowDeselect={false}
            data={["1", "3", "5", "7", "9"]}
            value={String(votes)}
            onChange={(count) => form.setFieldValue("votes", Number(count) as Values["votes"])}
            error={form.errors.votes}
          />
          <NumberInput
            label="Least agreement (κ)"
            description="Below this value, the judge only informs and fails no test."
            min={0}
            max={1}
            step={0.05}
            {...form.getInputProps("least_kappa")}
          />
        </SimpleGrid>
        {record && (
          <Alert color="gray">
            A change of the tool, the output or the votes makes another judge of it: ask it about its labelled
            sessions again.
          </Alert>
        )}
      </RecordFormFrame>
    </Panel>
  );
}

type Wanted = Values["wanted"];
const EMPTY: Record<string, Wanted> = { boolean: true, integer: 1, number: 1, string: "" };

function WantedField(props: {
  type: string;
  value: Wanted;
  onChange(value: Wanted): void;
  error: React.ReactNode;
}) {
  const { type, value, onChange, error } = props;
  const label = "Yes value";
  if (type === "boolean")
    return (
      <Select
        label={label}
        allowDeselect={false}
        data={["true", "false"]}
        value={String(value)}
        onChange={(chosen) => onChange(chosen === "true")}
        error={error}
      />
    );
  if (type === "string")
    return (
      <TextInput
        label={label}
        value={String(value)}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        error={error}
      />
    );
  return (
    <NumberInput
      label={label}
      value={typeof value === "number" ? value : ""}
      onChange={(number) => typeof number === "number" && onChange(number)}
      error={error}
    />
  );
}
