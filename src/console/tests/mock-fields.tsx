import { ActionIcon, Button, Group, Paper, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { TestMock } from "../api-types.ts";
import { JsonEditor } from "../editors/json-editor.tsx";

/** Tool mocks in a test: no service is called. The first that fits a call answers it. */
export function MockFields(props: {
  value: TestMock[];
  onChange(value: TestMock[]): void;
  /** By the place of the mock and the name of its field. */
  errorOf(path: string): ReactNode;
  readOnly: boolean;
}) {
  const { value, onChange, errorOf, readOnly } = props;
  const set = (index: number, mock: TestMock) => onChange(value.with(index, mock));
  return (
    <Stack gap="xs" role="group" aria-label="Tool mocks">
      <Text size="sm" fw={500}>
        Tool mocks
      </Text>
      <Text size="xs" c="dimmed">
        Tests call no real service. A tool call without a matching mock fails.
      </Text>
      {value.map((mock, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order is what counts
        <Paper key={index} withBorder p="sm">
          <Stack gap="xs">
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <TextInput
                style={{ flex: 1 }}
                label="Tool"
                value={mock.tool}
                error={errorOf(`${index}.tool`)}
                onChange={({ currentTarget }) => set(index, { ...mock, tool: currentTarget.value })}
              />
              <Select
                w={130}
                label="Outcome"
                allowDeselect={false}
                data={[
                  { value: "answers", label: "Answers" },
                  { value: "fails", label: "Fails" },
                ]}
                value={mock.error == null ? "answers" : "fails"}
                onChange={(how) => set(index, how === "fails" ? failing(mock) : answering(mock))}
              />
              {!readOnly && (
                <ActionIcon
                  mt={28}
                  aria-label={`Remove the answer of ${mock.tool || "the tool"}`}
                  onClick={() => onChange(value.toSpliced(index, 1))}
                >
                  <IconTrash size={15} />
                </ActionIcon>
              )}
            </Group>
            {mock.error == null ? (
              <JsonEditor
                label="Answer"
                value={mock.result ?? null}
                onChange={(result) => set(index, { ...mock, result })}
                error={errorOf(`${index}.result`)}
                readOnly={readOnly}
              />
            ) : (
              <TextInput
                label="Error"
                value={mock.error}
                error={errorOf(`${index}.error`)}
                onChange={({ currentTarget }) => set(index, { ...mock, error: currentTarget.value })}
              />
            )}
            {mock.match != null && (
              <JsonEditor
                label="When the arguments contain"
                value={mock.match}
                error={errorOf(`${index}.match`)}
                onChange={(match) => set(index, { ...mock, match: match as Record<string, unknown> })}
                readOnly={readOnly}
              />
            )}
            {!readOnly && (
              <div>
                <Button
                  size="compact-xs"
                  variant="subtle"
                  onClick={() => set(index, mock.match == null ? { ...mock, match: {} } : withoutMatch(mock))}
                >
                  {mock.match == null ? "Only for certain arguments" : "For any arguments"}
                </Button>
              </div>
            )}
          </Stack>
        </Paper>
      ))}
      {!readOnly && (
        <div>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...value, { tool: "", result: {} }])}
          >
            Add answer
          </Button>
        </div>
      )}
    </Stack>
  );
}

const failing = ({ result: _, ...mock }: TestMock): TestMock => ({ ...mock, error: "" });
const answering = ({ error: _, ...mock }: TestMock): TestMock => ({ ...mock, result: {} });
const withoutMatch = ({ match: _, ...mock }: TestMock): TestMock => mock;
