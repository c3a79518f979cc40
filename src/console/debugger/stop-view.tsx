import { Stack, Switch, Table, Text } from "@mantine/core";
import type { ForkStop } from "../api-types.ts";
import { JsonEditor } from "../editors/json-editor.tsx";
import { Code, Scroller, Status } from "../parts/parts.tsx";
import { textOf } from "./json-text.ts";
import { VariableTable } from "./variable-table.tsx";

/** What the author changes at a stop: texts of variables as they are typed, and what is used in place of the call. */
export type StopEdits = { values: Record<string, string>; answer: { result: unknown } | null };
export const NO_EDITS: StopEdits = { values: {}, answer: null };

/** Where the turn stands: the guard with its operands, the call with its arguments, and the variables. */
export function StopView(props: {
  stop: ForkStop;
  /** Whether services are called; else they answer as recorded. */
  isOpen: boolean;
  edits: StopEdits;
  onEdit(edits: StopEdits): void;
}) {
  const { stop, isOpen, edits, onEdit } = props;
  const own = (scope: "local" | "inputs") =>
    Object.entries(stop[scope]).map(([name, value]) => [`${scope}.${name}`, value]);
  const variables = { ...stop.variables, ...Object.fromEntries([...own("inputs"), ...own("local")]) };
  return (
    <Stack gap="sm" aria-live="polite">
      <Text size="sm" fw={550}>
        {whereOf(stop)}
      </Text>
      {stop.kind === "guard" && <Guard stop={stop} />}
      {stop.kind === "tool" && (
        <>
          <Code value={stop.arguments} label="Arguments of the call" />
          <Switch
            size="sm"
            label="Use another result"
            description={isOpen ? "Off: the tool is called." : "Off: the tool answers as recorded."}
            checked={edits.answer !== null}
            onChange={({ currentTarget }) =>
              onEdit({ ...edits, answer: currentTarget.checked ? { result: {} } : null })
            }
          />
          {edits.answer && (
            <JsonEditor
              label="Result to use instead"
              value={edits.answer.result}
              onChange={(result) => onEdit({ ...edits, answer: { result } })}
            />
          )}
        </>
      )}
      <VariableTable
        label="Variables at this point"
        variables={variables}
        edits={edits.values}
        onEdit={(values) => onEdit({ ...edits, values })}
      />
    </Stack>
  );
}

function whereOf({ kind, step, to, tool }: ForkStop): string {
  if (kind === "tool") return `Before the call of ${tool}`;
  if (kind === "step") return `Before step ${step}`;
  return `Condition from ${step} to ${to}`;
}

function Guard({ stop }: { stop: ForkStop }) {
  return (
    <>
      <Code value={stop.condition} label="Condition" />
      <div>
        {stop.holds ? <Status tone="good">holds</Status> : <Status tone="quiet">does not hold</Status>}
      </div>
      <Scroller label="Values in the condition, side by side">
        <Table aria-label="Values in the condition">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Value</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {stop.operands.map(({ name, value }) => (
              <Table.Tr key={name}>
                <Table.Td>
                  <code dir="ltr">{name}</code>
                </Table.Td>
                <Table.Td>{value === null ? "no value" : textOf(value)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Scroller>
    </>
  );
}
