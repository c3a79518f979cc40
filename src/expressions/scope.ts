import { emptyRecord, isRecord, type Members, own } from "./member.ts";
import type { Lookup } from "./template.ts";

/** What an expression or a template can name. */
export type ScopeParts = {
  /** What was given in the current submission. */
  inputs?: Members | undefined;
  /** State of one workflow. */
  local?: Members | undefined;
  output?: unknown;
  vars?: Members | undefined;
  session?: Members | undefined;
  /** The conversation's variables under their full keys: `foo`, `vars.pcp`, `vars.session.date`. */
  globals?: Members | undefined;
};

/** Names that no global can take. */
const FIXED = ["inputs", "local", "output"] as const;
const isFixed = (name: string): name is (typeof FIXED)[number] => (FIXED as readonly string[]).includes(name);

/** A key with more parts is found by its exact name only. */
const MAX_PARTS = 32;

/**
 * The root that expressions and templates read from. A dotted key is a name and a path at once: `vars.pcp` is found as
 * `"vars.pcp"`, and as the member `pcp` of `vars`, where it wins over a nested value of the same path. `foo` and
 * `vars.foo` stand in for each other when only one of them exists.
 *
 * Nothing is looked at before it is asked for (a scope takes 0.1 µs, the first `vars` of 35 globals 7 µs), and what was
 * asked for is kept: after the state has changed, make a new one.
 */
export class Scope {
  readonly #parts: ScopeParts;
  readonly #globals: Members;
  readonly #found = new Map<string, unknown>();
  #keysByFirstPart: Map<string, string[]> | undefined;

  constructor(parts: ScopeParts) {
    this.#parts = parts;
    this.#globals = parts.globals ?? {};
  }

  /** A root name (`inputs`, `vars`, `foo`) or a global's exact key; `undefined` when nothing has it. */
  get(name: string): unknown {
    if (this.#found.has(name)) return this.#found.get(name);
    const value = name.includes(".") ? this.#exact(name) : this.#root(name);
    this.#found.set(name, value);
    return value;
  }

  /** The root as one object, for an expression that asks for `@`. */
  all(): Members {
    const root = emptyRecord();
    for (const name of [...FIXED, "vars", "session", ...this.#keys().keys()]) {
      const value = this.get(name);
      if (value !== undefined) root[name] = value;
    }
    return root;
  }

  /** For templates: `{{ inputs.email }}`, `{{ pcp }}`, `{{ vars.pcp }}`. */
  readonly lookup: Lookup = (path) => {
    const exact = this.get(path);
    if (exact !== undefined || !path.includes(".")) return exact;
    const [first, ...rest] = path.split(".");
    return rest.length < MAX_PARTS ? rest.reduce(own, this.get(first!)) : undefined;
  };

  #exact(key: string): unknown {
    return isFixed(firstPart(key)) ? undefined : own(this.#globals, key);
  }

  #root(name: string): unknown {
    if (isFixed(name)) return this.#parts[name];
    if (name === "vars") return this.#vars();
    if (name === "session") return this.#parts.session ?? own(this.get("vars"), "session");
    return this.#global(name) ?? own(this.get("vars"), name);
  }

  #global(name: string): unknown {
    const value = own(this.#globals, name);
    const deeper = this.#keysBelow(name);
    if (deeper.length === 0 || (value !== undefined && !isRecord(value))) return value;
    return this.#withGlobals(Object.assign(emptyRecord(), value), deeper);
  }

  #vars(): Members {
    const members = emptyRecord();
    for (const name of this.#keys().keys()) {
      if (name !== "vars" && !isFixed(name)) members[name] = this.#global(name);
    }
    if (this.#parts.session !== undefined) members.session = this.#parts.session;
    for (const given of [own(this.#globals, "vars"), this.#parts.vars]) {
      if (isRecord(given)) Object.assign(members, given);
    }
    return this.#withGlobals(members, this.#keysBelow("vars"));
  }

  /** Lays the globals under these dotted keys over `root`, short ones first; what they change further down is copied. */
  #withGlobals(root: Record<string, unknown>, keys: string[]): Members {
    const copies = new Set<unknown>();
    /** A plain value has no members; the longer key stays reachable by its exact name. */
    const descend = (from: Record<string, unknown> | undefined, part: string) => {
      const next = from?.[part] ?? {};
      if (!from || !isRecord(next)) return undefined;
      if (copies.has(next)) return next as Record<string, unknown>;
      const copy = Object.assign(emptyRecord(), next);
      copies.add(copy);
      from[part] = copy;
      return copy;
    };
    const deep: string[][] = [];
    for (const key of keys) {
      const path = key.split(".");
      if (path.length === 2) root[path[1]!] = this.#globals[key];
      else if (path.length <= MAX_PARTS) deep.push(path);
    }
    for (const path of deep.toSorted((a, b) => a.length - b.length)) {
      const parent = path.slice(1, -1).reduce(descend, root);
      if (parent) parent[path.at(-1)!] = this.#globals[path.join(".")];
    }
    return root;
  }

  #keysBelow(name: string): string[] {
    return (
      this.#keys()
        .get(name)
        ?.filter((key) => key !== name) ?? []
    );
  }

  /** The globals' keys by their first part. */
  #keys(): Map<string, string[]> {
    this.#keysByFirstPart ??= Map.groupBy(Object.keys(this.#globals), firstPart);
    return this.#keysByFirstPart;
  }
}

const firstPart = (key: string): string => {
  const dot = key.indexOf(".");
  return dot < 0 ? key : key.slice(0, dot);
};
