import { emptyRecord, isRecord, type Members, own } from "./member.ts";
import type { Lookup } from "./template.ts";

/** What an expression or a template can name. */
type ScopeParts = {
  /** What was given in the current submission. */
  inputs?: Members | undefined;
  /** State of one workflow. */
  local?: Members | undefined;
  output?: unknown;
  vars?: Members | undefined;
  session?: Members | undefined;
  /** The conversation's variables under their full keys: `foo`, `vars.pcp`, `vars.session.date`. Later layers win. */
  globals?: Members | readonly Layer[] | undefined;
};

/** Variables that change no more, and what was found out about their keys: worth keeping where many scopes read them. */
export class Layer {
  readonly members: Members;
  #keys: string[] | undefined;
  #paths: string[] | undefined;

  constructor(members: Members) {
    this.members = members;
  }

  get keys(): string[] {
    this.#keys ??= Object.keys(this.members);
    return this.#keys;
  }

  /** The keys that lead into a value: `contact.email`, `vars.session.date`, but not `vars.pcp`. */
  get paths(): string[] {
    this.#paths ??= this.keys.filter(
      (key) => key.lastIndexOf(".") > (key.startsWith(VARS) ? VARS.length - 1 : -1),
    );
    return this.#paths;
  }
}

const VARS = "vars.";

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
 * Nothing is looked at before it is asked for, and what was asked for is kept: after the state has changed, make a new
 * one. Of 500 globals one takes 1 µs, the first of a new layer 30; all of `vars`, or of the root, as one object 400.
 */
export class Scope {
  readonly #parts: ScopeParts;
  readonly #layers: readonly Layer[];
  readonly #found = new Map<string, unknown>();
  #whole: Members | undefined;

  constructor(parts: ScopeParts) {
    const { globals } = parts;
    this.#parts = parts;
    this.#layers = isLayers(globals) ? globals : globals ? [new Layer(globals)] : [];
  }

  /** A root name (`inputs`, `vars`, `foo`) or a global's exact key; `undefined` when nothing has it. */
  get(name: string): unknown {
    if (this.#found.has(name)) return this.#found.get(name);
    const value = name.includes(".") ? this.#exact(name) : this.#root(name);
    this.#found.set(name, value);
    return value;
  }

  /** A member of `vars`, without the others. */
  variable(name: string): unknown {
    const key = `${VARS}${name}`;
    if (name.includes(".") || this.#found.has("vars")) return own(this.get("vars"), name);
    const paths = this.#pathsBelow(key);
    if (paths.length === 0) return this.#plainVariable(key, name);
    const root = emptyRecord();
    const value = this.#plainVariable(key, name);
    if (value !== undefined) root[name] = value;
    return this.#withGlobals(root, paths)[name];
  }

  /** The root as one object, for an expression that asks for `@`. */
  all(): Members {
    this.#whole ??= this.#everything();
    return this.#whole;
  }

  #everything(): Members {
    const root = emptyRecord();
    for (const name of [...FIXED, "vars", "session", ...firstParts(this.#keys())]) {
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
    if (rest.length >= MAX_PARTS) return undefined;
    if (first === "vars") return rest.slice(1).reduce(own, this.variable(rest[0]!));
    return rest.reduce(own, this.get(first!));
  };

  #exact(key: string): unknown {
    return isFixed(firstPart(key)) ? undefined : this.#own(key);
  }

  #root(name: string): unknown {
    if (isFixed(name)) return this.#parts[name];
    if (name === "vars") return this.#vars();
    if (name === "session") return this.#parts.session ?? this.variable("session");
    return this.#global(name) ?? this.variable(name);
  }

  #global(name: string): unknown {
    const value = this.#own(name);
    const deeper = this.#pathsBelow(name);
    if (deeper.length === 0 || (value !== undefined && !isRecord(value))) return value;
    return this.#withGlobals(Object.assign(emptyRecord(), value), deeper);
  }

  /** What `vars` has under a name before longer keys are laid over it, in the order of `#vars`. */
  #plainVariable(key: string, name: string): unknown {
    if (this.#has(key)) return this.#own(key);
    for (const given of [this.#parts.vars, this.#own("vars")]) {
      if (isRecord(given) && Object.hasOwn(given, name)) return given[name];
    }
    if (name === "session" && this.#parts.session !== undefined) return this.#parts.session;
    return name === "vars" || isFixed(name) ? undefined : this.#global(name);
  }

  #vars(): Members {
    const keys = this.#keys();
    const members = emptyRecord();
    for (const name of firstParts(keys)) {
      if (name !== "vars" && !isFixed(name)) members[name] = this.#global(name);
    }
    if (this.#parts.session !== undefined) members.session = this.#parts.session;
    for (const given of [this.#own("vars"), this.#parts.vars]) {
      if (isRecord(given)) Object.assign(members, given);
    }
    return this.#withGlobals(
      members,
      keys.filter((key) => key.startsWith(VARS)),
    );
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
      if (path.length === 2) root[path[1]!] = this.#own(key);
      else if (path.length <= MAX_PARTS) deep.push(path);
    }
    for (const path of deep.toSorted((a, b) => a.length - b.length)) {
      const parent = path.slice(1, -1).reduce(descend, root);
      if (parent) parent[path.at(-1)!] = this.#own(path.join("."));
    }
    return root;
  }

  #has(key: string): boolean {
    return this.#layers.some(({ members }) => Object.hasOwn(members, key));
  }

  #own(key: string): unknown {
    return this.#layers.findLast(({ members }) => Object.hasOwn(members, key))?.members[key];
  }

  #pathsBelow(name: string): string[] {
    const below = `${name}.`;
    const found = this.#layers.flatMap(({ paths }) => paths.filter((path) => path.startsWith(below)));
    return found.length > 1 ? [...new Set(found)] : found;
  }

  #keys(): string[] {
    const [first, ...others] = this.#layers;
    if (!first || others.length === 0) return first?.keys ?? [];
    return [...new Set(this.#layers.flatMap(({ keys }) => keys))];
  }
}

const isLayers = (globals: ScopeParts["globals"]): globals is readonly Layer[] => Array.isArray(globals);

const firstPart = (key: string): string => {
  const dot = key.indexOf(".");
  return dot < 0 ? key : key.slice(0, dot);
};

const firstParts = (keys: string[]): Set<string> => new Set(keys.map(firstPart));
