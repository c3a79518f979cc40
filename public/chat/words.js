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

const INLINE = [
  String.raw`\[(?<label>[^\][\n]{1,300})\]\((?<target>[^\s()]{1,2000})\)`,
  String.raw`\*\*(?<bold>[^\s*](?:[^*\n]*[^\s*])?)\*\*`,
  "`(?<code>[^`\\n]+)`",
  String.raw`(?<url>https?:\/\/[^\s<>"]+)`,
  String.raw`(?<mail>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+)`,
].join("|");

/** A line's bold, code and links. @param {string} text @returns {(Node | string)[]} */
function inline(text) {
  /** @type {(Node | string)[]} */
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(new RegExp(INLINE, "g"))) {
    const piece = inlinePiece(found[0], found.groups ?? {});
    nodes.push(text.slice(from, found.index), ...piece);
    from = found.index + found[0].length;
  }
  return [...nodes, text.slice(from)].filter((node) => node !== "");
}

/** @param {string} whole @param {Record<string, string>} groups @returns {(Node | string)[]} */
function inlinePiece(whole, { label, target, bold, code, url, mail }) {
  if (bold) return [element("strong", {}, ...inline(bold))];
  if (code) return [element("code", {}, code)];
  if (mail) return [link(`mailto:${mail}`, mail)];
  if (url) {
    const [address, after] = withoutPunctuation(url);
    const safe = safeAddress(address);
    return safe ? [link(safe, address), after] : [whole];
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
