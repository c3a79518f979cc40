import type { Expression } from "../api-types.ts";

/*
 * A condition as lines of a form: name, comparison, value. Whatever fits in such lines is shown that way; any other
 * expression stays a text. What is written is plain JMESPath, which the server's checker reads like any other.
 */

export const COMPARISONS = [
  "is",
  "is not",
  "contains",
  "does not contain",
  "starts with",
  "is greater than",
  "is at least",
  "is less than",
  "is at most",
  "has a value",
  "has no value",
  "is true",
  "is not true",
] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** What a name is compared with. A text, a number, yes or no, or the value of another name. */
export type Operand =
  | { kind: "text"; value: string }
  | { kind: "number"; value: number }
  | { kind: "boolean"; value: boolean }
  | { kind: "name"; value: string };

export type ConditionLine = { name: string; comparison: Comparison; value: Operand | null };
export type Condition = { join: "and" | "or"; lines: ConditionLine[] };

const SIGNS: Partial<Record<Comparison, string>> = {
  is: "==",
  "is not": "!=",
  "is greater than": ">",
  "is at least": ">=",
  "is less than": "<",
  "is at most": "<=",
};
const BY_SIGN = new Map(Object.entries(SIGNS).map(([comparison, sign]) => [sign, comparison as Comparison]));

export const takesValue = (comparison: Comparison): boolean =>
  !["has a value", "has no value", "is true", "is not true"].includes(comparison);

/** A name that can be written: parts with dots between them, each maybe with places of a list: `slots[0].time`. */
const PART = /^[^.[\]"\\\s][^.[\]"\\]*(\[\d+\])*$/;
export const isName = (name: string): boolean =>
  name !== "" && name.split(".").every((part) => PART.test(part) && !/\s$/.test(part));

const isComplete = ({ name, comparison, value }: ConditionLine): boolean =>
  isName(name) &&
  (!takesValue(comparison) || (value !== null && (value.kind !== "name" || isName(value.value))));

/** The expression of all lines that are complete; null without any. */
export function writeCondition({ join, lines }: Condition): string | null {
  const written = lines.filter(isComplete).map(writeLine);
  return written.length === 0 ? null : written.join(join === "and" ? " && " : " || ");
}

function writeLine({ name, comparison, value }: ConditionLine): string {
  const path = writeName(name);
  const sign = SIGNS[comparison];
  if (sign !== undefined) return `${path} ${sign} ${writeOperand(value as Operand)}`;
  switch (comparison) {
    // Without a value `contains` fails, and with it all that stands beside it.
    case "contains":
      return `contains(${path} || '', ${writeOperand(value as Operand)})`;
    case "does not contain":
      return `!(contains(${path} || '', ${writeOperand(value as Operand)}))`;
    case "starts with":
      return `starts_with(${path} || '', ${writeOperand(value as Operand)})`;
    case "has a value":
      return `${path} != \`null\``;
    case "has no value":
      return `${path} == \`null\``;
    case "is true":
      return path;
    default:
      return `!(${path})`;
  }
}

const writeName = (name: string): string =>
  name
    .split(".")
    .map((part) => {
      const [, word = "", places = ""] = /^([^[]*)(.*)$/.exec(part) ?? [];
      return `${/^[A-Za-z_]\w*$/.test(word) ? word : JSON.stringify(word)}${places}`;
    })
    .join(".");

function writeOperand(operand: Operand): string {
  if (operand.kind === "name") return writeName(operand.value);
  if (operand.kind === "text") return `'${operand.value.replace(/[\\']/g, "\\$&")}'`;
  return `\`${JSON.stringify(operand.value)}\``;
}

const TOKEN =
  /\s*(?:(?<name>(?:[A-Za-z_]\w*|"[^"\\]*")(?:\[\d+\])*(?:\.(?:[A-Za-z_]\w*|"[^"\\]*")(?:\[\d+\])*)*)|'(?<raw>(?:[^'\\]|\\.)*)'|`(?<literal>(?:[^`\\]|\\.)*)`|(?<mark>&&|\|\||==|!=|<=|>=|[<>!(),]))/sy;

type ReadToken = { kind: "name" | "mark"; text: string } | { kind: "value"; text: ""; value: unknown };

