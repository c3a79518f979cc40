/** What was asked of `./parley publish`. */
export type PublishWanted = {
  agent: string;
  note: string;
  /** Why it is published without its tests; null: they have to pass. */
  reason: string | null;
  /** Shows what would be published, runs no test and publishes nothing. */
  is_plan: boolean;
  take_live: boolean;
  json: boolean;
};

export const PUBLISH_VALUES = ["--note", "--reason"];
export const PUBLISH_FLAGS = ["--plan", "--not-live", "--json"];

/** What was asked for, or why it can't be; pure. */
export function readPublishArguments(args: readonly string[]): PublishWanted | string {
  const values = new Map<string, string>();
  const given = new Set<string>();
  const names: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (!arg.startsWith("--")) names.push(arg);
    else if (PUBLISH_FLAGS.includes(arg)) given.add(arg);
    else if (!PUBLISH_VALUES.includes(arg)) return `"publish" knows no ${arg}.`;
    else {
      const value = args[++at]?.trim();
      if (!value || value.startsWith("--")) return `${arg} needs a value.`;
      values.set(arg, value);
    }
  }
  const [agent, another] = names;
  if (another !== undefined) return `"publish" can't use "${another}". Write names with spaces in quotes.`;
  if (agent === undefined) return 'Name an agent: ./parley publish "Demo clinic" --note "New hours"';
  const is_plan = given.has("--plan");
  if (is_plan && (values.size > 0 || given.has("--not-live")))
    return "--plan publishes nothing. Leave out --note, --reason and --not-live.";
  return {
    agent,
    note: values.get("--note") ?? "",
    reason: values.get("--reason") ?? null,
    is_plan,
    take_live: !given.has("--not-live"),
    json: given.has("--json"),
  };
}
