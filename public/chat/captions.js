// @ts-check
/** What is said in a call, as bubbles of the conversation: the caller's words while they are recognized, then for good. */
import { withoutUnheard } from "./call-line.js";
import { element, unseen } from "./element.js";
import { texts } from "./texts.js";

const log = /** @type {HTMLElement} */ (document.getElementById("log"));
const queue = /** @type {HTMLElement} */ (document.getElementById("queue"));

/** After this much silence the agent's next words start a new bubble: a check whether the caller is there, or a tool's answer. */
const SILENCE_MS = 2_000;

/** @param {string} agent */
export function captions(agent) {
  /** The agent's bubbles. @type {HTMLElement[]} */
  let spoken = [];
  /** The last of them, while it still grows. @type {HTMLElement | null} */
  let growing = null;
  /** Since when the agent is silent; infinity while it speaks. */
  let silentSince = Number.POSITIVE_INFINITY;
  /** @type {HTMLElement | null} */
  let partial = null;
  // What the agent says is heard; a screen reader would speak over it.
  log.setAttribute("aria-live", "off");
  log.append(element("p", { class: "time" }, texts.call));

  const bubble = (/** @type {string} */ role, /** @type {string} */ text) =>
    element(
      "div",
      { class: `turn ${role} spoken` },
      unseen(role === "user" ? `${texts.you}: ` : `${agent}: `),
      element("div", { class: "bubble", dir: "auto" }, text),
    );

  return {
    /** @param {boolean} on */
    speaking(on) {
      silentSince = on ? Number.POSITIVE_INFINITY : performance.now();
    },
    /** @param {import("./call-line.js").Words} words */
    add({ role, text, final }) {
      if (role === "user") {
        partial?.remove();
        partial = null;
        // Empty: what was recognized was no word after all.
        if (text === "") return;
        if (!final) {
          partial = bubble(role, text);
          return queue.append(partial);
        }
        growing = null;
        log.append(bubble(role, text));
      } else if (growing && performance.now() - silentSince < SILENCE_MS)
        growing.lastElementChild?.append(` ${text}`);
      else {
        growing = bubble(role, text);
        spoken.push(growing);
        log.append(growing);
      }
    },
    /** The agent was interrupted for good. @param {string} unheard the end of its words */
    cut(unheard) {
      const texts = withoutUnheard(
        spoken.map((turn) => turn.lastElementChild?.textContent ?? ""),
        unheard,
      );
      for (const [at, turn] of spoken.entries()) turn.lastElementChild?.replaceChildren(texts[at] ?? "");
      for (const turn of spoken.filter((_, at) => texts[at] === "")) turn.remove();
      spoken = spoken.filter((_, at) => texts[at] !== "");
      growing = null;
    },
    end() {
      partial?.remove();
      log.append(element("p", { class: "time" }, texts.call_ended));
      log.setAttribute("aria-live", "polite");
    },
  };
}
