import { Text } from "@mantine/core";
import { TemplateEditor } from "../editors/template-editor.tsx";
import { unknownNames, type Variable } from "../editors/template-variables.ts";
import type { FieldsForm } from "../records/record-form.tsx";
import { ModelFields } from "./model-fields.tsx";
import type { PromptValues } from "./prompt-values.ts";
import { ToolNames } from "./tool-names.tsx";

/** What a prompt says, which model reads it, and which tools it may call. */
export function PromptFields(props: {
  form: FieldsForm<PromptValues>;
  variables: Variable[];
  readOnly: boolean;
}) {
  const { form, variables, readOnly } = props;
  const values = form.getValues();
  const unknown = unknownNames(values.context, variables);
  return (
    <>
      <TemplateEditor
        label="Instructions"
        description="Type {{ to fill in a variable."
        value={values.context}
        onChange={(context) => form.setFieldValue("context", context)}
        variables={variables}
        error={form.errors.context}
        readOnly={readOnly}
      />
      {unknown.length > 0 && (
        <Text size="sm" role="status">
          Nothing sets {unknown.join(", ")} when a session starts: a tool, a workflow or a campaign has to, or
          it stays empty.
        </Text>
      )}
      <ModelFields
        value={values.llm_config}
        onChange={(llm_config) => form.setFieldValue("llm_config", llm_config)}
        errorOf={(field) => form.errors[`llm_config.${field}`]}
      />
      <ToolNames
        value={values.tools}
        onChange={(tools) => form.setFieldValue("tools", tools)}
        error={form.errors.tools}
      />
    </>
  );
}
