// @ts-check
/**
 * What was written but not answered in full yet, oldest first; kept where the browser keeps it. Of the first message it
 * also knows what was heard in answer, because a message that is sent again is answered again from the beginning.
 *
 * @typedef {import("./server.js").Chat} Chat
 * @typedef {import("./server.js").Said} Said
 * @typedef {import("./saved-chat.js").Message} Message
 * @typedef {import("./saved-chat.js").SavedChat} SavedChat
 */
export class Outbox {
  #saved;
  /** What was told of the answer, each by its `sign`. @type {string[]} */
  #heard = [];
  /** @type {string[]} */
  #repeats = [];
  /** Whether the page shows the first message as one that the server has stored. */
  #isStored = false;

  /** @param {SavedChat} saved */
  constructor(saved) {
    this.#saved = saved;
  }

  get messages() {
    return this.#saved.get().outbox;
  }

  get first() {
    return this.messages[0] ?? null;
  }

  /** @param {Message} message */
  add(message) {
    this.#keep([...this.messages, message]);
  }

  /** The first message is dealt with. Tells whether that stored one more than the page knew of. */
  settle() {
    const more = !this.#isStored;
    this.#heard = [];
    this.#isStored = false;
    this.#keep(this.messages.slice(1));
    return more;
  }

  clear() {
    this.#keep([]);
  }

  /** The first message is sent, perhaps again. */
  expectAnswer() {
    this.#repeats = [...this.#heard];
  }

  /** Whether this part of the answer was not told before. @param {Said} part */
  isNew(part) {
    const told = sign(part);
    const again = this.#repeats.indexOf(told);
    if (again < 0) this.#heard.push(told);
    else this.#repeats.splice(again, 1);
    return again < 0;
  }

  /** The page shows this chat now: with it, what of the answer the server has stored. @param {Chat} chat */
  caughtUp({ messages }) {
    const id = this.first?.id;
    const asked = id ? messages.findIndex((entry) => entry.type === "message" && entry.id === id) : -1;
    this.#isStored = asked >= 0;
    const after = asked < 0 ? [] : messages.slice(asked + 1);
    const next = after.findIndex((entry) => entry.type === "message" && entry.role === "user");
    this.#heard = after.slice(0, next < 0 ? undefined : next).map(sign);
  }

  /** What the server stored before the chat ended needs no sending. @param {Chat} chat */
  dropStored({ messages }) {
    const stored = new Set(messages.map((entry) => (entry.type === "message" ? entry.id : null)));
    this.#keep(this.messages.filter(({ id }) => !stored.has(id)));
  }

  /** @param {Message[]} outbox */
  #keep(outbox) {
    this.#saved.set({ ...this.#saved.get(), outbox });
  }
}

/** What makes a part of an answer the same when it is told again. @param {Said} part */
function sign(part) {
  switch (part.type) {
    case "message":
      return part.text;
    case "tool_display":
      return JSON.stringify([part.tool_name, part.display_result]);
    case "tool_result":
      return JSON.stringify([part.tool_name, part.arguments, part.result, part.error]);
  }
}
