/** How axios, PHP and Rails write a parameter that is repeated: `search_fields[]=name`, or with the number of each. */
const BRACKETS = /\[\d*\]$/;

/** The parameters under their names. Filters in brackets that were passed over would find everything, and nothing would say so. */
export function withoutBrackets(query: Record<string, unknown>): Record<string, unknown> {
  if (!Object.keys(query).some((key) => BRACKETS.test(key))) return query;
  const values = new Map<string, unknown[]>();
  for (const [key, value] of Object.entries(query)) {
    const name = key.replace(BRACKETS, "");
    const before = values.get(name) ?? [];
    before.push(...[value].flat());
    values.set(name, before);
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
}
