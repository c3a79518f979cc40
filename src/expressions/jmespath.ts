import { unreachable } from "../base/errors.ts";
import { ExpressionReference } from "./jmespath-functions.ts";
import { parseJmespath } from "./jmespath-parse.ts";
import type { Comparison, JmesOperation, Node, Slice } from "./jmespath-tree.ts";
import { equal, namesOf, plainCopy, truthy } from "./json-value.ts";
import { emptyRecord, isRecord, own } from "./member.ts";
import { EvaluationError, Meter } from "./meter.ts";
import type { Plan } from "./plan.ts";
import { Scope } from "./scope.ts";
import { characters } from "./text.ts";

/**
 * JMESPath with the community's additions (`let`, arithmetic, `?:`, `$`, more functions), parsed and evaluated here.
 *
 * The npm libraries were measured and refused. The best of them, @jmespath-community/jmespath 1.3.0, passes the same
 * compliance tests and is as fast, but: `{a: b}.constructor` is a function there (and true), a record `{"expref": true, …}`
 * in the data is run as an expression, nothing bounds it (a timer costs 90 µs a call, and cannot stop `replace` with a
 * count of 1e9, which ends the process), `sort` puts 10 before 9, `max_by` finds nothing among texts, `'abc` without its
 * closing quote is accepted, and no error has a position.
 *
 * Throws an ExpressionSyntaxError.
 */
export function planJmespath(source: string): Plan {
  const tree = parseJmespath(source);
  return (root) => {
    const walk = new Walk(root);
    return plainCopy(walk.visit(tree, root, null), walk.meter);
  };
}

/** The variables of the `let` expressions around a node, innermost first. */
type Bindings = { name: string; value: unknown; outer: Bindings } | null;

class Walk {
  readonly meter = new Meter();
  readonly #root: unknown;

  constructor(root: unknown) {
    this.#root = root;
  }

  visit(node: Node, value: unknown, bindings: Bindings): unknown {
    this.meter.spend();
    switch (node.type) {
      case "field":
        return field(value, node.name);
      case "literal":
        return node.value;
      case "current":
        return whole(value);
      case "root":
        return whole(this.#root);
      case "variable":
        return bound(node.name, bindings);
      case "dot": {
        if (value instanceof Scope && isVars(node.left) && node.right.type === "field") {
          this.meter.spend(2);
          return json(value.variable(node.right.name));
        }
        const left = this.visit(node.left, value, bindings);
        return left === null ? null : this.visit(node.right, left, bindings);
      }
      case "pipe":
        return this.visit(node.right, this.visit(node.left, value, bindings), bindings);
      case "index":
        return Array.isArray(value) ? json(value.at(node.index)) : null;
      case "slice":
        return this.#slice(node, value);
      case "flat":
        return this.#flat(this.visit(node.of, value, bindings));
      case "items": {
        const items = this.visit(node.of, value, bindings);
        // A slice of a text is a text, not a list to go through.
        if (typeof items === "string" && isSlice(node.of)) return this.visit(node.each, items, bindings);
        return Array.isArray(items) ? this.#each(items, node.each, bindings) : null;
      }
      case "values": {
        const members = this.visit(node.of, value, bindings);
        if (!isRecord(members)) return null;
        const items = namesOf(members, this.meter).map((name) => members[name]);
        return this.#each(items, node.each, bindings);
      }
      case "filter": {
        const items = this.visit(node.of, value, bindings);
        if (!Array.isArray(items)) return null;
        const wanted = items.filter((item) => this.#holds(node.condition, json(item), bindings));
        return this.#each(wanted, node.each, bindings);
      }
      case "list":
        return node.items.map((item) => this.visit(item, value, bindings));
      case "hash": {
        const members = emptyRecord();
        for (const [name, member] of node.members) members[name] = this.visit(member, value, bindings);
        return members;
      }
      case "or": {
        const left = this.visit(node.left, value, bindings);
        return truthy(left, this.meter) ? left : this.visit(node.right, value, bindings);
      }
      case "and": {
        const left = this.visit(node.left, value, bindings);
        return truthy(left, this.meter) ? this.visit(node.right, value, bindings) : left;
      }
      case "not":
        return !this.#holds(node.of, value, bindings);
      case "choose": {
        const holds = this.#holds(node.condition, value, bindings);
        return this.visit(holds ? node.then : node.otherwise, value, bindings);
      }
      case "compare": {
        const left = this.visit(node.left, value, bindings);
        return this.#compare(node.operator, left, this.visit(node.right, value, bindings));
      }
      case "calculate": {
        const left = number(this.visit(node.left, value, bindings));
        return calculate(node.operator, left, number(this.visit(node.right, value, bindings)));
      }
      case "negate":
        return -number(this.visit(node.of, value, bindings));
      case "plus":
        return number(this.visit(node.of, value, bindings));
      case "call": {
        const args = node.args.map((arg) => this.visit(arg, value, bindings));
        return json(node.call(args, this.meter));
      }
      case "reference":
        return new ExpressionReference((item) => this.visit(node.of, json(item), bindings));
      case "let": {
        let inner = bindings;
        for (const [name, given] of node.bindings) {
          inner = { name, value: this.visit(given, value, bindings), outer: inner };
        }
        return this.visit(node.body, value, inner);
      }
      default:
        return unreachable(node);
    }
  }

  #holds(condition: Node, value: unknown, bindings: Bindings): boolean {
    return truthy(this.visit(condition, value, bindings), this.meter);
  }

  #each(items: readonly unknown[], each: Node, bindings: Bindings): unknown[] {
    const found: unknown[] = [];
    for (const item of items) {
      const value = this.visit(each, json(item), bindings);
      if (value !== null) found.push(value);
    }
    return found;
  }

