// @ts-check
/**
 * What people and models write, as nodes: paragraphs, lists, bold, code and links. Everything else of Markdown, and all
 * of HTML, stays the text it is.
 */
import { safeAddress } from "./card-list.js";
import { element } from "./element.js";

/** @param {string} address a safe one @param {(Node | string)[]} children */
export function link(address, ...children) {
  const opensPage = address.startsWith("http");
  return element(
    "a",
    { href: address, ...(opensPage && { target: "_blank", rel: "noopener noreferrer" }) },
    ...children,
  );
}

/** An address is read from the left, whatever stands around it. @param {string} address @param {string} text */
const shownAddress = (address, text) => link(address, element("bdi", { dir: "ltr" }, text));

/**
 * Seven digits or more in groups: a telephone number or a date with dashes, whose groups would change places in a text that
 * is read from the right. What stands before them is found with them: before 16.4, Safari reads no file with a lookbehind.
 */
const GROUPED =
  /(^|[^\w\p{Nd}])((?=(?:[+() .-]{0,3}\p{Nd}){7})\+?\(?\p{Nd}{1,5}\)?(?:[ .-]\(?\p{Nd}{2,8}\)?)+)/gu;

/** A text with its long numbers read from the left. @param {string} text @returns {(Node | string)[]} */
export function withNumbers(text) {
  /** @type {(Node | string)[]} */
  const nodes = [];
  let from = 0;
  for (const { 0: whole, 1: before = "", 2: number = "", index } of text.matchAll(GROUPED)) {
    nodes.push(text.slice(from, index + before.length), element("bdi", { dir: "ltr" }, number));
    from = index + whole.length;
  }
  return [...nodes, text.slice(from)].filter((node) => node !== "");
}

/** Marks of scripts other than ours: they end an address, where no blank has to follow. */
const FOREIGN_MARKS = "、。，．：；！？（）〈-】،؛؟۔।॥";

const INLINE = [
  String.raw`\[(?<label>[^\][\n]{1,300})\]\((?<target>[^\s()]{1,2000})\)`,
  String.raw`\*\*(?<bold>[^\s*](?:[^*\n]*[^\s*])?)\*\*`,
  "`(?<code>[^`\\n]+)`",
  String.raw`(?<url>https?:\/\/[^\s<>"${FOREIGN_MARKS}]+)`,
  // Hebrew writes "to" with a dash before it.
  String.raw`(?<mail>\w[\w.+-]{0,63}@[\w-]{1,63}(?:\.[\w-]{1,63})+)`,
].join("|");

/** A line's bold, code and links. @param {string} text @returns {(Node | string)[]} */
function inline(text) {
  /** @type {(Node | string)[]} */
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(new RegExp(INLINE, "g"))) {
    const piece = inlinePiece(found[0], found.groups ?? {});
    nodes.push(...withNumbers(text.slice(from, found.index)), ...piece);
    from = found.index + found[0].length;
  }
  return [...nodes, ...withNumbers(text.slice(from))];
}

/** @param {string} whole @param {Record<string, string>} groups @returns {(Node | string)[]} */
function inlinePiece(whole, { label, target, bold, code, url, mail }) {
  if (bold) return [element("strong", {}, ...inline(bold))];
  if (code) return [element("code", {}, code)];
  if (mail) return [shownAddress(`mailto:${mail}`, mail)];
  if (url) {
    const [address, after] = withoutPunctuation(url);
    const safe = safeAddress(address);
    return safe ? [shownAddress(safe, address), after] : [whole];
  }
  const safe = safeAddress(target);
  return safe && label ? [link(safe, label)] : [whole];
}

/** "(see https://a.example/b)." ends before ")." @param {string} url @returns {[string, string]} */
function withoutPunctuation(url) {
  const end = url.includes("(") ? /[.,;:!?'*]+$/ : /[.,;:!?'*)\]]+$/;
  const address = url.replace(end, "");
  return [address, url.slice(address.length)];
}

const BULLET = /^\s*[-*•]\s+/;
const NUMBER = /^\s*(\d{1,3})[.)]\s+/;
const HEADING = /^#{1,6}\s+/;

/** @param {string} text */
export function formatted(text) {
  const nodes = document.createDocumentFragment();
  for (const block of blocksOf(text)) nodes.append(blockNode(block));
  return nodes;
}

/** Lines of one kind that belong together. @param {string} text */
function blocksOf(text) {
  /** @type {{ kind: "bullets" | "numbers" | "heading" | "text", lines: string[] }[]} */
  const blocks = [];
  let open = false;
  for (const line of text.split("\n")) {
    const kind = kindOf(line);
    const last = blocks.at(-1);
    if (line.trim() === "") open = false;
    else if (last?.kind === kind && kind !== "heading" && (open || kind !== "text")) last.lines.push(line);
    else blocks.push({ kind, lines: [line] });
    if (line.trim() !== "") open = true;
  }
  return blocks;
}

/** @param {string} line */
function kindOf(line) {
  if (BULLET.test(line)) return "bullets";
  if (NUMBER.test(line)) return "numbers";
  return HEADING.test(line) ? "heading" : "text";
}

/** @param {ReturnType<typeof blocksOf>[number]} block */
function blockNode({ kind, lines }) {
  const first = lines[0] ?? "";
  const items = (/** @type {RegExp} */ mark) =>
    lines.map((line) => element("li", {}, ...inline(line.replace(mark, ""))));
  switch (kind) {
    case "bullets":
      return element("ul", {}, ...items(BULLET));
    case "numbers":
      return element("ol", { start: NUMBER.exec(first)?.[1] ?? "1" }, ...items(NUMBER));
    case "heading":
      return element("p", {}, element("strong", {}, ...inline(first.replace(HEADING, ""))));
    default:
      return element("p", {}, ...inline(lines.join("\n")));
  }
}
