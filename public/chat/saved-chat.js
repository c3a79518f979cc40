// @ts-check
/**
 * What of a chat outlives the page: which session it is, and what was written but not answered yet. Where the browser
 * keeps nothing (a private window, a strict frame), the chat lives as long as the page.
 *
 * @typedef {{ id: string, text: string }} Message
 * @typedef {{ id: string, token: string }} Session
 * @typedef {{ session: Session | null, outbox: Message[] }} Saved
 * @typedef {{ get(): Saved, set(saved: Saved): void }} SavedChat
 */

/** @param {string} target @returns {SavedChat} */
export function savedChat(target) {
  const key = `parley.chat.${target}`;
  let kept = read(key);
  return {
    get: () => kept,
    set(saved) {
      kept = saved;
      try {
        localStorage.setItem(key, JSON.stringify(saved));
      } catch {
        // Nothing to do about it: `kept` still serves this page.
      }
    },
  };
}

/** @param {string} key @returns {Saved} */
function read(key) {
  try {
    const { session, outbox } = JSON.parse(localStorage.getItem(key) ?? "{}");
    const sound = typeof session?.id === "string" && typeof session.token === "string";
    return { session: sound ? session : null, outbox: Array.isArray(outbox) ? outbox : [] };
  } catch {
    return { session: null, outbox: [] };
  }
}
