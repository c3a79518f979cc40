import { renderTemplate, variableLookup } from "../expressions/template.ts";
import { type CardTemplate, cardTemplate } from "../tools/response-display.ts";
import type { ToolDefinition } from "../tools/tool-definition.ts";

/**
 * The cards that a live chat shows for a tool's result (specification, "ResponseDisplayConfig"). Null when the tool doesn't
 * share its results, has no display configuration, or returned no list at the configured path. Pure.
 */
type CardList = { type: "card-list"; version: 1; items: Card[] };
type Card = {
  media: Record<string, unknown>;
  content: Record<string, unknown>;
  actions: Record<string, unknown>[];
  cta: Record<string, unknown> | null;
};

/** The most cards of one result. */
const MAX_CARDS = 50;
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
  const template = cardTemplate(display);
  return {
    type: "card-list",
    version: 1,
    items: items.slice(0, MAX_CARDS).map((item) => card(template, item)),
  };
}

function card(template: CardTemplate, item: unknown): Card {
  return {
    media: resolved(template.media, item),
    content: resolved(template.content, item),
    actions: template.actions.map((action) => ({ type: action.type, ...button(action, item) })),
    cta: template.cta ? button(template.cta, item) : null,
  };
}

function button(source: Record<string, unknown>, item: unknown): Record<string, unknown> {
  const { text, link, actionId, message } = source;
  const shown = resolved({ text, link, actionId, message }, item);
  // Results are untrusted: only http, tel and mailto addresses become links.
  if (typeof shown.link === "string" && !/^(https?:|tel:|mailto:)/i.test(shown.link)) delete shown.link;
  return { icon: source.icon ?? DEFAULT_ICON, ...shown };
}

/** A literal, or a source with a default that selects (`path`) or interpolates (`template`, which takes precedence). */
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

function resolved(values: Record<string, unknown>, item: unknown): Record<string, unknown> {
  const found = Object.entries(values).map(([name, value]) => [name, resolve(value, item)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== null));
}
