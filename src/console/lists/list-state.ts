import { toInstant } from "../time/wall-time.ts";

/**
 * What a list shows, as it stands in the address of its page, so that a link, the back button and a reload all show the
 * same: `?q=anna&f_is_test=false&order=-timestamp&page=3&size=50&cols=timestamp,agent_name&from=2026-11-01`.
 */
export type ListState = {
  /** Counted from 1, as people do. */
  page: number;
  size: number;
  search: string;
  filters: Record<string, string>;
  order: { field: string; direction: "asc" | "desc" } | null;
  /** null: the columns that are shown when nothing was chosen. */
  columns: string[] | null;
  /** Days, both included, in the chosen zone. */
  from: string | null;
  to: string | null;
  /** So many days up to today, in place of `from` and `to`. */
  last: number | null;
};

export type SearchParams = Record<string, string>;

export const SIZES = [25, 50, 100];
const FILTER = "f_";

export function readListState(params: SearchParams, prefix = ""): ListState {
  const text = (name: string): string => params[prefix + name] ?? "";
  const order = text("order");
  const size = Number(text("size"));
  const filters = Object.entries(params).flatMap(([name, value]): [string, string][] =>
    name.startsWith(prefix + FILTER) && value !== "" ? [[name.slice((prefix + FILTER).length), value]] : [],
  );
  return {
    page: Math.max(1, Math.trunc(Number(text("page"))) || 1),
    size: SIZES.includes(size) ? size : (SIZES[0] as number),
    search: text("q"),
    filters: Object.fromEntries(filters),
    order: /^-?\w+$/.test(order)
      ? { field: order.replace(/^-/, ""), direction: order.startsWith("-") ? "desc" : "asc" }
      : null,
    columns: text("cols") === "" ? null : text("cols").split(","),
    from: isDay(text("from")) ? text("from") : null,
    to: isDay(text("to")) ? text("to") : null,
    last: /^[1-9]\d{0,3}$/.test(text("last")) ? Number(text("last")) : null,
  };
}

/** Only what differs from the default is written to the address; other parameters are left alone. */
export function writeListState(params: SearchParams, state: ListState, prefix = ""): SearchParams {
  const own = new Set(
    ["page", "size", "q", "order", "cols", "from", "to", "last"].map((name) => prefix + name),
  );
  const others = Object.entries(params).filter(
    ([name]) => !own.has(name) && !name.startsWith(prefix + FILTER),
  );
  const { order } = state;
  const next: [string, string][] = [
    ["q", state.search],
    ["order", order ? `${order.direction === "desc" ? "-" : ""}${order.field}` : ""],
    ["page", state.page > 1 ? String(state.page) : ""],
    ["size", state.size === SIZES[0] ? "" : String(state.size)],
    ["cols", state.columns?.join(",") ?? ""],
    ["from", state.from ?? ""],
    ["to", state.to ?? ""],
    ["last", state.last === null ? "" : String(state.last)],
    ...Object.entries(state.filters).map(([field, value]): [string, string] => [FILTER + field, value]),
  ];
  const kept = next.filter(([, value]) => value !== "").map(([name, value]) => [prefix + name, value]);
  return Object.fromEntries([...others, ...kept]);
}

export type ListQuery = {
  page: number;
  limit: number;
  search_fields: string[];
  search_field_values: string[];
  order_by?: string;
  order_by_direction?: "asc" | "desc";
  start_datetime?: string;
  end_datetime?: string;
};

/** The state in the words of the API's lists; `fixed` are filters that the page itself sets. */
export function listQuery(
  state: ListState,
  {
    searchField,
    fixed = {},
    zone,
    now = new Date(),
  }: { searchField: string | null; fixed?: Record<string, string>; zone: string; now?: Date },
): ListQuery {
  const pairs = Object.entries({ ...state.filters, ...fixed });
  if (searchField !== null && state.search.trim() !== "") pairs.push([searchField, state.search.trim()]);
  return {
    page: state.page - 1,
    limit: state.size,
    search_fields: pairs.map(([field]) => field),
    search_field_values: pairs.map(([, value]) => value),
    ...(state.order && { order_by: state.order.field, order_by_direction: state.order.direction }),
    ...(state.last !== null && { start_datetime: startOfDay(daysBefore(now, state.last - 1, zone), zone) }),
    ...(state.from && { start_datetime: startOfDay(state.from, zone) }),
    ...(state.to && { end_datetime: startOfDay(dayAfter(state.to), zone) }),
  };
}

const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

function dayAfter(day: string): string {
  const next = new Date(`${day}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  return next.toISOString().slice(0, 10);
}

/** The day so many days before today, as the zone has it. */
function daysBefore(now: Date, days: number, zone: string): string {
  const today = new Date(`${now.toLocaleDateString("sv", { timeZone: zone })}T00:00:00Z`);
  today.setUTCDate(today.getUTCDate() - days);
  return today.toISOString().slice(0, 10);
}

const startOfDay = (day: string, zone: string): string => toInstant(`${day}T00:00`, zone) as string;
