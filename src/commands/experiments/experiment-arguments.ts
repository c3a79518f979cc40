import type { Guard } from "../../experiments/experiment.ts";

/** What was asked of `./parley experiments`. */
export type ExperimentsWanted = { json: boolean } & (
  | { verb: "list"; agent: string | null }
  | { verb: "start"; draft: number }
  | {
      verb: "start";
      agent: string;
      name: string;
      weights: VersionShare[];
      /** Later steps of the ramp, in percent. */
      ramp: number[];
      /** Between two steps; null: each waits for `ramp`. */
      after_minutes: number | null;
      target: number | null;
      campaign: number | null;
      /** As the API takes it; undefined: its own default. */
      success: Record<string, unknown> | undefined;
      guards: Guard[] | undefined;
      slow_ms: number | undefined;
    }
  | { verb: "show"; id: number; stage: number | null }
  | { verb: "ramp"; id: number; percent: number | null }
  | { verb: "adopt"; id: number; version: number | null }
  | { verb: "stop"; id: number; reason: string }
);
type VersionShare = { version_number: number; weight: number };

export const EXPERIMENT_FLAGS = [
  ...[
    "--name",
    "--split",
    "--ramp",
    "--after",
    "--target",
    "--campaign",
    "--success",
    "--guards",
    "--slow",
    "--draft",
    "--version",
    "--stage",
    "--to",
    "--reason",
  ],
];

/** The flags of each verb, and what stands without a flag. */
const VERBS: Record<ExperimentsWanted["verb"], { flags: string[]; usage: string }> = {
  list: { flags: [], usage: 'list ["Demo clinic"]' },
  start: {
    flags: [
      ...["--name", "--split", "--ramp", "--after", "--target", "--campaign", "--draft"],
      ...["--success", "--guards", "--slow"],
    ],
    usage: 'start "Demo clinic" --split 1=95,2=5 [--ramp 25,100] [--after 24h]',
  },
  show: { flags: ["--stage"], usage: "show 7" },
  ramp: { flags: ["--to"], usage: "ramp 7 [--to 25]" },
  adopt: { flags: ["--version"], usage: "adopt 7 [--version 2]" },
  stop: { flags: ["--reason"], usage: 'stop 7 --reason "Enough"' },
};

/** What was asked for, or why it can't be; pure. */
export function readExperimentArguments(args: readonly string[]): ExperimentsWanted | string {
  const [verb, ...rest] = args;
  if (verb === undefined || !isVerb(verb))
    return `Say what to do: ${Object.keys(VERBS).join(", ")}. For example: ./parley experiments list`;
  const values = new Map<string, string>();
  const names: string[] = [];
  let json = false;
  for (let at = 0; at < rest.length; at++) {
    const arg = rest[at] as string;
    if (arg === "--json") json = true;
    else if (!arg.startsWith("--")) names.push(arg);
    else if (!VERBS[verb].flags.includes(arg)) return `"experiments ${verb}" knows no ${arg}.`;
    else {
      const value = rest[++at];
      if (value === undefined || value.startsWith("--")) return `${arg} needs a value.`;
      values.set(arg, value);
    }
  }
  if (names.length > 1)
    return `"experiments ${verb}" can't use "${names[1]}". Write names with spaces in quotes.`;
  const wanted = read(verb, names[0], (flag) => values.get(flag));
  return typeof wanted === "string" ? wanted : ({ ...wanted, json } as ExperimentsWanted);
}

const isVerb = (text: string): text is ExperimentsWanted["verb"] => Object.hasOwn(VERBS, text);

/** Without `json`, which every verb has. */
type Read<T> = T extends unknown ? Omit<T, "json"> : never;

function read(
  verb: ExperimentsWanted["verb"],
  name: string | undefined,
  value: (flag: string) => string | undefined,
): Read<ExperimentsWanted> | string {
  if (verb === "list") return { verb, agent: name ?? null };
  if (verb === "start") return readStart(name, value);
  const id = numberIn(name);
  if (id === null) return `Give the number of an experiment: ./parley experiments ${VERBS[verb].usage}`;
  if (verb === "stop") {
    const reason = value("--reason")?.trim();
    return reason ? { verb, id, reason } : 'Say why: --reason "Too many complaints"';
  }
  if (verb === "adopt") {
    const version = numberIn(value("--version"));
    if (value("--version") !== undefined && version === null) return "--version takes a number.";
    return { verb, id, version };
  }
  if (verb === "show") {
    const stage = numberIn(value("--stage"));
    if (value("--stage") !== undefined && stage === null) return "--stage takes a number, from 1.";
    return { verb, id, stage };
  }
  const percent = numberIn(value("--to")?.replace(/%$/, ""));
  if (value("--to") !== undefined && (percent === null || percent > 100))
    return "--to takes a percentage, 1 to 100.";
  return { verb, id, percent };
}

