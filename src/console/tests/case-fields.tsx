import { Alert, Button, Group, Select, SimpleGrid, Stack, Switch, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { TestCase } from "../api-types.ts";
import { JsonEditor } from "../editors/json-editor.tsx";
import { fieldLabel } from "../server/field-labels.ts";
import { CheckFields } from "./check-fields.tsx";
import { MockFields } from "./mock-fields.tsx";
import { PersonChoice } from "./persona-fields.tsx";

const CHANNELS = {
  chat: "Chat",
  sms: "SMS",
  whatsapp: "WhatsApp",
  email: "E-mail",
  voice: "Call, in text",
  voice_audio: "Call, with sound",
};

const SHOWN_AT_FIELDS =
  /^(name|clock|expect\.(said|not_said|called\.\d+\.tool|not_called|steps|language|judges)|mocks\.\d+\.(tool|error|result|match))$/;

/** One test of a suite. The form shows most of it; as JSON it is whole. */
export function CaseFields(props: {
  value: TestCase;
  onChange(value: TestCase): void;
  onRemove(): void;
  /** What the API says of this test, by the path in it. */
  errors: Record<string, ReactNode>;
  readOnly: boolean;
}) {
  const { value, onChange, onRemove, errors, readOnly } = props;
  const [isJson, setJson] = useState(false);
  const errorOf = (path: string) => errors[path];
  const set = (part: Partial<TestCase>) => onChange({ ...value, ...part });
  return (
    <Stack gap="md">
      {Object.entries(errors)
        .filter(([path]) => isJson || !SHOWN_AT_FIELDS.test(path))
        .map(([path, fault]) => (
          <Alert key={path} color="red" role="alert">
            {fieldLabel(path)}: {fault}
          </Alert>
        ))}
      {isJson ? (
        <JsonEditor
          label="The test as JSON"
          value={value}
          onChange={(next) => onChange(next as TestCase)}
          readOnly={readOnly}
        />
      ) : (
        <>
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <TextInput
              label="Name of the test"
              required
              value={value.name}
              onChange={({ currentTarget }) => set({ name: currentTarget.value })}
              error={errorOf("name")}
            />
            <Select
              label="Channel"
              allowDeselect={false}
              data={Object.entries(CHANNELS).map(([channel, label]) => ({ value: channel, label }))}
              value={value.channel ?? "chat"}
              onChange={(channel) => set({ channel: channel as keyof typeof CHANNELS })}
            />
            <TextInput
              label="The agent's clock"
              placeholder="now"
              description="Such as 2026-11-24T10:00:00"
              value={value.clock ?? ""}
              onChange={({ currentTarget }) => set({ clock: currentTarget.value || null })}
              error={errorOf("clock")}
            />
          </SimpleGrid>
          <PersonChoice value={value.person} onChange={(person) => set({ person })} readOnly={readOnly} />
          <CheckFields
            value={value.expect ?? {}}
            onChange={(expect) => set({ expect })}
            errorOf={(path) => errorOf(`expect.${path}`)}
            readOnly={readOnly}
          />
          <MockFields
            value={value.mocks ?? []}
            onChange={(mocks) => set({ mocks })}
            errorOf={(path) => errorOf(`mocks.${path}`)}
            readOnly={readOnly}
          />
        </>
      )}
      <Group justify="space-between">
        <Switch
          size="sm"
          label="As JSON"
          checked={isJson}
          onChange={({ currentTarget }) => setJson(currentTarget.checked)}
        />
        {!readOnly && (
          <Button size="compact-sm" variant="subtle" onClick={onRemove}>
            Remove this test
          </Button>
        )}
      </Group>
    </Stack>
  );
}
