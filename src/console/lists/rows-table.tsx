import { Table } from "@mantine/core";
import { type Column, cell, useColumns } from "./columns.tsx";
import classes from "./data-table.module.css";

/** A table of rows that are all at hand, by the columns of a list; below 640 px each is a block, as there, unless they are figures. */
export function RowsTable<Row>(props: {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** What tells the rows apart; without it, their place. */
  rowKey?(row: Row): string | number;
  /** A name and a few numbers, which are compared with those above and below. */
  figures?: boolean;
}) {
  const { rows, rowKey, figures = false } = props;
  const columns = useColumns(props.columns);
  return (
    <Table className={`${classes.table} ${figures ? classes.figures : classes.blocks}`} highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ field, title, align }) => (
            <Table.Th key={field} data-align={align}>
              {title}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row, index) => (
          <Table.Tr key={rowKey?.(row) ?? index}>
            {columns.map((column) => (
              <Table.Td key={column.field} data-label={column.title} data-align={column.align}>
                <div>{cell(column, row)}</div>
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
