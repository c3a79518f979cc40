// @ts-check
/** A handful of pixels from the end is at the end: fractions and elastic scrolling never stop exactly there. */
const NEAR_PX = 48;

/**
 * Keeps the end of a growing conversation in view, until its reader scrolls up; then a button leads back.
 *
 * @param {HTMLElement} scroller
 * @param {HTMLElement} button
 */
export function followEnd(scroller, button) {
  let following = true;
  let top = 0;

  const follow = (/** @type {boolean} */ wanted) => {
    following = wanted;
    button.hidden = wanted;
  };
  const go = () => {
    follow(true);
    scroller.scrollTop = scroller.scrollHeight;
  };

  scroller.addEventListener("scroll", () => {
    const left = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    // Only a reader moves up; growth alone must not look like it.
    if (left < NEAR_PX) follow(true);
    else if (scroller.scrollTop < top) follow(false);
    top = scroller.scrollTop;
  });
  button.addEventListener("click", () => {
    go();
    scroller.focus();
  });
  const watch = new ResizeObserver(() => following && go());
  watch.observe(scroller);
  for (const child of scroller.children) watch.observe(child);
  return { go };
}
