import { FUNCTIONS } from "./jmespath-functions.ts";
import { jmespathTokens, type Token } from "./jmespath-tokens.ts";
import type { Node } from "./jmespath-tree.ts";
import { ExpressionSyntaxError } from "./syntax-error.ts";

/**
 * How tightly a mark binds what is on its left; 0 ends an expression. Where a projection stops is the subtle part:
 * `foo[*].bar` goes on to each item until a mark that binds less than 10.
 */
const BINDING: Readonly<Record<string, number>> = {
  "|": 1,
  "?": 2,
  "||": 3,
  "&&": 4,
  "==": 5,
  "!=": 5,
  "<": 5,
  "<=": 5,
  ">": 5,
  ">=": 5,
  "+": 6,
  "-": 6,
  "*": 7,
  "/": 7,
  "//": 7,
  "%": 7,
  "[]": 9,
  "[?": 21,
  ".": 40,
  "[": 55,
};
const END_OF_PROJECTION = 10;
const STAR = 20;
const NOT = 45;

/** `!` a hundred times over is nobody's condition. */
const MAX_DEPTH = 100;

const CURRENT: Node = { type: "current" };

/** Throws an ExpressionSyntaxError that says where and what. */
export function parseJmespath(source: string): Node {
  return new Parser(source).whole();
}

/** Marks that bind less than `!` does, and so go on from what it gives: true or false, of which nothing is a part. */
const AFTER_NEGATION = new Set([".", "[]", "[?"]);

/**
 * Where a `!` negates less than it seems to: `!a.b` is read `(!a).b`, which has no value, and its author means `!(a.b)`.
 * The indexes of these marks in a source that parses; one that says `(!a).b` in so many words has none.
 */
export function looseNegations(source: string): number[] {
  const parser = new Parser(source);
  parser.whole();
  return parser.looseNegations;
}

