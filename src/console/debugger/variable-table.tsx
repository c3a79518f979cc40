import { Table, TextInput } from "@mantine/core";
import { Scroller } from "../parts/parts.tsx";
import { textOf } from "./json-text.ts";

/** Variables with their values, which can be changed; `edits` holds the texts of those that were. */
export function VariableTable(props: {
  label: string;
  variables: Record<string, unknown>;
  edits: Record<string, string>;
  onEdit(edits: Record<string, string>): void;
}) {
  const { label, variables, edits, onEdit } = props;
  const names = Object.keys(variables).toSorted();
  return (
    <Scroller label={label}>
      <Table aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Variable</Table.Th>
            <Table.Th>Value</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {names.map((name) => (
            <Table.Tr key={name}>
              <Table.Td>
                <code dir="ltr">{name}</code>
              </Table.Td>
              <Table.Td>
                <TextInput
                  size="xs"
                  aria-label={`Value of ${name}`}
                  value={edits[name] ?? textOf(variables[name])}
                  onChange={({ currentTarget }) => onEdit({ ...edits, [name]: currentTarget.value })}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scroller>
  );
}
