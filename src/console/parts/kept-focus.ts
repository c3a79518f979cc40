/** What had the focus last, and may have lost it by being disabled or taken out of the page. */
let last: Element | null = null;

/**
 * A button is disabled while its answer is awaited, and so are the fields of a form that is being saved. The browser takes
 * the focus from what is disabled and gives it to nobody, so that a person without a mouse would begin at the top of the
 * page: here it comes back as soon as it can, unless they have gone on meanwhile. Where a button went with the row that it
 * removed, or with what it did, focus moves to the control that takes its place in the form, window or panel.
 */
export function keepFocus(): void {
  document.addEventListener("focusin", ({ target }) => {
    last = target as Element;
  });
  document.addEventListener("focusout", ({ target }) => {
    // Left by a person, and not taken away: the browser says so before what it takes away is gone.
    queueMicrotask(() => {
      if (target === last && last?.isConnected && !isDisabled(last)) last = null;
    });
  });
  new MutationObserver((changes) => {
    if (document.activeElement !== document.body || last === null) return;
    giveFocus(last.isConnected ? last : inPlaceOf(last, changes));
  }).observe(document, { subtree: true, childList: true, attributeFilter: ["disabled", "inert"] });
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

const isDisabled = (element: Element): boolean => element.matches(":disabled, [inert] *");

/** A player among them: who asked for a recording plays it next. */
const PRESSED = "a[href], button, audio[controls]";
const CONTROLS = `${PRESSED}, input, select, textarea, [contenteditable=true]`;

/**
 * The next control of the form, window or panel that it was taken out of, else the last one before it; where none is left
 * there, the next button or link of the page: a field would open its calendar or its list by itself. A page that goes as a
 * whole leaves the focus to the one that comes.
 */
function inPlaceOf(gone: Element, changes: MutationRecord[]): Element | null {
  const removed = (node: Node) => node.contains(gone);
  const change = changes.find(({ removedNodes }) => [...removedNodes].some(removed));
  if (!(change?.target instanceof Element)) return null;
  const around = change.target;
  const isPage = [...change.removedNodes].some(
    (node) => removed(node) && node instanceof Element && node.querySelector("h1"),
  );
  const before = change.previousSibling?.isConnected ? change.previousSibling : null;
  const isBehind = (control: Element) =>
    before ? !before.contains(control) && follows(before, control) : follows(around, control);
  const scopes = scopesOf(around).map((scope) => [scope, CONTROLS] as const);
  const page = isPage ? null : around.closest("main");
  for (const [scope, kinds] of page ? [...scopes, [page, PRESSED] as const] : scopes) {
    const controls = [...scope.querySelectorAll(kinds)].filter(
      (control) => !control.matches(":disabled, [tabindex='-1']") && control.checkVisibility(),
    );
    const next = controls.find(isBehind) ?? controls.at(-1);
    if (next) return next;
  }
  return null;
}

/** The form, window or panel, and in a window what is around it up to the window: nothing behind it can have the focus. */
function scopesOf(around: Element): Element[] {
  const nearest = around.closest("form, [role=dialog], section");
  if (!nearest) return [];
  const outer =
    nearest.parentElement && nearest.closest("[role=dialog]") ? scopesOf(nearest.parentElement) : [];
  return [nearest, ...outer];
}

const follows = (one: Node, other: Node): boolean =>
  (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
