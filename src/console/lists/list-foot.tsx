import { Button, Group, NativeSelect, Pagination, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import classes from "./data-table.module.css";
import { type ListState, SIZES } from "./list-state.ts";

const figure = (number: number): string => number.toLocaleString("en");

/** The range of rows shown, the total and the pager; a list without a total goes page by page. */
export function ListFoot(props: {
  state: ListState;
  page: { items: unknown[]; total_count?: number | null | undefined } | undefined;
  onChange(part: Partial<ListState>): void;
}) {
  const { state, page, onChange } = props;
  const [total, setTotal] = useState<number | null | undefined>(page?.total_count);
  // While another page is read, the total stays that of the last.
  useEffect(() => page && setTotal(page.total_count), [page]);
  const count = page?.items.length ?? 0;
  const first = (state.page - 1) * state.size;
  const of = total === null || total === undefined ? "" : ` of ${figure(total)}`;
  const range = count > 0 ? `${figure(first + 1)}–${figure(first + count)}${of}` : total ? `0${of}` : null;
  const isMore = count === state.size;
  return (
    <div className={classes.foot}>
      <Text size="xs" c="dimmed" role="status">
        {page ? (range ?? <span className="sr-only">No results</span>) : "…"}
      </Text>
      <Group gap="xs">
        <NativeSelect
          size="xs"
          aria-label="Rows on a page"
          data={SIZES.map((size) => ({ value: String(size), label: `${size} rows` }))}
          value={String(state.size)}
          onChange={({ currentTarget }) => onChange({ size: Number(currentTarget.value) })}
        />
        {typeof total === "number" ? (
          <Pagination
            size="xs"
            siblings={1}
            value={state.page}
            total={Math.max(1, Math.ceil(total / state.size))}
            onChange={(next) => onChange({ page: next })}
            getControlProps={(control) => ({ "aria-label": `${control} page` })}
            getItemProps={(number) => ({ "aria-label": `Page ${number}` })}
          />
        ) : (
          <Button.Group>
            <Button
              size="xs"
              variant="default"
              disabled={state.page === 1}
              onClick={() => onChange({ page: state.page - 1 })}
            >
              Previous
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={!isMore}
              onClick={() => onChange({ page: state.page + 1 })}
            >
              Next
            </Button>
          </Button.Group>
        )}
      </Group>
    </div>
  );
}
