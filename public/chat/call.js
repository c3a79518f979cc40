// @ts-check
/** The Call button and what takes the composer's place while one talks. Whether there is a button is the server's word. */
import { startCall } from "./call-line.js";
import { captions } from "./captions.js";
import { element } from "./element.js";
import { texts } from "./texts.js";

const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "0", "#"];

/** @param {{ ask: Parameters<typeof startCall>[0], agent(): string, shown(calling: boolean): void }} page */
export function callButton({ ask, agent, shown }) {
  const { calls, callsMissing } = document.body.dataset;
  const button = /** @type {HTMLButtonElement} */ (part("call"));
  const missing = /** @type {HTMLDialogElement} */ (part("no-calls"));
  const [mute, keypad, keys, status, notice] = ["mute", "keypad", "keys", "call-status", "call-notice"].map(
    part,
  );
  /** @type {ReturnType<typeof startCall> | null} */
  let call = null;
  if (!calls) return;
  button.hidden = false;

  for (const digit of KEYS) {
    const key = element("button", { type: "button", class: "quiet" }, digit);
    key.addEventListener("click", () => call?.press(digit));
    keys.append(key);
  }
  const flip = (/** @type {HTMLElement} */ toggle, /** @type {string} */ attribute) => {
    const on = toggle.getAttribute(attribute) !== "true";
    toggle.setAttribute(attribute, String(on));
    return on;
  };
  const show = (/** @type {boolean} */ calling) => {
    part("on-call").hidden = !calling;
    button.disabled = calling;
    shown(calling);
    (calling ? part("hang-up") : button).focus();
  };
  // Read out once; who speaks at the moment is heard anyway.
  const state = (/** @type {string} */ text, live = "polite") => {
    status.setAttribute("aria-live", live);
    status.textContent = text;
  };

  const begin = () => {
    if (callsMissing) return missing.showModal();
    if (call) return;
    notice.textContent = "";
    state(texts.allow_microphone);
    mute.setAttribute("aria-pressed", "false");
    keypad.setAttribute("aria-expanded", "false");
    keys.hidden = true;
    /** @type {ReturnType<typeof captions> | null} */
    let written = null;
    call = startCall(ask, {
      connecting: () => state(texts.connecting),
      connected() {
        written = captions(agent());
        state(texts.connected);
      },
      speaking(on) {
        written?.speaking(on);
        state(on ? texts.speaking : texts.listening, "off");
      },
      words: (words) => written?.add(words),
      cut: (unheard) => written?.cut(unheard),
      notice(text) {
        notice.textContent = text;
      },
      over(why) {
        call = null;
        written?.end();
        notice.textContent = why || texts.call_over;
        show(false);
      },
    });
    show(true);
  };

  button.addEventListener("click", begin);
  part("hang-up").addEventListener("click", () => call?.hangUp());
  mute.addEventListener("click", () => call?.mute(flip(mute, "aria-pressed")));
  keypad.addEventListener("click", () => {
    keys.hidden = !flip(keypad, "aria-expanded");
  });
}
