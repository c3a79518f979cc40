import { Text } from "@mantine/core";
import { TemplateEditor } from "../editors/template-editor.tsx";
import { isSystemName, unknownNames, type Variable } from "../editors/template-variables.ts";
import type { FieldsForm } from "../records/record-form.tsx";
import { Steady } from "../records/steady.tsx";
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
  const missing = unknown.filter(isSystemName);
  const unset = unknown.filter((name) => !isSystemName(name));
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
      {unset.length > 0 && (
        <Text size="sm" role="status">
          Nothing sets {unset.join(", ")} when a session starts: a tool, a workflow or a campaign has to, or
          it stays empty.
        </Text>
      )}
      {missing.length > 0 && (
        <Text size="sm" role="status">
          There is no system variable {missing.join(", ")}, and nothing can set it.
        </Text>
      )}
      <Steady of={{ llm_config: values.llm_config, tools: values.tools, errors: form.errors }}>
        {({ llm_config, tools, errors }) => (
          <>
            <ModelFields
              value={llm_config}
              onChange={(config) => form.setFieldValue("llm_config", config)}
              errorOf={(field) => errors[`llm_config.${field}`]}
            />
            <ToolNames
              value={tools}
              onChange={(names) => form.setFieldValue("tools", names)}
              error={errors.tools}
            />
          </>
        )}
      </Steady>
    </>
  );
}
