// @ts-check
/**
 * The page in a frame of somebody's site, put there by widget.js. Who may frame it is the server's word
 * (`frame-ancestors`), so what is said here reaches nobody else; none of it is secret all the same.
 *
 * @param {{ shown(): unknown }} on
 */
export function frame(on) {
  const inside = window.parent !== window;
  const tell = (/** @type {object} */ message) => {
    if (inside) window.parent.postMessage({ parley: true, ...message }, "*");
  };
  window.addEventListener("message", ({ source, data }) => {
    if (inside && source === window.parent && data?.parley && data.type === "shown") on.shown();
  });
  return {
    inside,
    ready: () => tell({ type: "ready" }),
    close: () => tell({ type: "close" }),
    said: () => tell({ type: "said" }),
    /** @param {string} actionId @param {string} text */
    press: (actionId, text) => tell({ type: "press", actionId, text }),
  };
}
