import { ExpressionSyntaxError } from "./syntax-error.ts";

/** `kind` is the mark itself (`[?`, `&&`) for everything that has no value. */
export type Token = { kind: string; value: unknown; text: string; at: number };

/** Every alternative begins with a character of its own, and no text fits one in two ways: none backtracks. */
const TOKEN = new RegExp(
  [
    /(?<space>[ \t\r\n]+)/,
    /(?<name>[A-Za-z_]\w*)/,
    /(?<variable>\$[A-Za-z_]\w*)/,
    /(?<number>\d+)/,
    /"(?<quoted>(?:[^"\\]|\\.)*)"/,
    /'(?<raw>(?:[^'\\]|\\.)*)'/,
    /`(?<literal>(?:[^`\\]|\\.)*)`/,
    /(?<mark>\[\?|\[\]|&&|\|\||==|!=|<=|>=|\/\/|[.*@[\](){},:&|<>!+\-/%×÷−?=$])/,
  ]
    .map((part) => part.source)
    .join("|"),
  "sy",
);

/** Other ways to write the arithmetic marks. */
const SPELLINGS: Record<string, string> = { "×": "*", "÷": "/", "−": "-" };

export function jmespathTokens(source: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(source);
    if (!found) throw new ExpressionSyntaxError(strange(source[at]!), at);
    const [kind, inside] = Object.entries(found.groups!).find(([, text]) => text !== undefined)!;
    const text = found[0];
    if (kind === "mark") tokens.push({ kind: SPELLINGS[text] ?? text, value: undefined, text, at });
    else if (kind !== "space") tokens.push({ kind, value: meaning(kind, inside!, at), text, at });
  }
  tokens.push({ kind: "end", value: undefined, text: "", at: source.length });
  return tokens;
}

function meaning(kind: string, inside: string, at: number): unknown {
  switch (kind) {
    case "number":
      return Number(inside);
    case "quoted":
      return parsed(`"${inside}"`, "this is not a JSON text", at);
    case "literal":
      return parsed(inside.replaceAll("\\`", "`"), "this is not JSON", at);
    case "raw":
      return inside.replace(/\\([\\'])/g, "$1");
    default:
      return inside;
  }
}

function parsed(json: string, otherwise: string, at: number): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new ExpressionSyntaxError(otherwise, at);
  }
}

const strange = (character: string): string =>
  "\"'`".includes(character) ? `this ${character} is never closed` : `unexpected ${character}`;
