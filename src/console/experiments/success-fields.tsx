import { MultiSelect, Select, Textarea, TextInput } from "@mantine/core";
import type { EndReason, ExperimentValues } from "./experiment-values.ts";
import type { ExperimentForm } from "./variant-fields.tsx";

const KINDS: Record<ExperimentValues["success"], string> = {
  none: "Not measured",
  insight: "An insight has a good value",
  tool: "A tool is called and does not fail",
  end: "The session ends well",
};
const END_REASONS: Record<EndReason, string> = {
  user: "The person ends it",
  agent: "The agent ends it",
  idle: "Nobody says anything more",
  transfer: "Transfer",
  "max-duration": "Longest duration",
};

/** What a good session is. */
export function SuccessFields({ form }: { form: ExperimentForm }) {
  const { success, end_reasons } = form.getValues();
  return (
    <>
      <Select
        label="Success"
        data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        value={success}
        onChange={(kind) => form.setFieldValue("success", kind as ExperimentValues["success"])}
        error={form.errors.success}
      />
      {success === "insight" && (
        <>
          <TextInput
            label="Insight"
            description="The key of an output, such as booked."
            {...form.getInputProps("insight_key")}
            error={form.errors["success.insight_key"]}
          />
          <Textarea
            label="Good values"
            description="One a line."
            autosize
            minRows={2}
            {...form.getInputProps("values")}
            error={form.errors["success.values"]}
          />
        </>
      )}
      {success === "tool" && (
        <TextInput
          label="Tool"
          description="Its name, such as book_appointment."
          {...form.getInputProps("tool")}
          error={form.errors["success.tool"]}
        />
      )}
      {success === "end" && (
        <MultiSelect
          label="Good ends"
          data={Object.entries(END_REASONS).map(([value, label]) => ({ value, label }))}
          value={end_reasons}
          onChange={(reasons) => form.setFieldValue("end_reasons", reasons as EndReason[])}
          error={form.errors["success.end_reasons"]}
        />
      )}
    </>
  );
}
