// @ts-check
/**
 * The page in a frame of somebody's site, put there by widget.js. Who may frame it is the server's word
 * (`frame-ancestors`): whoever hears what is said here is a site registered with the chat's channel.
 *
 * @typedef {import("./saved-chat.js").Memory} Memory
 */

/** A site's script answers at once, or it is none of ours. */
const ANSWER_MS = 1_000;

/** @param {{ shown(): unknown }} on */
export function frame(on) {
  const inside = window.parent !== window;
  /** @param {object} message */
  const tell = (message, origin = "*") => {
    if (inside) window.parent.postMessage({ parley: true, ...message }, origin);
  };
  /** @param {(data: any, origin: string) => void} hear */
  const listen = (hear) =>
    window.addEventListener("message", ({ source, origin, data }) => {
      if (inside && source === window.parent && data?.parley) hear(data, origin);
    });

  listen(({ type }) => type === "shown" && on.shown());
  return {
    inside,
    ready: () => tell({ type: "ready" }),
    close: () => tell({ type: "close" }),
    said: () => tell({ type: "said" }),
    /** @param {string} actionId @param {string} text */
    press: (actionId, text) => tell({ type: "press", actionId, text }),
    /** The site's memory, where the browser gives a frame none. @returns {Promise<Memory | null>} */
    memory() {
      if (!inside) return Promise.resolve(null);
      tell({ type: "recall" });
      return new Promise((resolve) => {
        listen(({ type, text }, origin) => {
          if (type !== "memory") return;
          let known = text;
          const keep = (/** @type {string} */ kept) => {
            known = kept;
            tell({ type: "keep", text: kept }, origin);
          };
          resolve({ read: () => known, keep });
        });
        setTimeout(() => resolve(null), ANSWER_MS);
      });
    },
  };
}
