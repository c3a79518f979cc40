import type { JmespathFunction } from "./jmespath-functions.ts";

/** A node reads the current value; `each` is applied to the items of what is before it. */
export type Node =
  | { type: "current" | "root" }
  | { type: "field" | "variable"; name: string }
  | { type: "literal"; value: unknown }
  | { type: "index"; index: number }
  | ({ type: "slice" } & Slice)
  | { type: "dot" | "pipe" | "and" | "or"; left: Node; right: Node }
  | { type: "compare"; operator: Comparison; left: Node; right: Node }
  | { type: "calculate"; operator: JmesOperation; left: Node; right: Node }
  | { type: "not" | "negate" | "plus" | "flat" | "reference"; of: Node }
  /** `[*]`, or a slice or `[]`, whose items come from `of`. */
  | { type: "items"; of: Node; each: Node }
  | { type: "values"; of: Node; each: Node }
  | { type: "filter"; of: Node; condition: Node; each: Node }
  | { type: "list"; items: Node[] }
  | { type: "hash"; members: [name: string, value: Node][] }
  | { type: "choose"; condition: Node; then: Node; otherwise: Node }
  | { type: "call"; call: JmespathFunction["call"]; args: Node[] }
  | { type: "let"; bindings: [name: string, value: Node][]; body: Node };

export type Slice = { start: number | null; stop: number | null; step: number };
export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";
export type JmesOperation = "+" | "-" | "*" | "/" | "//" | "%";
