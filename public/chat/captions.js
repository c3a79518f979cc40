// @ts-check
/** What is said in a call, as bubbles of the conversation: the caller's words while they are recognized, then for good. */
import { element, unseen } from "./element.js";

const log = /** @type {HTMLElement} */ (document.getElementById("log"));
const queue = /** @type {HTMLElement} */ (document.getElementById("queue"));

/** @param {string} agent */
export function captions(agent) {
  /** The agent's bubble that still grows. @type {HTMLElement | null} */
  let growing = null;
  let wasCut = false;
  /** @type {HTMLElement | null} */
  let partial = null;
  // What the agent says is heard; a screen reader would speak over it.
  log.setAttribute("aria-live", "off");
  log.append(element("p", { class: "time" }, "Call"));

  const bubble = (/** @type {string} */ role, /** @type {string} */ text) =>
    element(
      "div",
      { class: `turn ${role} spoken` },
      unseen(role === "user" ? "You: " : `${agent}: `),
      element("div", { class: "bubble", dir: "auto" }, text),
    );

  return {
    /** @param {import("./call-line.js").Words} words */
    add({ role, text, final }) {
      if (role === "user") {
        partial?.remove();
        partial = null;
        if (!final) {
          partial = bubble(role, text);
          return queue.append(partial);
        }
        if (wasCut) growing?.lastElementChild?.append(" —");
        growing = null;
        log.append(bubble(role, text));
      } else if (growing) growing.lastElementChild?.append(` ${text}`);
      else {
        growing = bubble(role, text);
        log.append(growing);
      }
      wasCut = false;
    },
    /** The agent was interrupted; whether for good, the caller's next words tell. */
    cut() {
      wasCut = true;
    },
    end() {
      partial?.remove();
      log.append(element("p", { class: "time" }, "Call ended"));
      log.setAttribute("aria-live", "polite");
    },
  };
}
