import type { z } from "zod";

/** Search fields and the values that they have to match, paired by index. */
type SearchPairs = { search_fields: readonly unknown[]; search_field_values: readonly unknown[] };

/** Why they can't be paired; null where they can. */
export const unpaired = ({ search_fields, search_field_values }: SearchPairs): string | null =>
  search_fields.length === search_field_values.length
    ? null
    : `search_fields has ${search_fields.length} entries, search_field_values ${search_field_values.length}; they are matched by index`;

/** For `superRefine`. */
export function refuseUnpaired(search: SearchPairs, context: z.RefinementCtx): void {
  const message = unpaired(search);
  if (message) context.addIssue({ code: "custom", path: ["search_field_values"], message });
}
