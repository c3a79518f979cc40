/** What had the focus last, and may have lost it by being disabled. */
let last: Element | null = null;

/**
 * A button is disabled while its answer is awaited, and so are the fields of a form that is being saved. The browser takes
 * the focus from what is disabled and gives it to nobody, so that a person without a mouse would begin at the top of the
 * page: here it comes back as soon as it can, unless they have gone on meanwhile.
 */
export function keepFocus(): void {
  document.addEventListener("focusin", ({ target }) => {
    last = target as Element;
  });
  // Left by a person, and not taken away.
  document.addEventListener("focusout", () => {
    if (last && !isDisabled(last)) last = null;
  });
  new MutationObserver(() => {
    if (document.activeElement === document.body) giveFocus(last);
  }).observe(document, { subtree: true, attributeFilter: ["disabled"] });
}

/** What has the focus, or had it until it was disabled. */
export const focused = (): Element | null =>
  document.activeElement === document.body ? last : document.activeElement;

/** Now, or once it is enabled. */
export function giveFocus(element: Element | null): void {
  if (!(element instanceof HTMLElement) || !element.isConnected) return;
  last = element;
  if (!isDisabled(element)) element.focus({ preventScroll: true });
}

const isDisabled = (element: Element): boolean => element.matches(":disabled");
