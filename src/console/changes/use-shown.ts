import { useQueries } from "@tanstack/react-query";
import { listAt, recordName } from "../server/record-name.ts";
import { type Difference, showValue } from "./differences.ts";

/** What differs as it is read: a record that is named by its number has its name, unless both have the same. */
export function useShown(entries: Difference[], named = true) {
  const references = (named ? entries : []).flatMap(({ path, before, after }) => {
    const list = listAt(path);
    return [before, after].flatMap((id) => (list && typeof id === "number" ? [{ list, id }] : []));
  });
  const names = useQueries({ queries: references.map(({ list, id }) => recordName(list, id)) });
  const nameOf = (path: string, value: unknown) => {
    const list = listAt(path);
    const at = references.findIndex((each) => each.list === list && each.id === value);
    return names[at]?.data ?? showValue(value);
  };
  return entries.map(({ path, before, after }) => {
    const [one, other] = [nameOf(path, before), nameOf(path, after)];
    return one === other
      ? { path, before: showValue(before), after: showValue(after) }
      : { path, before: one, after: other };
  });
}
