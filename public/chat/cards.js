// @ts-check
/**
 * Cards of a tool's result (`src/tool-calls/display-result.ts`). What stands on them comes from other people's systems:
 * text goes in as text, pictures from https only, and a link opens a page, a call or a mail or is left out.
 *
 * @typedef {{ icon?: string, text?: unknown, link?: unknown, actionId?: unknown, message?: unknown }} Press
 * @typedef {{ media: any, content: any, actions: (Press & { type: string })[], cta: Press | null }} Card
 * @typedef {{ say(text: string): void, press(actionId: string, text: string): void }} Doing what a pressed card does
 */
import { element, icon } from "./element.js";
import { link, safeAddress } from "./words.js";

const ICONS = ["phone", "email", "chat", "calendar", "arrow"];
const HIGHEST_PICTURE_PX = 320;

/** null when there is nothing to show. @param {any} display @param {Doing} doing */
export function cardList(display, doing) {
  const items = display?.type === "card-list" && Array.isArray(display.items) ? display.items : [];
  const made = items.map((/** @type {Card} */ item) => card(item, doing));
  const cards = made.filter((/** @type {HTMLElement} */ item) => item.hasChildNodes());
  if (cards.length === 0) return null;
  const label = cards.length === 1 ? "1 card" : `${cards.length} cards`;
  return element("ul", { class: "cards", "aria-label": label, tabindex: "0" }, ...cards);
}

/** @param {Card} card @param {Doing} doing */
function card({ media, content, actions, cta }, doing) {
  const parts = [picture(media ?? {}), ...words(content ?? {})];
  const buttons = (actions ?? []).map((action) => press(action, action.type, doing));
  const filled = buttons.filter((node) => node !== null);
  if (filled.length > 0) parts.push(element("div", { class: "actions" }, ...filled));
  const type = cta && ctaType(cta);
  const main = type && press(cta, type, doing);
  if (main) {
    main.classList.add("cta");
    parts.push(main);
  }
  return element("li", { class: "card" }, ...parts.filter((node) => node !== null));
}

/** @param {any} media */
function picture({ imageUrl, originalImageWidth, originalImageHeight, maxHeight }) {
  const address = pictureAddress(imageUrl);
  if (!address) return null;
  const image = /** @type {HTMLImageElement} */ (element("img", { class: "picture", alt: "", src: address }));
  const [width, height] = [pixels(originalImageWidth), pixels(originalImageHeight)];
  // Known beforehand, the height is kept free and nothing jumps when the picture comes.
  if (width && height) image.style.aspectRatio = `${width} / ${height}`;
  const highest = pixels(maxHeight);
  if (highest) image.style.maxHeight = `${Math.min(highest, HIGHEST_PICTURE_PX)}px`;
  image.addEventListener("error", () => image.remove());
  return image;
}

/** @param {any} content */
function words({ header, subheader, description, avatarImageUrl }) {
  const address = pictureAddress(avatarImageUrl);
  const face = address ? element("img", { class: "face", alt: "", src: address }) : null;
  face?.addEventListener("error", () => face.remove());
  const titles = [line("h2", header), line("p", subheader, "subheader")].filter((node) => node !== null);
  const head = titles.length > 0 || face ? element("div", { class: "head" }) : null;
  head?.append(...(face ? [face] : []), element("div", {}, ...titles));
  return [head, line("p", description, "description")];
}

/** @param {string} tag @param {unknown} value @param {string} name */
function line(tag, value, name = "header") {
  const text = textOf(value);
  return text ? element(tag, { class: name, dir: "auto" }, text) : null;
}

/** @param {Press} button @param {string} type @param {Doing} doing */
function press({ icon: wanted, text, link: target, actionId, message }, type, doing) {
  const address = type === "link" ? safeAddress(target) : null;
  const label = textOf(text) ?? textOf(message) ?? (address && new URL(address).hostname) ?? address;
  if (!label || (type === "link" && !address)) return null;
  const drawing = icon(ICONS.includes(wanted ?? "") ? String(wanted) : "arrow");
  const named = element("span", { dir: "auto" }, label);
  if (address) return withClass(link(address, drawing, named));
  if (type === "text") return element("p", { class: "fact" }, drawing, named);
  const button = withClass(element("button", { type: "button" }, drawing, named));
  button.addEventListener("click", () => {
    const id = textOf(actionId);
    if (type === "button" && id) doing.press(id, label);
    doing.say(textOf(message) ?? label);
  });
  return button;
}

/** A call to action says what it does by what it holds; one that holds nothing is none. @param {Press} cta */
function ctaType({ link: target, message, actionId }) {
  if (target) return "link";
  if (textOf(message)) return "message";
  return textOf(actionId) ? "button" : null;
}

/** @param {HTMLElement} node */
function withClass(node) {
  node.classList.add("action");
  return node;
}

/** @param {unknown} value */
function textOf(value) {
  return (typeof value === "string" && value.trim()) || (typeof value === "number" && String(value)) || null;
}

/** "240", 240 and "240px" are 240. @param {unknown} value */
function pixels(value) {
  const number = Number.parseFloat(String(value));
  return number > 0 && number < 100_000 ? number : null;
}

/** @param {unknown} value */
function pictureAddress(value) {
  if (typeof value !== "string" || !URL.canParse(value, location.href)) return null;
  const url = new URL(value, location.href);
  const allowed =
    url.protocol === "https:" || url.origin === location.origin || /^data:image\//i.test(url.href);
  return allowed ? url.href : null;
}
