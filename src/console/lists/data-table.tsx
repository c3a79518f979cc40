import { Button, Checkbox, Group, Skeleton, Table, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ComponentType, useState } from "react";
import { Scroller, Stale } from "../parts/parts.tsx";
import { type Answer, call, type Given, type Operation } from "../server/api.ts";
import { useZone } from "../time/zone.ts";
import { type Column, cell, useColumns } from "./columns.tsx";
import classes from "./data-table.module.css";
import { ListFoot } from "./list-foot.tsx";
import { type EmptyList, ListNotice } from "./list-notice.tsx";
import { type ListState, listQuery, readListState, type SearchParams, writeListState } from "./list-state.ts";
import { ListToolbar } from "./list-toolbar.tsx";
import type { Filter } from "./list-tools.tsx";

type Page<Row> = { items: Row[]; page: number; total_count?: number | null | undefined };

/** The operations that answer a page of records. */
export type ListOperation = {
  [O in Operation]: Answer<O> extends Page<infer _Row> ? O : never;
}[Operation];
export type RowOf<O extends ListOperation> = Answer<O> extends Page<infer Row> ? Row : never;

/** A list, by the operation that answers its rows. */
export type ListOf<O extends ListOperation> = {
  operation: O;
  /** What stands in the operation's path, for lists below a record. */
  path?: Record<string, string | number>;
  columns: Column<RowOf<O>>[];
  /** The field that the search box looks in, and what it says there. */
  search?: { field: string; label: string };
  filters?: Filter[];
  /** Offers a choice of days. */
  days?: boolean;
  /** Offers periods such as the last 7 days, besides. */
  periods?: boolean;
  /** Filters that the page sets and a person can't remove. */
  fixed?: Record<string, string>;
  /** The default order; without it, the API's. */
  usualOrder?: NonNullable<ListState["order"]>;
  /** Further query parameters of the operation. */
  also?: Record<string, string | number | boolean>;
  /** Two lists on one page each need a prefix for their search parameters. */
  prefix?: string;
  empty: EmptyList;
  /** Rows can be selected, and this is shown with their keys, beside how many they are. */
  Selected?: ComponentType<{ keys: string[] }>;
  /** How often a live list is read again. */
  refresh_ms?: number;
} & RowKey<RowOf<O>>;

/** What tells the rows apart, where they have no `id`. */
type RowKey<Row> = Row extends { id: string | number }
  ? { rowKey?: undefined }
  : { rowKey(row: Row): string | number };

/** A table beside the menu, with less room than its columns need. Narrower still, each record is a block, which has room for all. */
const NARROW = "(min-width: 40.01em) and (max-width: 78em)";

