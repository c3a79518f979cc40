import { quoted } from "./report.ts";

/** Names that a platform fills in itself, and what Parley calls them; `but` says what is not the same. */
export type BuiltInNames = (name: string) => string | { name: string; but: string } | undefined;

type OwnText = { text: string; problems: string[] };

/** One class of signs between the braces, so that matching takes linear time. */
const FOREIGN = /\{\{([^{}]*)\}\}/g;
const OWN_NAME = /^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}\p{N}_]+)*$/u;
/** What Parley would fill in, and the other platforms leave as it is. */
const OURS_ONLY = /(?<!\\)\$(?=\{)|(?<![{$\\])(?=\{[\p{L}\p{M}\p{N}_.]+\}(?!\}))/gu;

/**
 * A text with `{{ name }}` of another platform as a text of ours: names of the author's become `vars.name`, names of the
 * platform become system variables. What stays without a value is told.
 */
export function ownText(
  text: string,
  builtIn: BuiltInNames,
  /** In an address `{name}` is an argument, for the other platform and for us. */
  { isAddress = false } = {},
): OwnText {
  const kept = (part: string): string => (isAddress ? part : part.replace(OURS_ONLY, (sign) => `\\${sign}`));
  const problems: string[] = [];
  if (/\{%/.test(text)) problems.push("{% … %} is not evaluated here and stays as text.");
  const parts: string[] = [];
  let copied = 0;
  for (const found of text.matchAll(FOREIGN)) {
    parts.push(
      kept(text.slice(copied, found.index)),
      placeholder((found[1] ?? "").replace(/^-|-$/g, "").trim()),
    );
    copied = found.index + found[0].length;
  }
  parts.push(kept(text.slice(copied)));
  return { text: parts.join(""), problems: [...new Set(problems)] };

  function placeholder(inner: string): string {
    const [subject = "", ...filters] = inner.split("|").map((part) => part.trim());
    if (filters.length > 0) problems.push(`The filter of {{ ${plain(inner)} }} is left out.`);
    const name = subject.replace(/^["']|["']$/g, "");
    const system = builtIn(name);
    if (typeof system === "string") return `{{ ${system} }}`;
    if (system !== undefined) {
      problems.push(`{{ ${plain(name)} }} ${system.but}`);
      return `{{ ${system.name} }}`;
    }
    const own = ownName(name);
    if (own === null) {
      problems.push(`{{ ${plain(inner)} }} is no name that Parley can fill in; it is left out.`);
      return "";
    }
    if (own !== name) problems.push(`{{ ${plain(name)} }} is called vars.${own} here.`);
    return `{{ vars.${own} }}`;
  }
}

const plain = (text: string): string => quoted(text).slice(1, -1).replaceAll('\\"', '"');

/** A name of a variable as Parley takes it; null where nothing is left of it. */
export function ownName(name: string): string | null {
  if (OWN_NAME.test(name)) return name;
  const made = name
    .slice(0, 200)
    .replaceAll(/[^\p{L}\p{N}_]+/gu, "_")
    .replaceAll(/^_+|_+$/g, "")
    .replace(/^(?=\p{N})/u, "_");
  return OWN_NAME.test(made) ? made : null;
}

/** Values under such a name, of a header, a variable or a query, are credentials: they are never copied or shown. */
export const isSecretName = (name: string): boolean =>
  /secret|token|passw|api[-_ ]?key|^key$|[-_]key$|^auth$|^auth[-_]|authoriz|authentic|credential|cookie|signature|^x-api|bearer/i.test(
    name,
  );
