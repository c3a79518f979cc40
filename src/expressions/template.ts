import { type Members, own } from "./member.ts";

/**
 * Text with variables in it. Three forms, read in one pass from left to right; what a value holds is never expanded again:
 *
 *   {{ name }}         the value, or nothing; spaces inside do not count
 *   ${name=fallback}   the value, or the fallback; `=$other` falls back to another variable; spaces do count
 *   {name}             the value, or the text as it stands, so that JSON in a prompt survives
 *
 * A name is letters, digits, `_` and `.`; whatever is not one of the forms stays as written. A backslash before an
 * opening (`\{`, `\{{`, `\${`, `\$`) is dropped and keeps it from opening anything. `null` counts as missing: it is what
 * an expression gives for a path that is not there, and nobody should hear an agent say "null".
 */

/** The value of a variable; `undefined` and `null` mean that there is none. */
export type Lookup = (name: string) => unknown;
type RenderOptions = {
  onMissing?: (name: string) => void;
  /** How many characters values may still put in; once they are spent, all that follows stays as it is written. */
  budget?: { left: number };
};

/** Some hundred times the longest prompt; without an end, a long value named over and over would fill the memory. */
const MAX_PUT_IN = 4_000_000;
const newBudget = () => ({ left: MAX_PUT_IN });

/*
 * Every piece is one character class matched at a known place, so none can backtrack, and whatever fails to match is
 * looked at twice at most: 1 MB of `{{a`, `${a=` or `{` renders in about 0.1 s.
 */
const NAME = /[\p{L}\p{M}\p{N}_.]+/uy;
const SPACES = /\s*/y;
const UNBRACED = /[^{}]*/y;

