import { Alert, Button, Stack, Text } from "@mantine/core";
import { IconCalendar, IconSearch } from "@tabler/icons-react";
import type { ComponentType, ReactNode } from "react";
import { Empty, Failure } from "../parts/parts.tsx";
import { ApiError } from "../server/api.ts";
import classes from "./data-table.module.css";
import type { ListState } from "./list-state.ts";

/** What the place is for, when there are no rows and no filter is set. */
export type EmptyList = {
  title: string;
  icon?: ComponentType<{ size?: number }>;
  about?: ReactNode;
  action?: ReactNode;
  /** Where else what was searched may be, when no row has it. */
  searched?(text: string): ReactNode;
};

/** What a list shows in place of rows: why it can't be read, or why there are none. */
export function ListNotice(props: {
  error: Error | null;
  state: ListState;
  isNarrowed: boolean;
  /** The list offers a choice of days. */
  days: boolean;
  empty: EmptyList;
  retry(): unknown;
  toFirstPage(): void;
}) {
  return <div className={classes.notice}>{noticeOf(props)}</div>;
}

function noticeOf({
  error,
  state,
  isNarrowed,
  days,
  empty,
  retry,
  toFirstPage,
}: Parameters<typeof ListNotice>[0]) {
  if (error && days && needsDays(error)) return <ChooseDays />;
  if (error && wrongValues(error).length > 0) return <ChangeSearch problems={wrongValues(error)} />;
  if (error) return <Failure error={error} retry={retry} />;
  if (state.page > 1)
    return (
      <Stack align="center" py="xl" gap="xs">
        <Text fw={600}>There is nothing on page {state.page.toLocaleString("en")}</Text>
        <Button variant="default" size="xs" onClick={toFirstPage}>
          To the first page
        </Button>
      </Stack>
    );
  if (isNarrowed)
    return (
      <Stack align="center" py="xl" gap="xs">
        <Text fw={600}>No results</Text>
        <Text size="sm" c="dimmed">
          {empty.searched?.(state.search) ?? "Change the search or the filters."}
        </Text>
      </Stack>
    );
  return (
    <Empty title={empty.title} icon={empty.icon && <empty.icon size={28} />} action={empty.action}>
      {empty.about}
    </Empty>
  );
}

/** The API searches and sorts so many records of a long list at once, and asks for dates beyond (docs/decisions/0098). */
const needsDays = (error: Error): boolean =>
  error instanceof ApiError && error.status === 422 && /start_datetime/.test(error.message);

/** What the API says of values that somebody searched for, in sentences. */
const wrongValues = (error: Error): string[] =>
  error instanceof ApiError
    ? error.issues.flatMap(({ loc, msg }) => (loc.includes("search_field_values") ? [msg] : []))
    : [];

function ChangeSearch({ problems }: { problems: string[] }) {
  return (
    <Alert color="blue" title="Change the search" icon={<IconSearch />} role="alert" my="md">
      {problems.map((problem) => (
        <div key={problem}>{problem}</div>
      ))}
    </Alert>
  );
}

function ChooseDays() {
  return (
    <Alert color="blue" title="Choose days" icon={<IconCalendar />} role="alert" my="md">
      This list is too long to search or sort as a whole. Set “From day” and “To day” above to a shorter
      period.
    </Alert>
  );
}