  #flat(items: unknown): unknown[] | null {
    if (!Array.isArray(items)) return null;
    this.meter.spend(items.reduce((total, item) => total + (Array.isArray(item) ? item.length : 1), 0));
    return items.flat();
  }

  #slice(slice: Slice, value: unknown): unknown {
    if (typeof value === "string") {
      return pick(characters(value, this.meter), slice).join("");
    }
    if (!Array.isArray(value)) return null;
    this.meter.spend(value.length);
    return pick(value, slice);
  }

  #compare(operator: Comparison, left: unknown, right: unknown): boolean | null {
    if (operator === "==") return equal(left, right, this.meter);
    if (operator === "!=") return !equal(left, right, this.meter);
    // JMESPath orders numbers only.
    if (typeof left !== "number" || typeof right !== "number") return null;
    switch (operator) {
      case "<":
        return left < right;
      case "<=":
        return left <= right;
      case ">":
        return left > right;
      case ">=":
        return left >= right;
      default:
        return unreachable(operator);
    }
  }
}

/** All of `vars` is dear to make where only one of them is wanted. */
const isVars = (node: Node): boolean => node.type === "field" && node.name === "vars";

const isSlice = (node: Node): boolean => node.type === "dot" && node.right.type === "slice";

/** State should be JSON; whatever else got into it is null here. */
function json(value: unknown): unknown {
  return value === undefined || typeof value === "function" ? null : value;
}

function field(value: unknown, name: string): unknown {
  if (value instanceof Scope) return json(value.get(name));
  return isRecord(value) ? json(own(value, name)) : null;
}

const whole = (value: unknown): unknown => (value instanceof Scope ? value.all() : value);

/** Items from `start` to before `stop`, negative ones counted from the end, as in Python. */
function pick(items: readonly unknown[], { start, stop, step }: Slice): unknown[] {
  const size = items.length;
  const [lowest, highest] = step > 0 ? [0, size] : [-1, size - 1];
  const bounded = (at: number) => Math.min(highest, Math.max(lowest, at < 0 ? at + size : at));
  const [first, last] = step > 0 ? [lowest, highest] : [highest, lowest];
  const from = start === null ? first : bounded(start);
  const to = stop === null ? last : bounded(stop);
  const picked: unknown[] = [];
  for (let i = from; step > 0 ? i < to : i > to; i += step) picked.push(items[i]);
  return picked;
}

function number(value: unknown): number {
  if (typeof value === "number") return value;
  throw new EvaluationError("only numbers can be calculated with");
}

function calculate(operator: JmesOperation, left: number, right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / nonzero(right);
    case "//":
      return Math.floor(left / nonzero(right));
    case "%":
      return left % nonzero(right);
    default:
      return unreachable(operator);
  }
}

function nonzero(divisor: number): number {
  if (divisor === 0) throw new EvaluationError("division by zero");
  return divisor;
}

function bound(name: string, bindings: Bindings): unknown {
  for (let at = bindings; at; at = at.outer) if (at.name === name) return at.value;
  throw new EvaluationError(`there is no variable ${name}`);
}
