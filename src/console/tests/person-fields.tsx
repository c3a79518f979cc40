import { ActionIcon, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { TestCase } from "../api-types.ts";

export type PersonLine = Extract<TestCase["person"], unknown[]>[number];
type Parts = { say: string; condition: string | null };

const partsOf = (line: PersonLine): Parts =>
  typeof line === "string" ? { say: line, condition: null } : { say: line.say, condition: line.if ?? null };
const lineOf = ({ say, condition }: Parts): PersonLine => (condition === null ? say : { say, if: condition });

/** Person's messages, message by message. */
export function PersonFields(props: {
  value: PersonLine[];
  onChange(value: PersonLine[]): void;
  readOnly: boolean;
}) {
  const { value, onChange, readOnly } = props;
  return (
    <Stack gap="xs" role="group" aria-label="Person's messages">
      <Text size="sm" fw={500}>
        Person's messages
      </Text>
      {value.map((line, index) => {
        const parts = partsOf(line);
        const set = (part: Partial<Parts>) => onChange(value.with(index, lineOf({ ...parts, ...part })));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order is what counts
          <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              style={{ flex: 1 }}
              aria-label={`Message ${index + 1}`}
              placeholder="(silence)"
              value={parts.say}
              onChange={({ currentTarget }) => set({ say: currentTarget.value })}
            />
            {parts.condition !== null && (
              <TextInput
                w={200}
                aria-label={`Only if the agent said, message ${index + 1}`}
                placeholder="only if the agent said"
                value={parts.condition}
                onChange={({ currentTarget }) => set({ condition: currentTarget.value })}
              />
            )}
            {!readOnly && (
              <>
                <Button
                  size="compact-xs"
                  mt={6}
                  variant="subtle"
                  aria-label={
                    parts.condition === null
                      ? `Say message ${index + 1} only if…`
                      : `Always say message ${index + 1}`
                  }
                  onClick={() => set({ condition: parts.condition === null ? "" : null })}
                >
                  {parts.condition === null ? "only if…" : "Always"}
                </Button>
                <ActionIcon
                  mt={4}
                  aria-label={`Remove message ${index + 1}`}
                  onClick={() => onChange(value.toSpliced(index, 1))}
                >
                  <IconTrash size={15} />
                </ActionIcon>
              </>
            )}
          </Group>
        );
      })}
      {!readOnly && (
        <div>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...value, ""])}
          >
            Add message
          </Button>
        </div>
      )}
    </Stack>
  );
}
