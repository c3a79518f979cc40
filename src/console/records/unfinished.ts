import { wantedDate } from "../time/written-date.ts";

/**
 * Focuses a half-typed field, such as a date without its time or a value whose name is missing, and lets the browser say
 * what is missing. The form has no value for such a field, so it would be sent without it. Returns whether there was one.
 */
export function stopAtUnfinished(form: HTMLFormElement): boolean {
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")) {
    const { incomplete, written } = field.dataset;
    const wanted = incomplete ?? wantedDate({ value: field.value, written });
    if (wanted !== null) {
      field.setCustomValidity(wanted);
      field.addEventListener("input", () => field.setCustomValidity(""), { once: true });
      field.addEventListener("blur", () => field.setCustomValidity(""), { once: true });
    } else if (!field.validity.badInput) continue;
    field.reportValidity();
    return true;
  }
  return false;
}