function tokensOf(source: string): ReadToken[] | null {
  const tokens: ReadToken[] = [];
  const text = source.trimEnd();
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const { groups } = TOKEN.exec(text) ?? {};
    if (!groups) return null;
    const { name, raw, literal, mark } = groups;
    if (name !== undefined) tokens.push({ kind: "name", text: name });
    else if (raw !== undefined)
      tokens.push({ kind: "value", text: "", value: raw.replace(/\\([\\'])/g, "$1") });
    else if (literal === undefined) tokens.push({ kind: "mark", text: mark as string });
    else {
      try {
        tokens.push({ kind: "value", text: "", value: JSON.parse(literal.replaceAll("\\`", "`")) });
      } catch {
        return null;
      }
    }
  }
  return tokens;
}

/** The lines of an expression, or null where it says more than lines can. */
export function readCondition(expression: Expression | null | undefined): Condition | null {
  const source = sourceOf(expression);
  if (source === null) return null;
  const tokens = tokensOf(source);
  if (!tokens || tokens.length === 0) return null;
  const reader = new LineReader(tokens);
  const lines: ConditionLine[] = [];
  let join: Condition["join"] | null = null;
  for (;;) {
    const line = reader.line();
    if (!line) return null;
    lines.push(line);
    if (reader.isAtEnd) return { join: join ?? "and", lines };
    const word = reader.takes("&&") ? "and" : reader.takes("||") ? "or" : null;
    if (word === null || (join !== null && join !== word)) return null;
    join = word;
  }
}

/** A text or an object that says it is JMESPath. */
export function sourceOf(expression: Expression | null | undefined): string | null {
  if (typeof expression === "string") return expression;
  if (expression == null || "case" in expression) return null;
  return expression.type === "cel" ? null : expression.expression;
}

class LineReader {
  private at = 0;
  private readonly tokens: readonly ReadToken[];

  constructor(tokens: readonly ReadToken[]) {
    this.tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.at === this.tokens.length;
  }

  takes(mark: string): boolean {
    const token = this.tokens[this.at];
    const fits = token?.kind === "mark" && token.text === mark;
    if (fits) this.at++;
    return fits;
  }

  line(): ConditionLine | null {
    if (this.takes("(")) {
      const inner = this.line();
      return inner && this.takes(")") ? inner : null;
    }
    if (this.takes("!")) return this.negated();
    const name = this.name();
    if (name === null) return null;
    if ((name === "contains" || name === "starts_with") && this.takes("("))
      return this.call(name === "contains" ? "contains" : "starts with");
    const token = this.tokens[this.at];
    const comparison = token?.kind === "mark" ? BY_SIGN.get(token.text) : undefined;
    if (comparison === undefined) return { name, comparison: "is true", value: null };
    this.at++;
    const next = this.tokens[this.at];
    if (next?.kind === "value" && next.value === null && (comparison === "is" || comparison === "is not")) {
      this.at++;
      return { name, comparison: comparison === "is" ? "has no value" : "has a value", value: null };
    }
    const value = this.operand();
    return value && { name, comparison, value };
  }

  /** `!name`, `!(name)` and `!(contains(…))`. */
  private negated(): ConditionLine | null {
    const hasBrackets = this.takes("(");
    const line = hasBrackets ? this.line() : this.bare();
    if (!line || (hasBrackets && !this.takes(")"))) return null;
    if (line.comparison === "is true") return { ...line, comparison: "is not true" };
    return line.comparison === "contains" ? { ...line, comparison: "does not contain" } : null;
  }

  /** Without brackets `!` holds for the first word only. */
  private bare(): ConditionLine | null {
    const name = this.name();
    if (name === null || /[.[]/.test(name) || this.takes("(")) return null;
    return { name, comparison: "is true", value: null };
  }

  private call(comparison: Comparison): ConditionLine | null {
    const name = this.name();
    if (name === null) return null;
    if (this.takes("||")) {
      const empty = this.operand();
      if (empty?.kind !== "text" || empty.value !== "") return null;
    }
    const value = this.takes(",") ? this.operand() : null;
    return value && this.takes(")") ? { name, comparison, value } : null;
  }

  private name(): string | null {
    const token = this.tokens[this.at];
    if (token?.kind !== "name") return null;
    // A part in quotes that has a dot or a bracket is no part that a line could write.
    const parts = [...token.text.matchAll(/"([^"]*)"/g)].map(([, part = ""]) => part);
    if (!parts.every((part) => isName(part) && !/[.[\]]/.test(part))) return null;
    this.at++;
    return token.text.replaceAll('"', "");
  }

  private operand(): Operand | null {
    const token = this.tokens[this.at];
    if (token?.kind === "name") {
      const value = this.name();
      return value === null ? null : { kind: "name", value };
    }
    if (token?.kind !== "value") return null;
    this.at++;
    const { value } = token;
    if (typeof value === "string") return { kind: "text", value };
    if (typeof value === "number") return { kind: "number", value };
    return typeof value === "boolean" ? { kind: "boolean", value } : null;
  }
}

/** A condition in words, for an arrow of the canvas. Null: always. */
export function conditionWords(expression: Expression | null | undefined): string | null {
  const condition = readCondition(expression);
  if (!condition) return sourceOf(expression) ?? (expression == null ? null : JSON.stringify(expression));
  return condition.lines.map(lineWords).join(` ${condition.join} `);
}

function lineWords({ name, comparison, value }: ConditionLine): string {
  if (value === null) return `${name} ${comparison}`;
  const shown =
    value.kind === "boolean"
      ? value.value
        ? "yes"
        : "no"
      : value.kind === "text"
        ? `“${value.value}”`
        : value.value;
  return `${name} ${comparison} ${shown}`;
}
