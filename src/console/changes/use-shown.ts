import { useQueries } from "@tanstack/react-query";
import { type FieldLabels, fieldWords } from "../server/field-labels.ts";
import { listAt, recordName } from "../server/record-name.ts";
import { type Difference, showValue } from "./differences.ts";
import { inFields, inWords } from "./in-words.ts";

/**
 * What differs as it is read: codes in the words of the form, and a record that is named by its number by its name, unless
 * both have the same. What is new or gone as a whole is told by its fields, where the form has names for these.
 */
export function useShown(found: Difference[], labels: FieldLabels | undefined) {
  const named = labels !== undefined;
  const entries = named ? found.flatMap((entry) => inFields(entry, labels)) : found;
  const references = (named ? entries : []).flatMap(({ path, before, after }) => {
    const list = listAt(path);
    return [before, after].flatMap((id) => (list && typeof id === "number" ? [{ list, id }] : []));
  });
  const names = useQueries({ queries: references.map(({ list, id }) => recordName(list, id)) });
  const nameOf = (path: string, value: unknown) => {
    const list = listAt(path);
    const at = references.findIndex((each) => each.list === list && each.id === value);
    return names[at]?.data ?? (named ? inWords(value, fieldWords(path, labels)) : showValue(value));
  };
  return entries.map(({ path, before, after }) => {
    const [one, other] = [nameOf(path, before), nameOf(path, after)];
    return one === other
      ? { path, before: showValue(before), after: showValue(after) }
      : { path, before: one, after: other };
  });
}