/** The console's list: search, filters, order, page and columns are all kept in the address. */
export function DataTable<O extends ListOperation>(
  props: ListOf<O> & {
    /** What a screen reader calls the table. */
    label: string;
  },
) {
  const { operation, prefix = "", empty, label } = props;
  const columns = useColumns(props.columns);
  const params = useSearch({ strict: false }) as SearchParams;
  const navigate = useNavigate();
  const state = readListState(params, prefix);
  const filters = (props.filters ?? []).filter(({ field, byLink }) => !byLink || state.filters[field]);
  const zone = useZone();
  const query = {
    ...listQuery(
      { ...state, order: state.order ?? props.usualOrder ?? null },
      {
        searchField: props.search?.field ?? null,
        fixed: props.fixed ?? {},
        zone,
      },
    ),
    ...props.also,
  };

  const list = useQuery({
    queryKey: [operation, props.path ?? null, query],
    queryFn: ({ signal }) => readPage(operation, { path: props.path, query, signal }),
    placeholderData: keepPreviousData,
    // What somebody searched for stays as it was found.
    refetchInterval: state.search === "" ? (props.refresh_ms ?? false) : false,
  });

  const change = (part: Partial<ListState>, replace = false) =>
    void navigate({
      to: ".",
      search: writeListState(params, { ...state, page: 1, ...part }, prefix),
      replace,
      resetScroll: false,
    });
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  const shown = columns.filter(({ field, hidden }) =>
    state.columns ? state.columns.includes(field) : hidden !== true && !(hidden === "narrow" && isNarrow),
  );
  const isNarrowed =
    state.search !== "" ||
    Object.keys(state.filters).length > 0 ||
    state.from !== null ||
    state.to !== null ||
    state.last !== null;
  const rows = list.data?.items;
  const keys = rowKeys(rows ?? [], props.rowKey ?? ownId);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const select = (keys: string[], isSelected: boolean) =>
    setSelected(isSelected ? selected.union(new Set(keys)) : selected.difference(new Set(keys)));
  const { Selected } = props;

  return (
    <div className={classes.list}>
      <ListToolbar
        state={state}
        search={props.search}
        filters={filters}
        days={props.days === true}
        periods={props.periods === true}
        isNarrowed={isNarrowed}
        columns={columns}
        shown={shown}
        change={change}
      />

      {Selected && selected.size > 0 && (
        <Group gap="sm" px="sm" py={6} role="status">
          <Text size="sm">{selected.size.toLocaleString("en")} selected</Text>
          <Selected keys={[...selected]} />
          <Button variant="subtle" size="compact-sm" onClick={() => setSelected(new Set())}>
            Clear selection
          </Button>
        </Group>
      )}
      {rows && (
        <div className={classes.stale}>
          <Stale error={list.error} retry={() => list.refetch()} />
        </div>
      )}
      {!rows?.length && (rows || list.error) ? (
        <ListNotice
          error={rows ? null : list.error}
          state={state}
          isNarrowed={isNarrowed}
          days={props.days === true}
          empty={empty}
          retry={() => list.refetch()}
          toFirstPage={() => change({ page: 1 }, true)}
        />
      ) : (
        <Scroller className={classes.scroll} label={label} stale={list.isPlaceholderData}>
          <Table className={`${classes.table} ${classes.blocks}`} aria-busy={!rows} highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                {Selected && (
                  <Table.Th w={36}>
                    <Checkbox
                      size="xs"
                      aria-label="Select all rows of this page"
                      disabled={keys.length === 0}
                      checked={keys.length > 0 && keys.every((key) => selected.has(key))}
                      onChange={({ currentTarget }) => select(keys, currentTarget.checked)}
                    />
                  </Table.Th>
                )}
                {shown.map((column) => (
                  <HeadCell
                    key={column.field}
                    column={column}
                    order={state.order ?? props.usualOrder ?? null}
                    onOrder={(order) => change({ order })}
                  />
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows
                ? rows.map((row, index) => (
                    <Table.Tr key={keys[index]}>
                      {Selected && (
                        <Table.Td data-label="Select">
                          <Checkbox
                            size="xs"
                            aria-label={`Select row ${keys[index]}`}
                            checked={selected.has(keys[index] ?? "")}
                            onChange={({ currentTarget }) =>
                              select([keys[index] ?? ""], currentTarget.checked)
                            }
                          />
                        </Table.Td>
                      )}
                      {shown.map((column) => (
                        <Table.Td key={column.field} data-label={column.title} data-align={column.align}>
                          <div>{cell(column, row, params)}</div>
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))
                : Array.from({ length: 7 }, (_, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: rows without a meaning
                    <Table.Tr key={index}>
                      {shown.map((column) => (
                        <Table.Td key={column.field}>
                          <Skeleton height={14} my={3} width="70%" />
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))}
            </Table.Tbody>
          </Table>
        </Scroller>
      )}

      <ListFoot state={state} page={list.data} onChange={change} />
    </div>
  );
}

/** TypeScript knows that the answer is a page only once O is known. */
const readPage = <O extends ListOperation>(operation: O, given: object) =>
  call(operation, given as Given<O>) as Promise<unknown> as Promise<Page<RowOf<O>>>;

const ownId = (row: unknown): string | number => (row as { id: string | number }).id;

/** Some records have no number of their own, and two of them may be the same in all that is shown. */
function rowKeys<Row>(rows: Row[], keyOf: (row: Row) => string | number): string[] {
  const times = new Map<string | number, number>();
  return rows.map((row) => {
    const key = keyOf(row);
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    return before === 0 ? String(key) : `${key} ${before}`;
  });
}

function HeadCell<Row>(props: {
  column: Column<Row>;
  order: ListState["order"];
  onOrder(order: ListState["order"]): void;
}) {
  const { column, order, onOrder } = props;
  const direction = order?.field === column.field ? order.direction : null;
  const sort = direction === null ? "none" : direction === "asc" ? "ascending" : "descending";
  if (!column.orderable) return <Table.Th data-align={column.align}>{column.title}</Table.Th>;
  const next = direction === null ? "asc" : direction === "asc" ? "desc" : null;
  const Sign = direction === null ? IconArrowsSort : direction === "asc" ? IconArrowUp : IconArrowDown;
  return (
    <Table.Th aria-sort={sort} data-align={column.align}>
      <button
        type="button"
        className={classes.order}
        data-active={direction !== null}
        onClick={() => onOrder(next && { field: column.field, direction: next })}
      >
        {column.title}
        <Sign size={13} aria-hidden />
      </button>
    </Table.Th>
  );
}