export function renderTemplate(text: string, lookup: Lookup, options: RenderOptions = {}): string {
  const source: TemplateSource = {
    text,
    lastClose: text.lastIndexOf("}"),
    valueOf: (name) => printed(lookup(name)),
    missing: (name) => options.onMissing?.(name),
  };
  const budget = options.budget ?? newBudget();
  let out = "";
  let copied = 0;
  const openings = /\\(?:\$\{|\{\{|[${])|\$\{|\{\{?/g;
  for (let opening = openings.exec(text); opening && budget.left > 0; opening = openings.exec(text)) {
    const found = substitution(source, opening[0], opening.index + opening[0].length);
    if (found) {
      out += text.slice(copied, opening.index) + found.text;
      copied = found.end;
      budget.left -= found.text.length;
    }
    // After `{{` or `${` that opened nothing, a shorter form may start one character later: `${{ price }}`.
    openings.lastIndex = found?.end ?? opening.index + 1;
  }
  return copied === 0 ? text : out + text.slice(copied);
}

const WHOLE = /^\{\{\s*([\p{L}\p{M}\p{N}_.]+)\s*\}\}$|^\$\{([\p{L}\p{M}\p{N}_.]+)\}$/u;

/** The name in a text that is one template and nothing else; such a text can stand for the value itself. */
export function wholeTemplate(text: string): string | null {
  const [, braced, dollar] = WHOLE.exec(text) ?? [];
  return braced ?? dollar ?? null;
}

/**
 * Python's `str.format` as far as tool defaults use it: `{name}`, with `{{` and `}}` for literal braces. A name without a
 * value keeps its text.
 */
export function renderFormat(text: string, lookup: Lookup, options: RenderOptions = {}): string {
  const budget = options.budget ?? newBudget();
  let out = "";
  let copied = 0;
  const braces = /\{\{|\}\}|\{/g;
  for (let brace = braces.exec(text); brace && budget.left > 0; brace = braces.exec(text)) {
    const start = brace.index;
    let found: Substitution = { text: brace[0].charAt(0), end: start + brace[0].length };
    if (brace[0] === "{") {
      const name = take(NAME, text, start + 1);
      const end = start + 1 + name.length;
      if (name === "" || text[end] !== "}") continue;
      const value = printed(lookup(name));
      if (value === undefined) options.onMissing?.(name);
      found = { text: value ?? `{${name}}`, end: end + 1 };
    }
    out += text.slice(copied, start) + found.text;
    copied = found.end;
    budget.left -= found.text.length;
    braces.lastIndex = found.end;
  }
  return copied === 0 ? text : out + text.slice(copied);
}

/** Nesting past this is returned as it is: nobody writes such a value by hand, and recursion must end somewhere. */
const MAX_DEPTH = 100;

/** A copy of a JSON value with every string in it rendered, all on one budget; keys are left alone. */
export function renderDeep(value: unknown, lookup: Lookup): unknown {
  return deep(value, lookup, { budget: newBudget() }, 0);
}

function deep(value: unknown, lookup: Lookup, options: RenderOptions, depth: number): unknown {
  if (typeof value === "string") return renderTemplate(value, lookup, options);
  if (typeof value !== "object" || value === null || depth === MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => deep(item, lookup, options, depth + 1));
  // fromEntries defines own properties, so a `__proto__` that came out of JSON stays plain data.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, deep(item, lookup, options, depth + 1)]),
  );
}

/** Longer names resolve to nothing; it also bounds the search for a dotted key below. */
const MAX_NAME_LENGTH = 256;

/**
 * One resolver for every place a variable is named. The exact key wins; then the name with or without the `vars.` prefix,
 * since existing prompts use both for the same variable; then a path into a nested value, the longest key first
 * (`vars.contact.email` finds `email` in the value stored under `vars.contact`).
 */
export function variableLookup(variables: Members): Lookup {
  return (name) => {
    if (name.length > MAX_NAME_LENGTH) return undefined;
    const other = name.startsWith("vars.") ? name.slice("vars.".length) : `vars.${name}`;
    if (Object.hasOwn(variables, name)) return variables[name];
    if (Object.hasOwn(variables, other)) return variables[other];
    return insideOf(variables, name) ?? insideOf(variables, other);
  };
}

function insideOf(variables: Members, name: string): unknown {
  for (let dot = name.lastIndexOf("."); dot > 0; dot = name.lastIndexOf(".", dot - 1)) {
    const key = name.slice(0, dot);
    if (!Object.hasOwn(variables, key)) continue;
    let value: unknown = variables[key];
    for (const segment of name.slice(dot + 1).split(".")) value = own(value, segment);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** What replaces the form just read, and where the text goes on. */
type Substitution = { text: string; end: number };

type TemplateSource = {
  text: string;
  /** Where the last `}` is: knowing it keeps a text of unclosed `${a=` linear, each of which would search to the end. */
  lastClose: number;
  valueOf(name: string): string | undefined;
  missing(name: string): void;
};

/** Reads the form that `mark` opens; `undefined` when it is none after all. */
function substitution(source: TemplateSource, mark: string, inside: number): Substitution | undefined {
  if (mark.startsWith("\\")) return { text: mark.slice(1), end: inside };
  if (mark === "${") return withFallback(source, inside);
  return mark === "{{" ? doubleBraced(source, inside) : singleBraced(source, inside);
}

/** `{{ name }}`; `{{name=x}}` is no default syntax but a name that no variable has. */
function doubleBraced(source: TemplateSource, inside: number): Substitution | undefined {
  const { text } = source;
  const from = inside + take(SPACES, text, inside).length;
  const name = take(NAME, text, from);
  if (name === "") return undefined;
  const rest = from + name.length;
  const extra = take(text[rest] === "=" ? UNBRACED : SPACES, text, rest);
  if (!text.startsWith("}}", rest + extra.length)) return undefined;
  return { text: valueOr(source, name + extra.trimEnd(), ""), end: rest + extra.length + 2 };
}

/** `${name}` and `${name=fallback}`; the fallback ends at the first `}`. */
function withFallback(source: TemplateSource, inside: number): Substitution | undefined {
  const { text } = source;
  const name = take(NAME, text, inside);
  const rest = inside + name.length;
  if (name === "") return undefined;
  if (text[rest] === "}") return { text: valueOr(source, name, ""), end: rest + 1 };
  if (text[rest] !== "=" || rest > source.lastClose) return undefined;
  const close = text.indexOf("}", rest);
  const fallback = text.slice(rest + 1, close);
  const value = source.valueOf(name);
  if (value !== undefined) return { text: value, end: close + 1 };
  const other = fallback.startsWith("$") ? take(NAME, fallback, 1) : "";
  const named = other !== "" && other.length === fallback.length - 1;
  return { text: named ? valueOr(source, other, "") : fallback, end: close + 1 };
}

/** `{name}`, only for a variable that has a value. */
function singleBraced(source: TemplateSource, inside: number): Substitution | undefined {
  const name = take(NAME, source.text, inside);
  const end = inside + name.length;
  if (name === "" || source.text[end] !== "}") return undefined;
  return { text: valueOr(source, name, `{${name}}`), end: end + 1 };
}

function valueOr(source: TemplateSource, name: string, otherwise: string): string {
  const value = source.valueOf(name);
  if (value === undefined) source.missing(name);
  return value ?? otherwise;
}

function take(piece: RegExp, text: string, from: number): string {
  piece.lastIndex = from;
  return piece.exec(text)?.[0] ?? "";
}

function printed(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
