// @ts-check
/**
 * What of a chat outlives the page: which session it is, and what was written but not answered yet.
 *
 * @typedef {{ id: string, text: string }} Message
 * @typedef {{ id: string, token: string }} Session
 * @typedef {{ session: Session | null, outbox: Message[] }} Saved
 * @typedef {{ get(): Saved, set(saved: Saved): void }} SavedChat
 * @typedef {{ text: string | null, keep(text: string): void }} Memory a text that is there again on the next page
 */

/** What the browser keeps for this page; null where it keeps nothing, as it may for a frame on another site. @param {string} key @returns {Memory | null} */
export function browserMemory(key) {
  try {
    return { text: localStorage.getItem(key), keep: (text) => localStorage.setItem(key, text) };
  } catch {
    return null;
  }
}

/** Without a memory the chat lives as long as the page. @param {Memory | null} memory @returns {SavedChat} */
export function savedChat(memory) {
  let kept = parse(memory?.text ?? "{}");
  return {
    get: () => kept,
    set(saved) {
      kept = saved;
      try {
        memory?.keep(JSON.stringify(saved));
      } catch {
        // The memory is full: `kept` still serves this page.
      }
    },
  };
}

/** @param {string} text @returns {Saved} */
function parse(text) {
  try {
    const { session, outbox } = JSON.parse(text);
    const sound = typeof session?.id === "string" && typeof session.token === "string";
    return { session: sound ? session : null, outbox: Array.isArray(outbox) ? outbox : [] };
  } catch {
    return { session: null, outbox: [] };
  }
}
