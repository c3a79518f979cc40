import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import type { Tx } from "../db/database.ts";
import { sourcesOfAgent, sourcesOfTool } from "../tools/issues/source-issues.ts";
import { agentJson } from "./agent-record.ts";
import { publishedVersions } from "./published-with.ts";
import { type Snapshot, toolsIn } from "./snapshot.ts";

/** The tools, agents and published versions that name one of these data sources or labels. */
export async function sourceHolders(
  tx: Tx,
  { sub_organization_id }: Caller,
  entries: readonly string[],
): Promise<{ kind: string; name: string }[]> {
  if (entries.length === 0) return [];
  const isNamed = (entry: string) => entries.includes(entry);
  // SQL finds the few that contain the name; whether it stands where a source is named is checked below.
  const holds = (column: string) =>
    sql<boolean>`exists (select from unnest(${entries.map((entry) => JSON.stringify(entry))}::text[]) as given (entry)
      where strpos(${sql.ref(column)}::text, entry) > 0)`;
  const tools = await tx
    .selectFrom("tools as t")
    .where("t.sub_organization_id", "=", sub_organization_id)
    .where("t.deleted_at", "is", null)
    .where(holds("t.definition"))
    .select(["t.name", "t.definition"])
    .$narrowType<{ definition: Parameters<typeof sourcesOfTool>[0] }>()
    .orderBy("t.name")
    .execute();
  const agents = await tx
    .selectFrom("agents as a")
    .where("a.sub_organization_id", "=", sub_organization_id)
    .where("a.deleted_at", "is", null)
    .where(holds("a.prompt_tool_defaults"))
    .select(agentJson("a.id").as("record"))
    .orderBy("a.name")
    .execute();
  const versions = await publishedVersions(tx)
    .where("a.sub_organization_id", "=", sub_organization_id)
    .where(holds("v.snapshot"))
    .select(["a.name", "v.version_number", "v.snapshot"])
    .$narrowType<{ snapshot: Snapshot }>()
    .execute();
  return [
    ...tools
      .filter(({ definition }) => sourcesOfTool(definition).some(isNamed))
      .map(({ name }) => ({ kind: "tool", name })),
    ...agents
      .map(({ record }) => record)
      .filter(({ prompt_tool_defaults, tools }) =>
        sourcesOfAgent({ prompt_tool_defaults, tools: tools ?? [] }).some(isNamed),
      )
      .map(({ name }) => ({ kind: "agent", name })),
    ...versions
      .filter(({ snapshot: { agent, tools, session_end_tool } }) => {
        const called = toolsIn({ tools, session_end_tool });
        return [
          ...sourcesOfAgent({ prompt_tool_defaults: agent.prompt_tool_defaults, tools: called }),
          ...called.flatMap(({ definition }) => sourcesOfTool(definition)),
        ].some(isNamed);
      })
      .map(({ name, version_number }) => ({ kind: `version ${version_number} of agent`, name })),
  ];
}
