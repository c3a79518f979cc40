/**
 * Focuses a half-typed field, such as a date without its time, and lets the browser say what is missing. The browser
 * reports no value for such a field, so it would be sent as empty. Returns whether there was one.
 */
export function stopAtUnfinished(form: HTMLFormElement): boolean {
  const field = [...form.querySelectorAll("input")].find(({ validity }) => validity.badInput);
  field?.reportValidity();
  return field !== undefined;
}
