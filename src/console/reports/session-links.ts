import type { Cell, FigureTable } from "./figures.ts";

/** The filter of the sessions' list for a column of a table. */
const FILTERS: Record<string, string> = {
  Agent: "agent_name",
  Prompt: "prompt_name",
  Version: "prompt_version",
  Channel: "channel",
  Category: "event_category",
  Type: "event",
};

/** What all figures of a dashboard have in common. */
const OF_DASHBOARD: Record<string, Record<string, string>> = {
  session_transfers: { event: "phone-transfer" },
  outbound_campaigns: { is_outbound: "true" },
};

/** The filter for the kinds that a dashboard counts by day. */
const KINDS: Record<string, string> = { sessions: "channel", session_events: "event_category" };

type Days = { from: string; to: string };

/** The list of the sessions that a row of a table counts; null where no filter says which those are. Pure. */
export function rowLink(dashboard: string, table: FigureTable, row: Cell[], days: Days): string | null {
  const cells = new Map(table.columns.map((column, n) => [column, row[n] ?? null]));
  const session = cells.get("Session");
  if (typeof session === "number") return `/sessions/${session}`;
  const filters: Record<string, string> = {};
  for (const [column, value] of cells) {
    const field = Object.hasOwn(FILTERS, column) ? FILTERS[column] : undefined;
    if (field !== undefined && value !== null && value !== "") filters[field] = String(value);
  }
  const [insight, value] = [cells.get("Insight"), cells.get("Value")];
  if (insight && value) filters.insight = `${insight}=${value}`;
  if (Object.keys(filters).length === 0 || (insight && !value)) return null;
  return address({ ...OF_DASHBOARD[dashboard], ...filters }, days);
}

/** The same for a bar of a day; without a kind, for the whole day. Pure. */
export function dayLink(dashboard: string, day: string, kind: string | null): string {
  const field = KINDS[dashboard];
  const ofKind = field !== undefined && kind !== null ? { [field]: kind } : {};
  return address({ ...OF_DASHBOARD[dashboard], ...ofKind }, { from: day, to: day });
}

const address = (filters: Record<string, string>, { from, to }: Days): string => {
  const params = Object.entries(filters).map(([field, value]): [string, string] => [`f_${field}`, value]);
  return `/sessions?${new URLSearchParams([...params, ["from", from], ["to", to]])}`;
};
