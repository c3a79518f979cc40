import type { z } from "zod";

/** What is searched and what it has to match, in pairs by index. */
type SearchPairs = { search_fields: readonly unknown[]; search_field_values: readonly unknown[] };

/** Why the two are no pairs; null where they are. */
export const unpaired = ({ search_fields, search_field_values }: SearchPairs): string | null =>
  search_fields.length === search_field_values.length
    ? null
    : `search_fields has ${search_fields.length} entries, search_field_values ${search_field_values.length}; they are matched by index`;

/** For `superRefine`. */
export function refuseUnpaired(search: SearchPairs, context: z.RefinementCtx): void {
  const message = unpaired(search);
  if (message) context.addIssue({ code: "custom", path: ["search_field_values"], message });
}
