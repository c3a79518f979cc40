// @ts-check
/**
 * What of a chat outlives the page: which session it is, and what was written but not answered yet.
 *
 * @typedef {{ id: string, text: string }} Message
 * @typedef {{ id: string, token: string, user?: string | null }} Session `user`: who the site said it is of
 * @typedef {{ session: Session | null, outbox: Message[] }} Saved
 * @typedef {{ get(): Saved, set(saved: Saved): void }} SavedChat
 * @typedef {{ read(): string | null, keep(text: string): void }} Memory a text that is there again on the next page
 */

/** What the browser keeps for this page; null where it keeps nothing, as it may for a frame on another site. @param {string} key @returns {Memory | null} */
export function browserMemory(key) {
  try {
    localStorage.getItem(key);
  } catch {
    return null;
  }
  return { read: () => localStorage.getItem(key), keep: (text) => localStorage.setItem(key, text) };
}

/**
 * What this tab keeps of a message that is not sent yet, until it is closed: another tab has a message of its own, and who
 * uses the browser later finds none. `user`: who the site said it is of; it comes back to nobody else.
 * @param {string} key @param {string | null} user @returns {Memory | null}
 */
export function draftMemory(key, user) {
  try {
    sessionStorage.getItem(key);
  } catch {
    return null;
  }
  return {
    read() {
      try {
        const kept = JSON.parse(sessionStorage.getItem(key) ?? "null");
        return kept?.user === user && typeof kept.text === "string" ? kept.text : null;
      } catch {
        return null;
      }
    },
    keep(text) {
      try {
        if (text === "") sessionStorage.removeItem(key);
        else sessionStorage.setItem(key, JSON.stringify({ user, text }));
      } catch {
        // Storage is full. The text is still in its field.
      }
    },
  };
}

/**
 * Without a memory the chat lives as long as the page. Another tab may keep the same chat, or a newer one, in the same
 * memory: what is written there stays. @param {Memory | null} memory @returns {SavedChat}
 */
export function savedChat(memory) {
  let kept = parse(memory?.read() ?? "{}");
  return {
    get: () => kept,
    set(saved) {
      const before = kept;
      kept = saved;
      try {
        const shared = parse(memory?.read() ?? "{}");
        if (before.session?.id !== saved.session?.id) memory?.keep(JSON.stringify(saved));
        else if (shared.session?.id === saved.session?.id) {
          const outbox = withChange(shared.outbox, before.outbox, saved.outbox);
          memory?.keep(JSON.stringify({ session: saved.session, outbox }));
        }
      } catch {
        // The memory is full: `kept` still serves this page.
      }
    },
  };
}

/**
 * The session that is kept, if it is this visitor's: who signs in or out on a shared browser finds nobody else's, and what
 * was written in it is not sent. @param {SavedChat} saved @param {string | null} user
 */
export function ownSession(saved, user) {
  const { session } = saved.get();
  if (!session || (session.user ?? null) === user) return session;
  saved.set({ session: null, outbox: [] });
  return null;
}

/** A new message's number. `crypto.randomUUID` is missing where a page came over plain http. */
export function messageId() {
  const bytes = [...crypto.getRandomValues(new Uint8Array(12))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What this page took out or put in, done to what all tabs wait for. @param {Message[]} all @param {Message[]} before @param {Message[]} after */
function withChange(all, before, after) {
  const known = new Set([...before, ...after].map(({ id }) => id));
  return [...all.filter(({ id }) => !known.has(id)), ...after];
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
