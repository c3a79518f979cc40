import { Button, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import type { CustomMessageRule } from "../api-types.ts";
import { TemplateEditor } from "../editors/template-editor.tsx";
import { variablesOf } from "../editors/template-variables.ts";
import { Findings } from "../parts/findings.tsx";
import { Panel } from "../parts/parts.tsx";
import { useAgentsWith } from "../records/agents-with.ts";
import { recordPage } from "../records/build-record-page.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { Steady } from "../records/steady.tsx";
import { MessageCalendar } from "./message-calendar.tsx";
import { MESSAGE_KINDS, messageFields } from "./message-fields.ts";
import { RuleFields } from "./rule-fields.tsx";

const NEW_RULE: CustomMessageRule = {
  description: "",
  time_range_start: null,
  time_range_end: null,
  date: null,
  days_of_week: null,
  invert: false,
  text: "",
};

export default recordPage({
  operations: {
    list: "GET /api/v1/custom_messages/",
    read: "GET /api/v1/custom_messages/{custom_message_id}",
    create: "POST /api/v1/custom_messages/",
    update: "PUT /api/v1/custom_messages/",
    remove: "DELETE /api/v1/custom_messages/{custom_message_id}",
  },
  permission: "custom_messages",
  noun: "Message",
  queryKey: "message",
  list: { to: "/messages", label: "Custom messages" },
  newTitle: "New message",
  title: "Message",
  ...messageFields,
  Form({ form, record, frame, readOnly }) {
    const values = form.getValues();
    const variables = variablesOf(useAgentsWith("custom_message_id", record?.id ?? null)?.items ?? []);
    const setRules = (rules: CustomMessageRule[]) => form.setFieldValue("rules", rules);
    return (
      <Stack gap="md">
        {(record?.validation_issues?.length ?? 0) > 0 && (
          <div>
            <Findings issues={record?.validation_issues} labels={messageFields.labels} />
          </div>
        )}
        {values.rules.length > 0 && <MessageCalendar rules={values.rules} />}
        <Panel>
          <RecordFormFrame {...frame}>
            <TextInput label="Name" required {...form.getInputProps("name")} />
            <Select label="Kind" allowDeselect={false} data={MESSAGE_KINDS} {...form.getInputProps("type")} />
            {values.type === "email_template" && (
              <TextInput label="Subject" required {...form.getInputProps("subject")} />
            )}
            {values.type === "greeting" && (
              <TemplateEditor
                label="Preamble"
                description="Always played in full; callers can't interrupt it."
                value={values.preamble}
                onChange={(text) => form.setFieldValue("preamble", text)}
                variables={variables}
                error={form.errors.preamble}
                readOnly={readOnly}
              />
            )}
            <TemplateEditor
              label="Text"
              description="Used when no rule applies. {{ language.mode }} inserts the language menu."
              value={values.text}
              onChange={(text) => form.setFieldValue("text", text)}
              variables={variables}
              error={form.errors.text}
              readOnly={readOnly}
            />
            <Stack gap="sm">
              <Text fw={600}>Rules</Text>
              <Text size="sm" c="dimmed">
                When several rules match, a date wins over weekdays, weekdays win over hours alone, and the
                shorter range wins.
              </Text>
              <Steady of={{ rules: values.rules, errors: form.errors }}>
                {({ rules, errors }) =>
                  rules.map((rule, index) => (
                    <RuleFields
                      // biome-ignore lint/suspicious/noArrayIndexKey: a rule is its place in the list
                      key={index}
                      number={index + 1}
                      rule={rule}
                      readOnly={readOnly}
                      errorOf={(field) => errors[`rules.${index}.${field}`]}
                      onChange={(next) => setRules(rules.with(index, next))}
                      onRemove={() => setRules(rules.toSpliced(index, 1))}
                    />
                  ))
                }
              </Steady>
              {!readOnly && (
                <div>
                  <Button
                    variant="default"
                    size="xs"
                    leftSection={<IconPlus size={14} />}
                    onClick={() => setRules([...values.rules, NEW_RULE])}
                  >
                    Add rule
                  </Button>
                </div>
              )}
            </Stack>
            <Switch
              label="Repeat after a language change"
              {...form.getInputProps("repeat_after_language_change", { type: "checkbox" })}
            />
            <TextInput label="Label" {...form.getInputProps("label")} />
          </RecordFormFrame>
        </Panel>
      </Stack>
    );
  },
});