function readStart(
  agent: string | undefined,
  value: (flag: string) => string | undefined,
): Read<ExperimentsWanted> | string {
  const [draft, split, target, campaign] = [
    value("--draft"),
    value("--split"),
    value("--target"),
    value("--campaign"),
  ];
  if (draft !== undefined) {
    const id = numberIn(draft);
    if (id === null || agent !== undefined)
      return "--draft takes the number of an experiment, and no agent beside it.";
    return { verb: "start", draft: id };
  }
  if (agent === undefined || split === undefined)
    return `Name an agent and the split: ./parley experiments ${VERBS.start.usage}`;
  const weights = split.split(",").map((part) => /^\s*(\d{1,9})\s*=\s*(\d{1,3})\s*%?\s*$/.exec(part));
  if (weights.some((found) => found === null))
    return "--split takes versions with their percentages, such as 1=95,2=5.";
  const ramp = (value("--ramp")?.split(",") ?? []).map((part) => numberIn(part.trim().replace(/%$/, "")));
  if (ramp.some((percent) => percent === null || percent > 100))
    return "--ramp takes percentages, such as 25,100.";
  const after_minutes = minutesIn(value("--after"));
  if (after_minutes === undefined) return "--after takes minutes, hours or days: 30m, 24h, 2d.";
  for (const [flag, given] of [
    ["--target", target],
    ["--campaign", campaign],
  ] as const)
    if (given !== undefined && numberIn(given) === null) return `${flag} takes a number.`;
  const success = successIn(value("--success"));
  if (typeof success === "string") return success;
  const guards = guardsIn(value("--guards"));
  if (typeof guards === "string") return guards;
  const slow = /^(\d{1,5}(?:\.\d{1,3})?)s$/.exec(value("--slow") ?? "0s");
  if (slow === null) return "--slow takes seconds: 4s.";
  return {
    success,
    guards,
    slow_ms: value("--slow") === undefined ? undefined : Number(slow[1]) * 1000,
    verb: "start",
    agent,
    name: value("--name") ?? `Split ${split}`,
    weights: weights.map((found) => ({ version_number: Number(found?.[1]), weight: Number(found?.[2]) })),
    ramp: ramp as number[],
    after_minutes,
    target: numberIn(target),
    campaign: numberIn(campaign),
  };
}

const SUCCESS_USAGE = "--success takes tool:book_appointment, end:agent,user or insight:rating=Good,OK.";

/** What a success is, as the API takes it; a sentence where it can't be read. */
function successIn(text: string | undefined): Record<string, unknown> | string | undefined {
  if (text === undefined) return undefined;
  const at = text.indexOf(":");
  const [kind, rest] = [text.slice(0, Math.max(0, at)), text.slice(at + 1).trim()];
  if (rest === "") return SUCCESS_USAGE;
  if (kind === "tool") return { tool: rest };
  if (kind === "end") return { end_reasons: listIn(rest) };
  const found = /^([^=]+)=(.+)$/.exec(rest);
  return kind === "insight" && found
    ? { insight_key: found[1]?.trim(), values: listIn(found[2] as string) }
    : SUCCESS_USAGE;
}

function guardsIn(text: string | undefined): Guard[] | string | undefined {
  if (text === undefined) return undefined;
  if (text === "none") return [];
  const guards = listIn(text);
  return guards.every((guard): guard is Guard => Object.hasOwn(GUARDS, guard))
    ? guards
    : `--guards takes none, or some of ${Object.keys(GUARDS).join(", ")}.`;
}

/** Named here, too: help is printed without loading the platform. */
const GUARDS: Record<Guard, true> = {
  errors: true,
  transfers: true,
  opt_outs: true,
  complaints: true,
  slow: true,
};

const listIn = (text: string): string[] =>
  text.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));

const numberIn = (text: string | undefined): number | null =>
  text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;

const MINUTES: Record<string, number> = { m: 1, h: 60, d: 1440 };
/** null: none given; undefined: not a duration. */
function minutesIn(text: string | undefined): number | null | undefined {
  if (text === undefined) return null;
  const found = /^([1-9]\d{0,5})([mhd])$/.exec(text);
  return found ? Number(found[1]) * (MINUTES[found[2] as string] as number) : undefined;
}