/** Top-down operator precedence (Pratt): `#prefix` reads what begins an expression, `#infix` what goes on from a left. */
class Parser {
  readonly looseNegations: number[] = [];
  readonly #tokens: Token[];
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#tokens = jmespathTokens(source);
  }

  whole(): Node {
    const node = this.#expression(0);
    if (this.#next.kind !== "end") throw unexpected(this.#next);
    return node;
  }

  get #next(): Token {
    return this.#tokens[this.#at]!;
  }

  /** One ahead is there behind any token but the last, which ends the text. */
  #peek(ahead: 0 | 1): string {
    return this.#tokens[this.#at + ahead]!.kind;
  }

  #take(): Token {
    return this.#tokens[this.#at++]!;
  }

  #accept(kind: string): boolean {
    if (this.#next.kind !== kind) return false;
    this.#at++;
    return true;
  }

  #expect(kind: string): Token {
    if (this.#next.kind === kind) return this.#take();
    throw new ExpressionSyntaxError(`expected ${kind}, found ${shown(this.#next)}`, this.#next.at);
  }

  #expression(binding: number): Node {
    if (++this.#depth > MAX_DEPTH) throw new ExpressionSyntaxError("nested too deeply", this.#next.at);
    let left = this.#prefix(this.#take());
    while (binding < (BINDING[this.#next.kind] ?? 0)) left = this.#infix(left, this.#take());
    this.#depth--;
    return left;
  }

  #prefix(token: Token): Node {
    switch (token.kind) {
      case "name":
        if (token.text === "let" && this.#next.kind === "variable") return this.#let();
        if (this.#accept("(")) return this.#call(token);
        return { type: "field", name: token.text };
      case "quoted":
        if (this.#next.kind === "(")
          throw new ExpressionSyntaxError("a function's name has no quotes", token.at);
        return { type: "field", name: token.value as string };
      case "raw":
      case "literal":
        return { type: "literal", value: token.value };
      case "variable":
        return { type: "variable", name: token.text };
      case "@":
        return CURRENT;
      case "$":
        return { type: "root" };
      case "!": {
        const of = this.#expression(NOT);
        if (AFTER_NEGATION.has(this.#next.kind)) this.looseNegations.push(token.at);
        return { type: "not", of };
      }
      case "-":
        return { type: "negate", of: this.#expression(BINDING["-"]!) };
      case "+":
        return { type: "plus", of: this.#expression(BINDING["+"]!) };
      case "(": {
        const inner = this.#expression(0);
        this.#expect(")");
        return inner;
      }
      case "*":
        return { type: "values", of: CURRENT, each: this.#each(STAR) };
      case "[":
        return this.#isIndex() || this.#isWildcard() ? this.#bracket(CURRENT) : this.#list();
      case "[]":
      case "[?":
        return this.#infix(CURRENT, token);
      case "{":
        return this.#hash();
      case "number":
        throw new ExpressionSyntaxError(`a number is written as \`${token.text}\``, token.at);
      default:
        throw unexpected(token);
    }
  }

  #infix(left: Node, token: Token): Node {
    const binding = BINDING[token.kind]!;
    switch (token.kind) {
      case ".":
        return { type: "dot", left, right: this.#member(binding) };
      case "[":
        if (this.#isIndex() || this.#isWildcard()) return this.#bracket(left);
        throw unexpected(this.#next);
      case "[]":
        return { type: "items", of: { type: "flat", of: left }, each: this.#each(binding) };
      case "[?": {
        const condition = this.#expression(0);
        this.#expect("]");
        return { type: "filter", of: left, condition, each: this.#each(binding) };
      }
      case "|":
        return { type: "pipe", left, right: this.#expression(binding) };
      case "||":
        return { type: "or", left, right: this.#expression(binding) };
      case "&&":
        return { type: "and", left, right: this.#expression(binding) };
      case "?": {
        const then = this.#expression(0);
        this.#expect(":");
        return { type: "choose", condition: left, then, otherwise: this.#expression(0) };
      }
      case "==":
      case "!=":
      case "<":
      case "<=":
      case ">":
      case ">=":
        return { type: "compare", operator: token.kind, left, right: this.#expression(binding) };
      case "+":
      case "-":
      case "*":
      case "/":
      case "//":
      case "%":
        return { type: "calculate", operator: token.kind, left, right: this.#expression(binding) };
      default:
        throw unexpected(token);
    }
  }

  /** What is done with each item of a projection: all that follows, up to a mark that binds loosely. */
  #each(binding: number): Node {
    const next = this.#next;
    if ((BINDING[next.kind] ?? 0) < END_OF_PROJECTION) return CURRENT;
    if (next.kind === "[" || next.kind === "[?") return this.#expression(binding);
    this.#expect(".");
    return this.#member(binding);
  }

  /** What may come after a dot. */
  #member(binding: number): Node {
    if (this.#accept("[")) return this.#list();
    if (this.#accept("{")) return this.#hash();
    if (["name", "quoted", "*"].includes(this.#next.kind)) return this.#expression(binding);
    throw unexpected(this.#next);
  }

  #isIndex(): boolean {
    return ["number", ":"].includes(this.#peek(0)) || (this.#peek(0) === "-" && this.#peek(1) === "number");
  }

  #isWildcard(): boolean {
    return this.#peek(0) === "*" && this.#peek(1) === "]";
  }

  /** `[3]`, `[1:2]` or `[*]`, after its opening. */
  #bracket(left: Node): Node {
    if (this.#accept("*")) {
      this.#expect("]");
      return { type: "items", of: left, each: this.#each(STAR) };
    }
    const at = this.#next.at;
    const numbers: (number | null)[] = [this.#integer()];
    while (numbers.length < 3 && this.#accept(":")) numbers.push(this.#integer());
    this.#expect("]");
    const [start = null, stop = null, step] = numbers;
    if (numbers.length === 1) return { type: "dot", left, right: { type: "index", index: start! } };
    if (step === 0) throw new ExpressionSyntaxError("a slice cannot have a step of 0", at);
    const slice: Node = { type: "slice", start, stop, step: step ?? 1 };
    return { type: "items", of: { type: "dot", left, right: slice }, each: this.#each(STAR) };
  }

  #integer(): number | null {
    const sign = this.#accept("-") ? -1 : 1;
    if (this.#next.kind === "number") return sign * (this.#take().value as number);
    if (sign < 0) throw unexpected(this.#next);
    return null;
  }

  #list(): Node {
    return { type: "list", items: this.#separated("]", () => this.#expression(0)) };
  }

  #hash(): Node {
    const members = this.#separated("}", (): [string, Node] => {
      const name = this.#take();
      if (name.kind !== "name" && name.kind !== "quoted") throw unexpected(name);
      this.#expect(":");
      return [name.value as string, this.#expression(0)];
    });
    return { type: "hash", members };
  }

  /** A call that can never work is shown when it is written, not when a caller is on the line. */
  #call(name: Token): Node {
    const known = FUNCTIONS.get(name.text);
    if (!known) throw new ExpressionSyntaxError(`there is no function ${name.text}()`, name.at);
    const args = this.#accept(")")
      ? []
      : this.#separated(")", (): Node => {
          if (this.#accept("&")) return { type: "reference", of: this.#expression(0) };
          return this.#expression(0);
        });
    if (args.length < known.fewest || args.length > known.most) {
      throw new ExpressionSyntaxError(`${known.signature} is given ${args.length} arguments`, name.at);
    }
    return { type: "call", call: known.call, args };
  }

  #let(): Node {
    const bindings: [string, Node][] = [];
    do {
      const name = this.#expect("variable").text;
      this.#expect("=");
      bindings.push([name, this.#expression(0)]);
    } while (this.#accept(","));
    const word = this.#take();
    if (word.text !== "in") throw new ExpressionSyntaxError(`expected in, found ${shown(word)}`, word.at);
    return { type: "let", bindings, body: this.#expression(0) };
  }

  /** One or more, with commas between and none after the last. */
  #separated<T>(end: string, one: () => T): T[] {
    const all = [one()];
    while (this.#accept(",")) all.push(one());
    this.#expect(end);
    return all;
  }
}

const shown = (token: Token): string => (token.kind === "end" ? "the end" : token.text);

const unexpected = (token: Token): ExpressionSyntaxError =>
  new ExpressionSyntaxError(
    token.kind === "end" ? "stops too early" : `unexpected ${token.text}${MEANT.get(token.text) ?? ""}`,
    token.at,
  );

/** What people write who know another language. */
const MEANT = new Map([
  ["=", "; write == to compare"],
  ["and", "; write &&"],
  ["&", "; write && for and"],
  ["or", "; write ||"],
  ["in", "; write contains(list, value)"],
  ["{", "; a name stands without braces"],
]);
