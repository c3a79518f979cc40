import { Button, Group, Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useSearch } from "@tanstack/react-router";
import type { SearchParams } from "../lists/list-state.ts";
import { addressOf } from "../server/api.ts";
import { useZone } from "../time/zone.ts";
import { pageQuery } from "./session-search.ts";

const EXPORT = "/api/v1/sessions/search/export";

/** Plain links, so that a large file is saved to disk without passing through the page's memory. */
export function ExportFound() {
  const params = useSearch({ strict: false }) as SearchParams;
  const {
    page: _page,
    limit: _limit,
    order_by: _by,
    order_by_direction: _to,
    ...query
  } = pageQuery(params, useZone());
  const href = (format: "csv" | "json") => addressOf(EXPORT, {}, { ...query, format });
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={15} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={href("csv")} download="sessions.csv">
          These sessions as CSV
        </Menu.Item>
        <Menu.Item component="a" href={href("json")} download="sessions.json">
          These sessions as JSON
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
/** Test sessions are found by the filter that asks for them alone. */
const asTest = (params: SearchParams): Record<string, string> =>
  params.f_is_test === "true" ? { is_test: "true" } : {};

/** The same for the rows that were selected. */
export function ExportSelected({ keys }: { keys: string[] }) {
  const params = useSearch({ strict: false }) as SearchParams;
  const pairs = Object.entries({ session_id_list: keys.join(","), ...asTest(params) });
  const query = {
    search_fields: pairs.map(([field]) => field),
    search_field_values: pairs.map(([, value]) => value),
  };
  return (
    <Group gap="xs">
      {(["csv", "json"] as const).map((format) => (
        <Button
          key={format}
          component="a"
          href={addressOf(EXPORT, {}, { ...query, format })}
          download={`sessions.${format}`}
          variant="default"
          size="compact-sm"
          leftSection={<IconDownload size={14} />}
        >
          Export as {format.toUpperCase()}
        </Button>
      ))}
    </Group>
  );
}
