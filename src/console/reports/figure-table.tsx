import { Table, Text } from "@mantine/core";
import { RouteLink, Scroller } from "../parts/parts.tsx";
import { Time } from "../time/time.tsx";
import classes from "./charts.module.css";
import { type Cell, type FigureTable, isNumeric } from "./figures.ts";

/** A table of a dashboard; numbers are aligned right. */
export function FigureTableView({
  table,
  tall = false,
  linkOf = () => null,
}: {
  table: FigureTable;
  tall?: boolean;
  /** Where a row leads, by its first cell. */
  linkOf?(row: Cell[]): string | null;
}) {
  if (table.rows.length === 0) {
    return (
      <Text size="sm" c="dimmed" p="md">
        Nothing in this period.
      </Text>
    );
  }
  const numeric = table.columns.map((_, column) => isNumeric(table, column));
  return (
    <Scroller label={table.name} className={tall ? classes.tall : classes.scroll}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            {table.columns.map((column, index) => (
              <Table.Th key={column} ta={numeric[index] ? "right" : undefined}>
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {table.rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own
            <Table.Tr key={at}>
              {row.map((cell, index) => (
                <Table.Td
                  key={table.columns[index]}
                  ta={numeric[index] ? "right" : undefined}
                  className={classes.cell}
                >
                  {index === 0 ? <Linked to={linkOf(row)} cell={cell} /> : <CellView cell={cell} />}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scroller>
  );
}

const Linked = ({ to, cell }: { to: string | null; cell: Cell }) =>
  to === null ? (
    <CellView cell={cell} />
  ) : (
    <RouteLink to={to}>
      <CellView cell={cell} />
    </RouteLink>
  );

function CellView({ cell }: { cell: Cell }) {
  if (cell === null || cell === "") return "–";
  if (typeof cell === "number") return cell.toLocaleString("en", { maximumFractionDigits: 6 });
  return /^\d{4}-\d\d-\d\dT/.test(cell) ? <Time at={cell} kind="minute" /> : <bdi>{cell}</bdi>;
}
