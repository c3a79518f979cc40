/** A model's name for a tool is no longer than this; nor is anything else that facets are made of. */
const MOST_FACET_CHARACTERS = 200;

/** One thing that a session is found by, as `tool:find_slot`. */
export const facet = (kind: string, value: string | number): string =>
  `${kind}:${String(value).slice(0, MOST_FACET_CHARACTERS)}`;

/** What is known of a session beside its words. */
type Known = {
  sub_organization_id: number;
  channel: string;
  agent_id: number;
  agent_version: number | null;
  prompt_version_number: number;
  campaign_id: number | null;
  end_reason: string | null;
  is_error: boolean;
  calls: readonly { tool_name: string; has_failed: boolean }[];
  events: readonly { category: string | null; type: string | null }[];
  /** The text search configurations that its words are read by. */
  configurations: readonly string[];
};

/** All that a session is found by, each once. Pure. */
export function facetsOf(session: Known): string[] {
  const { agent_id, agent_version, campaign_id, end_reason, calls, events } = session;
  const facets = [
    facet("org", session.sub_organization_id),
    facet("channel", session.channel),
    facet("agent", agent_id),
    facet("prompt", session.prompt_version_number),
    ...session.configurations.map((name) => facet("words", name)),
    ...events.flatMap(({ category, type }) => [
      facet("events", category ?? "other"),
      facet("event", type ?? "other"),
    ]),
    ...calls.flatMap(({ tool_name, has_failed }) => [
      facet("tool", tool_name),
      ...(has_failed ? [facet("failed", tool_name), "failed:*"] : []),
    ]),
  ];
  if (campaign_id !== null) facets.push(facet("campaign", campaign_id));
  if (agent_version !== null)
    facets.push(facet("version", agent_version), facet("version", `${agent_id}.${agent_version}`));
  if (end_reason !== null) facets.push(facet("end", end_reason));
  if (session.is_error) facets.push("error:any");
  return [...new Set(facets)];
}
