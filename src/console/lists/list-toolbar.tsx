import { Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFilter } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { DayField } from "../time/day-field.tsx";
import type { Column } from "./columns.tsx";
import classes from "./data-table.module.css";
import type { ListState } from "./list-state.ts";
import { ColumnChooser, type Filter, FilterBox, PeriodFilter, SearchBox } from "./list-tools.tsx";

/** Above a list: its search, filters, days and columns, and the button that clears what narrows it. */
export function ListToolbar<Row>(props: {
  state: ListState;
  search: { label: string } | undefined;
  filters: Filter[];
  days: boolean;
  periods: boolean;
  isNarrowed: boolean;
  columns: Column<Row>[];
  shown: Column<Row>[];
  change(part: Partial<ListState>, replace?: boolean): void;
}) {
  const { state, filters, columns, shown, isNarrowed, change } = props;
  const [showFilters, { toggle: toggleFilters }] = useDisclosure(false);
  const [showMore, { toggle: toggleMore }] = useDisclosure(false);
  const isShown = ({ more, field }: Filter) => !more || showMore || state.filters[field] !== undefined;
  const hasMore = filters.some(({ more }) => more);
  // Text that is typed but not in the address yet is cleared too, by mounting the boxes anew.
  const [clearings, setClearings] = useState(0);
  const tools = useRef<HTMLDivElement>(null);
  const clear = () => {
    setClearings(clearings + 1);
    change({ search: "", filters: {}, from: null, to: null, last: null });
  };
  // The Clear button disappears, so the focus moves to the search box.
  useEffect(() => {
    if (clearings > 0) tools.current?.querySelector("input")?.focus();
  }, [clearings]);
  return (
    <div className={classes.tools} data-filters={showFilters} ref={tools}>
      {props.search && (
        <SearchBox
          key={`search ${clearings}`}
          label={props.search.label}
          value={state.search}
          onChange={(search) => change({ search }, true)}
        />
      )}
      {(filters.length > 0 || props.days) && (
        <Button
          className={classes.narrow}
          variant="default"
          size="xs"
          leftSection={<IconFilter size={14} />}
          aria-expanded={showFilters}
          onClick={toggleFilters}
        >
          Filters
        </Button>
      )}
      {filters.filter(isShown).map((filter) => (
        <FilterBox
          key={`${filter.field} ${clearings}`}
          filter={filter}
          value={state.filters[filter.field] ?? ""}
          onChange={(value) => change({ filters: withFilter(state.filters, filter.field, value) }, true)}
        />
      ))}
      {props.periods && (
        <PeriodFilter value={state.last} onChange={(last) => change({ last, from: null, to: null }, true)} />
      )}
      {hasMore && (
        <Button
          className={classes.filter}
          variant="subtle"
          size="xs"
          aria-expanded={showMore}
          onClick={toggleMore}
        >
          {showMore ? "Fewer filters" : "More filters"}
        </Button>
      )}
      {props.days && (
        <Group gap={4} wrap="nowrap" className={classes.days}>
          <DayField
            size="xs"
            w={130}
            aria-label="From day"
            placeholder="From day"
            value={state.from}
            onChange={(from) => change({ from, last: null }, true)}
          />
          <span aria-hidden>–</span>
          <DayField
            size="xs"
            w={130}
            aria-label="To day"
            placeholder="To day"
            value={state.to}
            onChange={(to) => change({ to, last: null }, true)}
          />
        </Group>
      )}
      {isNarrowed && (
        <Button variant="subtle" size="xs" onClick={clear}>
          Clear
        </Button>
      )}
      <ColumnChooser
        columns={columns}
        shown={shown.map(({ field }) => field)}
        onChange={(fields) => change({ columns: fields, page: state.page }, true)}
      />
    </div>
  );
}

const withFilter = (filters: Record<string, string>, field: string, value: string) =>
  value === ""
    ? Object.fromEntries(Object.entries(filters).filter(([name]) => name !== field))
    : { ...filters, [field]: value };
