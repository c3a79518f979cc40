// @ts-check
/** Where the visitor writes: grows with the text, sends with Enter, starts a new line with Shift + Enter. */
import { filled, texts } from "./texts.js";

const COUNT_FROM = 3600;

/**
 * @param {(text: string) => void} send
 * @param {import("./saved-chat.js").Memory | null} memory of the text that is not sent yet
 */
export function composer(send, memory) {
  const form = /** @type {HTMLFormElement} */ (document.getElementById("composer"));
  const text = /** @type {HTMLTextAreaElement} */ (document.getElementById("text"));
  const button = /** @type {HTMLButtonElement} */ (document.getElementById("send"));
  const count = /** @type {HTMLElement} */ (document.getElementById("count"));

  const changed = () => {
    memory?.keep(text.value);
    button.disabled = text.value.trim() === "";
    count.hidden = text.value.length < COUNT_FROM;
    count.textContent = filled(texts.characters, { count: text.value.length, most: text.maxLength });
    text.style.height = "auto";
    // With its border, or it lacks two pixels and can be scrolled, for which Firefox squares its corners.
    text.style.height = `${text.scrollHeight + text.offsetHeight - text.clientHeight}px`;
  };
  const submit = () => {
    const words = text.value.trim();
    if (words === "") return;
    text.value = "";
    changed();
    send(words);
    text.focus();
  };

  text.addEventListener("input", changed);
  text.addEventListener("keydown", (event) => {
    // While an input method composes a character, Enter belongs to it; Safari tells that by the code alone.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    submit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });

  // Something may have been written before this ran, or before the page was loaded anew.
  text.value ||= memory?.read() ?? "";
  changed();
  return {
    focus: () => text.focus({ preventScroll: true }),
    /** @param {boolean} shown */
    show(shown) {
      form.hidden = !shown;
    },
    /** What could not be sent, to be sent elsewhere. @param {string} words */
    giveBack(words) {
      if (words) text.value = [words, text.value].filter((part) => part !== "").join("\n");
      changed();
    },
  };
}
