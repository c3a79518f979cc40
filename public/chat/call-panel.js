// @ts-check
/** The call's place on the page: what state it is in, and the buttons to mute and to hang up. */
import { Call } from "./call.js";

/** @type {Record<import("./call.js").State, string>} */
const STATES = {
  asking: "Allow the microphone to talk…",
  connecting: "Connecting…",
  talking: "You can talk now.",
};

/**
 * @param {{ target: string, identity_token: string | null, began(): void,
 *   said(role: "user" | "agent", text: string): void, over(why: string): void }} page
 */
export function callPanel(page) {
  const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
  const button = /** @type {HTMLButtonElement} */ (part("call"));
  const mute = /** @type {HTMLButtonElement} */ (part("mute"));
  const panel = part("line");
  /** @type {Call | null} */
  let call = null;

  button.hidden = document.body.dataset.calls !== "yes";
  button.addEventListener("click", () => {
    if (call) return;
    part("notice").textContent = "";
    part("line-words").textContent = "";
    mute.setAttribute("aria-pressed", "false");
    mute.disabled = true;
    panel.hidden = false;
    button.disabled = true;
    page.began();
    part("hang-up").focus();
    call = new Call({
      state(state) {
        part("line-state").textContent = STATES[state];
        mute.disabled = state !== "talking";
      },
      words(role, text, final) {
        part("line-words").textContent = final ? "" : text;
        if (final) page.said(role, text);
      },
      over(why) {
        call = null;
        panel.hidden = true;
        button.disabled = false;
        part("notice").textContent = why;
        page.over(why);
        button.focus();
      },
    });
    void call.start(page.target, page.identity_token);
  });
  mute.addEventListener("click", () => {
    const muted = mute.getAttribute("aria-pressed") !== "true";
    mute.setAttribute("aria-pressed", String(muted));
    part("line-state").textContent = muted ? "Your microphone is muted." : STATES.talking;
    call?.mute(muted);
  });
  part("hang-up").addEventListener("click", () => call?.hangUp());
  window.addEventListener("pagehide", () => call?.hangUp());
}
