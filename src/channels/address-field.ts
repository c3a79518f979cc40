import type { ListField } from "../api/list.ts";
import { isNational, normalisePhone, WITH_COUNTRY } from "./address.ts";

/** A list's field of addresses, all in their one spelling: a number written within its country would be found in none. */
export const addressField = (field: ListField): ListField => ({
  ...field,
  match(value) {
    if (isNational(value)) return { problem: WITH_COUNTRY };
    // Of a part of a number nobody knows where it begins.
    const isWhole = value.trim().startsWith("+");
    return field.match((isWhole ? normalisePhone(value, null) : null) ?? value);
  },
});
