import { Button, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { CustomMessageResponse, CustomMessageRule, CustomMessageType } from "../api-types.ts";
import { TemplateEditor } from "../editors/template-editor.tsx";
import { variablesOf } from "../editors/template-variables.ts";
import { Panel } from "../parts/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../records/record-form.tsx";
import { RecordPage } from "../records/record-page.tsx";
import { RemoveRecord } from "../records/remove-record.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { MessageCalendar } from "./message-calendar.tsx";
import { RuleFields } from "./rule-fields.tsx";

type Values = {
  name: string;
  type: CustomMessageType;
  preamble: string;
  text: string;
  subject: string;
  label: string;
  repeat_after_language_change: boolean;
  rules: CustomMessageRule[];
};

const NEW: Values = {
  name: "",
  type: "greeting",
  preamble: "",
  text: "",
  subject: "",
  label: "",
  repeat_after_language_change: false,
  rules: [],
};

const NEW_RULE: CustomMessageRule = {
  description: "",
  time_range_start: null,
  time_range_end: null,
  date: null,
  days_of_week: null,
  invert: false,
  text: "",
};

const read = (id: string) =>
  call("GET /api/v1/custom_messages/{custom_message_id}", { path: { custom_message_id: Number(id) } });

export default function MessagePage() {
  return (
    <RecordPage
      queryKey="message"
      newTitle="New message"
      title="Message"
      back={{ to: "/messages", label: "Custom messages" }}
      read={read}
    >
      {(id, found) => <MessageForm key={id} id={id} message={found} />}
    </RecordPage>
  );
}

function MessageForm({ id, message }: { id: string; message: CustomMessageResponse | null }) {
  const may = useMay();
  const navigate = useNavigate();
  const record = useRecordForm<CustomMessageResponse, Values>({
    noun: "Message",
    labels: { type: "Kind", repeat_after_language_change: "Repeat after a language change" },
    record: message,
    values: (found) => (found ? valuesOf(found) : NEW),
    save(values) {
      const body = {
        ...values,
        preamble: values.preamble || null,
        subject: values.subject || null,
        label: values.label || null,
      };
      return message
        ? call("PUT /api/v1/custom_messages/", { body: { ...body, id: message.id } })
        : call("POST /api/v1/custom_messages/", { body });
    },
    reread: () => read(id),
    invalidates: [["message"], ["GET /api/v1/custom_messages/"]],
    onSaved: (stored) => {
      if (message === null) void navigate({ to: `/messages/${stored.id}` });
    },
  });
  const { form } = record;
  const values = form.getValues();
  const readOnly = !may("custom_messages_write");
  const variables = variablesOf([]);
  const setRules = (rules: CustomMessageRule[]) => form.setFieldValue("rules", rules);
  return (
    <Stack gap="md">
      {values.rules.length > 0 && <MessageCalendar rules={values.rules} />}
      <Panel>
        <RecordFormFrame
          form={record}
          readOnly={readOnly}
          extra={
            message &&
            may("custom_messages_delete") && (
              <RemoveRecord
                noun="message"
                name={message.name}
                remove={(reason) =>
                  call("DELETE /api/v1/custom_messages/{custom_message_id}", {
                    path: { custom_message_id: message.id },
                    query: { reason },
                  })
                }
                invalidates={[["GET /api/v1/custom_messages/"]]}
                onRemoved={() => void navigate({ to: "/messages", ignoreBlocker: true })}
              />
            )
          }
        >
          <TextInput label="Name" required dir="auto" {...form.getInputProps("name")} />
          <Select
            label="Kind"
            allowDeselect={false}
            data={[
              { value: "greeting", label: "Greeting" },
              { value: "email_template", label: "E-mail template" },
            ]}
            {...form.getInputProps("type")}
          />
          {values.type === "email_template" && (
            <TextInput label="Subject" required dir="auto" {...form.getInputProps("subject")} />
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
              Of the rules that hold, a date goes before weekdays, weekdays before hours alone, and the
              shorter range first.
            </Text>
            {values.rules.map((rule, index) => (
              <RuleFields
                // biome-ignore lint/suspicious/noArrayIndexKey: a rule is its place in the list
                key={index}
                number={index + 1}
                rule={rule}
                readOnly={readOnly}
                errorOf={(field) => form.errors[`rules.${index}.${field}`]}
                onChange={(next) => setRules(values.rules.with(index, next))}
                onRemove={() => setRules(values.rules.toSpliced(index, 1))}
              />
            ))}
            {!readOnly && (
              <div>
                <Button
                  variant="default"
                  size="xs"
                  leftSection={<IconPlus size={14} />}
                  onClick={() => setRules([...values.rules, NEW_RULE])}
                >
                  Add a rule
                </Button>
              </div>
            )}
          </Stack>
          <Switch
            label="Repeat after a language change"
            {...form.getInputProps("repeat_after_language_change", { type: "checkbox" })}
          />
          <TextInput label="Label" dir="auto" {...form.getInputProps("label")} />
        </RecordFormFrame>
      </Panel>
    </Stack>
  );
}

const valuesOf = (message: CustomMessageResponse): Values => ({
  name: message.name,
  type: message.type,
  preamble: message.preamble ?? "",
  text: message.text,
  subject: message.subject ?? "",
  label: message.label ?? "",
  repeat_after_language_change: message.repeat_after_language_change,
  rules: message.rules,
});
