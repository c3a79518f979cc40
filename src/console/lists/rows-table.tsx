import { Table } from "@mantine/core";
import { type Column, cell, useColumns } from "./columns.tsx";

/** A table of rows that are all at hand, by the columns of a list. */
export function RowsTable<Row>(props: {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** What tells the rows apart; without it, their place. */
  rowKey?(row: Row): string | number;
}) {
  const { rows, rowKey } = props;
  const columns = useColumns(props.columns);
  return (
    <Table highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ field, title, align }) => (
            <Table.Th key={field} ta={align}>
              {title}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row, index) => (
          <Table.Tr key={rowKey?.(row) ?? index}>
            {columns.map((column) => (
              <Table.Td key={column.field} ta={column.align}>
                {cell(column, row)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
