// @ts-check
/**
 * The conversation as it stands on the page. What was said is read out by screen readers; what is being written is not,
 * until it is whole. What the visitor wrote ahead of an answer stands at the end until its turn comes.
 *
 * @typedef {import("./saved-chat.js").Message} Message
 * @typedef {import("./server.js").Said} Said
 */
import { cardList } from "./cards.js";
import { element, unseen } from "./element.js";
import { followEnd } from "./follow-end.js";
import { filled, texts } from "./texts.js";
import { toolCall } from "./tool-call.js";
import { formatted, withNumbers } from "./words.js";

/** A time is written above what comes after a longer pause. */
const PAUSE_MS = 10 * 60_000;

export class Log {
  #log = part("log");
  #working = part("working");
  #queue = part("queue");
  #activity = part("activity");
  #end = followEnd(part("scroller"), part("latest"));
  #doing;
  #agent = "Agent";
  #lastTime = 0;
  /** What the agent is saying at this moment. */
  #growing = "";
  #frame = 0;

  /** @param {import("./cards.js").Doing} doing */
  constructor(doing) {
    this.#doing = doing;
  }

  /** Replaces all there is. @param {string} agent @param {Said[]} said @param {Message[]} waiting */
  show(agent, said, waiting) {
    this.#agent = agent;
    this.#lastTime = 0;
    this.rest();
    // A whole conversation at once is not news to be read out.
    this.#log.setAttribute("aria-live", "off");
    this.#log.replaceChildren();
    this.#queue.replaceChildren();
    for (const entry of said) this.add(entry, "timestamp" in entry ? new Date(entry.timestamp) : undefined);
    for (const message of waiting) if (!this.#find(message.id)) this.addWaiting(message);
    this.#end.go();
    setTimeout(() => this.#log.setAttribute("aria-live", "polite"), 500);
  }

  /** @param {Said} entry @param {Date} time by the visitor's own clock where it is said just now */
  add(entry, time = new Date()) {
    this.rest();
    if (entry.type === "tool_display") return this.#addCards(entry.display_result);
    if (entry.type === "tool_result") return void this.#log.append(toolCall(entry));
    this.#addTime(time);
    const { role, text, id } = entry;
    this.#log.append(role === "user" ? this.#ofUser({ id: id ?? "", text }) : this.#ofAgent(formatted(text)));
  }

  /** @param {Message} message */
  addWaiting(message) {
    this.#queue.append(this.#ofUser(message, texts.waiting));
    this.#end.go();
  }

  /** Its turn has come. @param {Message} message */
  moveUp(message) {
    const waiting = this.#find(message.id);
    if (!waiting || waiting.parentElement !== this.#queue) return;
    this.#addTime(new Date());
    waiting.querySelector(".state")?.replaceChildren();
    this.#log.append(waiting);
  }

  /** @param {Message} message @param {string} why @param {() => void} again */
  fail(message, why, again) {
    this.rest();
    const state = this.#find(message.id)?.querySelector(".state");
    if (!state) return;
    const button = element("button", { type: "button", class: "link" }, texts.send_again);
    button.addEventListener("click", () => {
      this.#find(message.id)?.remove();
      again();
    });
    state.replaceChildren(`${filled(texts.not_sent, { why })} `, button);
    state.classList.add("problem");
  }

  /** Takes back what was not sent. @param {Message[]} messages */
  remove(messages) {
    for (const { id } of messages) this.#find(id)?.remove();
  }

  /** The agent is at work, and these are its next words. @param {string} words */
  work(words) {
    if (!this.#working.hasChildNodes())
      this.#activity.textContent = filled(texts.writing, { agent: this.#agent });
    this.#growing += words;
    if (!this.#frame) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  /** The agent is not at work. */
  rest() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#growing = "";
    this.#working.replaceChildren();
    this.#activity.textContent = "";
  }

  /** Nothing on a card can be pressed any more. */
  close() {
    this.rest();
    for (const button of this.#log.querySelectorAll("button")) button.disabled = true;
  }

  get hasUserWords() {
    return document.querySelector(".turn.user") !== null;
  }

  #draw() {
    this.#frame = 0;
    const dots = element("span", { class: "dots" }, element("i"), element("i"), element("i"));
    const words = this.#growing.trim() === "" ? dots : formatted(this.#growing);
    this.#working.replaceChildren(this.#ofAgent(words));
  }

  /** @param {any} display */
  #addCards(display) {
    const cards = cardList(display, this.#doing);
    if (cards) this.#log.append(element("div", { class: "turn agent wide" }, cards));
  }

  /** @param {Node} words */
  #ofAgent(words) {
    const bubble = element("div", { class: "bubble", dir: "auto" }, words);
    return element("div", { class: "turn agent" }, unseen(`${this.#agent}: `), bubble);
  }

  /** @param {Message} message */
  #ofUser({ id, text }, state = "") {
    const bubble = element("div", { class: "bubble", dir: "auto" }, ...withNumbers(text));
    const note = element("p", { class: "state" }, state);
    return element("div", { class: "turn user", "data-id": id }, unseen(`${texts.you}: `), bubble, note);
  }

  /** @param {Date} time */
  #addTime(time) {
    if (time.getTime() - this.#lastTime > PAUSE_MS) {
      this.#log.append(
        element("p", { class: "time" }, element("time", { datetime: time.toISOString() }, inWords(time))),
      );
    }
    this.#lastTime = time.getTime();
  }

  /** @param {string} id */
  #find(id) {
    return id ? document.querySelector(`.turn.user[data-id="${CSS.escape(id)}"]`) : null;
  }
}

/** @param {string} id */
const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** "14:05" today, "Tue 14:05" or "3 Mar, 14:05" before. @param {Date} time */
function inWords(time) {
  const days = (Date.now() - time.getTime()) / 86_400_000;
  const clock = { hour: "numeric", minute: "2-digit" };
  const today = time.toDateString() === new Date().toDateString();
  const day = today ? {} : days < 6 ? { weekday: "short" } : { day: "numeric", month: "short" };
  const { lang } = document.documentElement;
  const own = new Intl.DateTimeFormat().resolvedOptions().locale;
  // As is usual where the visitor lives, unless the page speaks another language than their browser.
  const locale = own.split("-")[0] === lang ? own : lang;
  return new Intl.DateTimeFormat(locale, /** @type {any} */ ({ ...day, ...clock })).format(time);
}
