// @ts-check
/**
 * Cards of a tool's result (`src/tool-calls/display-result.ts`) as what can be shown of them. What stands on them comes
 * from other people's systems: pictures from https only, and a link opens a page, a call or a mail or is left out.
 *
 * @typedef {{ icon: string, label: string } & ({ type: "link", address: string } | { type: "fact" }
 *   | { type: "say", text: string, action_id: string | null })} CardAction `say`: a button that says its text for the visitor
 * @typedef {{ address: string, width: number | null, height: number | null, max_height: number | null }} Picture
 * @typedef {{ picture: Picture | null, face: string | null, header: string | null, subheader: string | null,
 *   description: string | null, actions: CardAction[], main: CardAction | null }} Card `main`: the call to action
 * @typedef {{ icon?: unknown, text?: unknown, link?: unknown, actionId?: unknown, message?: unknown }} Press
 */
const OPENABLE = ["http:", "https:", "tel:", "mailto:"];
const ICONS = ["phone", "email", "chat", "calendar", "arrow"];

/** The address when it opens a page, a call or a mail, else null. @param {unknown} address */
export function safeAddress(address) {
  const url = parsed(address);
  return url && OPENABLE.includes(url.protocol) ? url.href : null;
}

/** Not `URL.canParse`: iPhones with iOS 16 don't have it. @param {unknown} address @param {string} [base] */
function parsed(address, base) {
  if (typeof address !== "string") return null;
  try {
    return new URL(address, base);
  } catch {
    return null;
  }
}

/** Those with something to show. @param {any} display @param {string} base where addresses without a host are @returns {Card[]} */
export function readCards(display, base) {
  const items = display?.type === "card-list" && Array.isArray(display.items) ? display.items : [];
  return items.map((/** @type {any} */ item) => readCard(item ?? {}, base)).filter(hasSomething);
}

/** @param {any} item @param {string} base @returns {Card} */
function readCard({ media, content, actions, cta }, base) {
  const { imageUrl, originalImageWidth, originalImageHeight, maxHeight } = media ?? {};
  const { header, subheader, description, avatarImageUrl } = content ?? {};
  const address = pictureAddress(imageUrl, base);
  const size = {
    width: pixels(originalImageWidth),
    height: pixels(originalImageHeight),
    max_height: pixels(maxHeight),
  };
  const type = cta && ctaType(cta);
  return {
    picture: address ? { address, ...size } : null,
    face: pictureAddress(avatarImageUrl, base),
    header: textOf(header),
    subheader: textOf(subheader),
    description: textOf(description),
    actions: (Array.isArray(actions) ? actions : []).flatMap(
      (/** @type {any} */ action) => readAction(action, action.type) ?? [],
    ),
    main: type ? readAction(cta, type) : null,
  };
}

/** @param {Card} card */
const hasSomething = ({ actions, ...rest }) =>
  actions.length > 0 || Object.values(rest).some((part) => part !== null);

/** @param {Press} button @param {string} type @returns {CardAction | null} */
function readAction({ icon: wanted, text, link: target, actionId, message }, type) {
  const address = type === "link" ? safeAddress(target) : null;
  const label = textOf(text) ?? textOf(message) ?? (address && new URL(address).hostname) ?? address;
  if (!label || (type === "link" && !address)) return null;
  const icon = ICONS.includes(String(wanted)) ? String(wanted) : "arrow";
  if (address) return { type: "link", icon, label, address };
  if (type === "text") return { type: "fact", icon, label };
  const action_id = type === "button" ? textOf(actionId) : null;
  return { type: "say", icon, label, text: textOf(message) ?? label, action_id };
}

/** A call to action says what it does by what it holds; one that holds nothing is none. @param {Press} cta */
function ctaType({ link: target, message, actionId }) {
  if (target) return "link";
  if (textOf(message)) return "message";
  return textOf(actionId) ? "button" : null;
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

/** @param {unknown} value @param {string} base */
function pictureAddress(value, base) {
  const url = parsed(value, base);
  if (!url) return null;
  const allowed =
    url.protocol === "https:" || url.origin === new URL(base).origin || /^data:image\//i.test(url.href);
  return allowed ? url.href : null;
}
