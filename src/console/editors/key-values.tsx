import { ActionIcon, Button, Group, Input, Stack, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";

type Props = {
  label: string;
  description?: ReactNode;
  value: Record<string, string>;
  onChange(value: Record<string, string>): void;
  error?: ReactNode;
  keyLabel?: string;
  valueLabel?: string;
};

/** A map of texts, one line per entry. A form isn't sent while a line would be left out of it: for want of a name, or for another line of its name. */
export function KeyValues(props: Props) {
  const { label, description, value, onChange, error, keyLabel = "Name", valueLabel = "Value" } = props;
  const [rows, setRows] = useState(() => Object.entries(value));
  // A value set from outside, such as by Discard, replaces what was typed.
  const [given, setGiven] = useState(value);
  if (value !== given) {
    setGiven(value);
    if (JSON.stringify(value) !== JSON.stringify(filled(rows))) setRows(Object.entries(value));
  }
  const change = (next: [string, string][]) => {
    setRows(next);
    onChange(filled(next));
  };
  return (
    <Input.Wrapper label={label} description={description} error={error} labelElement="div">
      <Stack gap={6} mt={4}>
        {rows.map(([name, text], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place while its name is being typed
          <Group key={index} gap={6} wrap="nowrap">
            <TextInput
              style={{ flex: "1 1 40%" }}
              aria-label={`${keyLabel} ${index + 1} of ${label}`}
              placeholder={keyLabel}
              data-incomplete={faultOf(rows, index, keyLabel)}
              value={name}
              onChange={({ currentTarget }) => change(rows.with(index, [currentTarget.value, text]))}
            />
            <TextInput
              style={{ flex: "1 1 60%" }}
              aria-label={`${valueLabel} ${index + 1} of ${label}`}
              placeholder={valueLabel}
              value={text}
              onChange={({ currentTarget }) => change(rows.with(index, [name, currentTarget.value]))}
            />
            <ActionIcon
              aria-label={`Remove ${name || `line ${index + 1}`} from ${label}`}
              onClick={() => change(rows.toSpliced(index, 1))}
            >
              <IconTrash size={15} />
            </ActionIcon>
          </Group>
        ))}
        <div>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} />}
            aria-label={`Add to ${label}`}
            onClick={() => setRows([...rows, ["", ""]])}
          >
            Add
          </Button>
        </div>
      </Stack>
    </Input.Wrapper>
  );
}

function faultOf(rows: [string, string][], index: number, keyLabel: string): string | undefined {
  const [name, text] = rows[index] as [string, string];
  if (name.trim() === "") return text === "" ? undefined : `Enter a ${keyLabel.toLowerCase()}.`;
  const isTaken = rows.some(([other], at) => at < index && other.trim() === name.trim());
  return isTaken ? `${keyLabel} already in use` : undefined;
}

const filled = (rows: [string, string][]): Record<string, string> =>
  Object.fromEntries(rows.filter(([name]) => name.trim() !== "").map(([name, text]) => [name.trim(), text]));
