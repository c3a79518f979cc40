import { Table } from "@mantine/core";
import type { PlayedEvent } from "../api-types.ts";
import { Scroller } from "../parts/parts.tsx";
import classes from "./studio.module.css";

/** What has a value now, with what the last event changed marked. */
export function PlayVariables({ played }: { played: readonly PlayedEvent[] }) {
  const now = valuesOf(played.at(-1));
  const before = valuesOf(played.at(-2));
  const names = [...now.keys()];
  return (
    <Scroller label="Variables of the play">
      <Table aria-label="Variables">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Variable</Table.Th>
            <Table.Th>Value</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {names.length === 0 && (
            <Table.Tr>
              <Table.Td colSpan={2}>No values yet</Table.Td>
            </Table.Tr>
          )}
          {names.map((name) => {
            const isChanged = played.length > 1 && now.get(name) !== before.get(name);
            return (
              <Table.Tr key={name} className={isChanged ? (classes.changed ?? "") : ""}>
                <Table.Td>
                  <code dir="ltr">{name}</code>
                </Table.Td>
                <Table.Td dir="auto">
                  {now.get(name)}
                  {isChanged && " (changed)"}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Scroller>
  );
}

function valuesOf(played: PlayedEvent | undefined): Map<string, string> {
  if (!played) return new Map();
  const own = (scope: "inputs" | "local") =>
    Object.entries(played[scope]).map(([name, value]): [string, unknown] => [`${scope}.${name}`, value]);
  return new Map(
    [...own("inputs"), ...own("local"), ...Object.entries(played.variables)].map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}
