import type { SessionViewCreate } from "../api-types.ts";
import {
  type ListState,
  listQuery,
  readListState,
  type SearchParams,
  writeListState,
} from "../lists/list-state.ts";

/** What the search box of the sessions looks in. */
export const WORDS = "words";

/** The list's state as the address has it, carried along to a session's page. */
export const IN = "in";

/** A session's page that knows the search it was found by. */
export function sessionAddress(session_id: string, params: SearchParams): string {
  const search = new URLSearchParams(params).toString();
  return search === ""
    ? `/sessions/${session_id}`
    : `/sessions/${session_id}?${new URLSearchParams({ [IN]: search })}`;
}

export const paramsIn = (search: string): SearchParams => Object.fromEntries(new URLSearchParams(search));

/** The list that a session was found in. */
export const listAddress = (search: string): string => (search === "" ? "/sessions" : `/sessions?${search}`);

/** The query of one page of the list. */
export const pageQuery = (params: SearchParams, zone: string, page?: number) => {
  const state = readListState(params);
  return listQuery({ ...state, page: page ?? state.page }, { searchField: WORDS, zone });
};

type SavedSearch = Pick<
  SessionViewCreate,
  "search_fields" | "search_field_values" | "columns" | "order_by" | "order_by_direction" | "last_days"
>;

/** What of the list a view keeps. Days that were chosen are not kept: they would soon show nothing. */
export function savedSearch(params: SearchParams): SavedSearch {
  const state = readListState(params);
  const pairs = Object.entries(state.filters);
  if (state.search.trim() !== "") pairs.push([WORDS, state.search.trim()]);
  return {
    search_fields: pairs.map(([field]) => field) as NonNullable<SavedSearch["search_fields"]>,
    search_field_values: pairs.map(([, value]) => value),
    columns: state.columns ?? [],
    order_by: (state.order?.field ?? null) as SavedSearch["order_by"],
    order_by_direction: state.order?.direction ?? null,
    last_days: state.last,
  };
}

type ShownView = {
  search_fields: string[];
  search_field_values: string[];
  columns: string[];
  order_by?: string | null | undefined;
  order_by_direction?: "asc" | "desc" | null | undefined;
  last_days?: number | null | undefined;
};

/** The address of a view: the list with its search, columns and order. */
export function viewParams(view: ShownView): SearchParams {
  const pairs = view.search_fields.map((field, n): [string, string] => [
    field,
    view.search_field_values[n] ?? "",
  ]);
  const filters = pairs.filter(([field]) => field !== WORDS);
  const state: ListState = {
    ...readListState({}),
    search: pairs.find(([field]) => field === WORDS)?.[1] ?? "",
    filters: Object.fromEntries(filters),
    order: view.order_by ? { field: view.order_by, direction: view.order_by_direction ?? "asc" } : null,
    columns: view.columns.length > 0 ? view.columns : null,
    last: view.last_days ?? null,
  };
  return writeListState({}, state);
}
