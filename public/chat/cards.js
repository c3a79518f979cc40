// @ts-check
/**
 * Cards of a tool's result as nodes. Text goes in as text.
 *
 * @typedef {import("./card-list.js").Card} Card
 * @typedef {import("./card-list.js").CardAction} CardAction
 * @typedef {{ say(text: string): void, press(actionId: string, text: string): void }} Doing what a pressed card does
 */
import { readCards } from "./card-list.js";
import { element, icon } from "./element.js";
import { filled, texts } from "./texts.js";
import { link } from "./words.js";

const HIGHEST_PICTURE_PX = 320;

/** null when there is nothing to show. @param {any} display @param {Doing} doing */
export function cardList(display, doing) {
  const cards = readCards(display, location.href);
  if (cards.length === 0) return null;
  const label = filled(texts.cards, { count: cards.length });
  const made = cards.map((card) => cardNode(card, doing));
  return element("ul", { class: "cards", "aria-label": label, tabindex: "0" }, ...made);
}

/** @param {Card} card @param {Doing} doing */
function cardNode(card, doing) {
  const parts = [card.picture && picture(card.picture), ...words(card)];
  const buttons = card.actions.map((action) => press(action, doing));
  if (buttons.length > 0) parts.push(element("div", { class: "actions" }, ...buttons));
  if (card.main) {
    const main = press(card.main, doing);
    main.classList.add("cta");
    parts.push(main);
  }
  return element("li", { class: "card" }, ...parts.filter((node) => node !== null));
}

/** @param {import("./card-list.js").Picture} of */
function picture({ address, width, height, max_height }) {
  const image = /** @type {HTMLImageElement} */ (element("img", { class: "picture", alt: "", src: address }));
  // Known beforehand, the height is kept free and nothing jumps when the picture comes.
  if (width && height) image.style.aspectRatio = `${width} / ${height}`;
  if (max_height) image.style.maxHeight = `${Math.min(max_height, HIGHEST_PICTURE_PX)}px`;
  image.addEventListener("error", () => image.remove());
  return image;
}

/** @param {Card} card */
function words({ header, subheader, description, face: address }) {
  const face = address ? element("img", { class: "face", alt: "", src: address }) : null;
  face?.addEventListener("error", () => face.remove());
  const titles = [line("h2", header), line("p", subheader, "subheader")].filter((node) => node !== null);
  const head = titles.length > 0 || face ? element("div", { class: "head" }) : null;
  head?.append(...(face ? [face] : []), element("div", {}, ...titles));
  return [head, line("p", description, "description")];
}

/** @param {string} tag @param {string | null} text @param {string} name */
function line(tag, text, name = "header") {
  return text ? element(tag, { class: name, dir: "auto" }, text) : null;
}

/** @param {CardAction} action @param {Doing} doing */
function press(action, doing) {
  const drawing = icon(action.icon);
  const named = element("span", { dir: "auto" }, action.label);
  if (action.type === "link") return withClass(link(action.address, drawing, named));
  if (action.type === "fact") return element("p", { class: "fact" }, drawing, named);
  const button = withClass(element("button", { type: "button" }, drawing, named));
  button.addEventListener("click", () => {
    if (action.action_id) doing.press(action.action_id, action.label);
    doing.say(action.text);
  });
  return button;
}

/** @param {HTMLElement} node */
function withClass(node) {
  node.classList.add("action");
  return node;
}
