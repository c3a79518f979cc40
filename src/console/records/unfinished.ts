/**
 * Goes to a field that is typed only half, such as a date without its time: the browser gives it no value until it is
 * whole, so what is sent would say "nothing". The browser tells the person what is missing; whether there was one.
 */
export function stopAtUnfinished(form: HTMLFormElement): boolean {
  const field = [...form.querySelectorAll("input")].find(({ validity }) => validity.badInput);
  field?.reportValidity();
  return field !== undefined;
}
