import type { ToolDefinition } from "../agents/tool-definition.ts";
import { renderTemplate, variableLookup } from "../expressions/template.ts";

/**
 * Cards that a live chat shows for a tool's result (specification, "ResponseDisplayConfig"; domain decision 4.5). Pure;
 * null when the tool keeps its results to itself, says nothing of display, or gave no list where one was named.
 */
export type CardList = { type: "card-list"; version: 1; items: Card[] };
type Card = {
  media: Record<string, unknown>;
  content: Record<string, unknown>;
  actions: Record<string, unknown>[];
  cta: Record<string, unknown> | null;
};

type Display = NonNullable<ToolDefinition["response_display"]>;

/** A chat is no page of search results. */
const MAX_CARDS = 50;
const MEDIA = ["imageUrl", "originalImageWidth", "originalImageHeight", "maxHeight"];
const CONTENT = ["header", "subheader", "description", "avatarImageUrl", "contentAlwaysLeft"];
const DEFAULT_ICON = "arrow";

export function displayResult(
  definition: ToolDefinition | undefined,
  result: unknown,
  failed: boolean,
): CardList | null {
  const display = definition?.response_display;
  if (failed || !display || display.type !== "card-list" || !definition?.options?.propagate_tool_result)
    return null;
  const items = valueAt(result, display.items_path);
  if (!Array.isArray(items)) return null;
  return {
    type: "card-list",
    version: 1,
    items: items.slice(0, MAX_CARDS).map((item) => card(display, item)),
  };
}

function card(display: Display, item: unknown): Card {
  const mapping = display.mapping as Record<string, unknown>;
  const group = (prefix: string, names: string[]) =>
    pick(names, (name) => resolve(mapping[`${prefix}.${name}`], item));
  const actions = (mapping.actions ?? display.actions ?? []) as Record<string, unknown>[];
  const cta = mapping.cta as Record<string, unknown> | null | undefined;
  return {
    media: group("media", MEDIA),
    content: group("content", CONTENT),
    actions: actions.map((action) => ({ type: action.type, ...button(action, item) })),
    cta: cta ? button(cta, item) : null,
  };
}

function button(source: Record<string, unknown>, item: unknown): Record<string, unknown> {
  const shown = pick(["text", "link", "actionId", "message"], (name) => resolve(source[name], item));
  // A result is other people's data: only addresses that open a page, a call or a mail become links.
  if (typeof shown.link === "string" && !/^(https?:|tel:|mailto:)/i.test(shown.link)) delete shown.link;
  return { icon: source.icon ?? DEFAULT_ICON, ...shown };
}

/** A literal, or a source that selects (`path`) or interpolates (`template`, which wins) with a default. */
function resolve(value: unknown, item: unknown): unknown {
  if (value === null || typeof value !== "object") return value ?? null;
  const source = value as { path?: string | null; template?: string | null; default?: unknown };
  const found = source.template
    ? renderTemplate(source.template, (name) => valueAt(item, name))
    : source.path
      ? valueAt(item, source.path)
      : null;
  return found === null || found === undefined || found === "" ? (source.default ?? null) : found;
}

/** A dotted path; "" and "@" are the value itself. */
function valueAt(value: unknown, path: string): unknown {
  return path === "" || path === "@" ? value : variableLookup({ item: value })(`item.${path}`);
}

function pick(names: string[], read: (name: string) => unknown): Record<string, unknown> {
  const found = names.map((name) => [name, read(name)] as const).filter(([, value]) => value !== null);
  return Object.fromEntries(found);
}
