import type { Clock } from "../../base/clock.ts";
import { storableJson, storableText } from "../../base/storable.ts";
import { type Db, json } from "../../db/database.ts";
import { unlessAborted } from "../../egress/unless-aborted.ts";
import type { McpClient, McpPeer } from "./mcp-client.ts";
import { type McpSurroundings, type McpTool, offeredTool } from "./mcp-pin.ts";

/** What an MCP server offered when it was last asked. */
export type McpListing = {
  revision: string | null;
  server_name: string | null;
  server_version: string | null;
  /** Null while it was never read. */
  tools: McpTool[] | null;
  read_at: string | null;
  /** Why the last question had no answer. */
  problem: string | null;
};

/** A list that is older is read again before a call, so that a changed schema is noticed. */
const FRESH_MS = 5 * 60_000;
/** How long a failed question keeps the next one from being asked. */
const PROBLEM_MS = 15_000;
/** All tools together, as they are stored. */
const MAX_STORED_CHARACTERS = 2 * 1024 * 1024;

export type McpListings = {
  /** Asks the server, whatever is stored. */
  read(peer: McpPeer): Promise<McpListing>;
  /** As it is stored where that is new enough, else as the server says now. A caller whose `signal` is raised waits no longer. */
  current(peer: McpPeer): Promise<McpListing>;
};

export function createMcpListings(parts: { db: Db; clock: Clock; client: McpClient }): McpListings {
  const { db, clock, client } = parts;
  const underWay = new Map<string, Promise<McpListing>>();

  const ask = async (peer: McpPeer): Promise<McpListing> => {
    const listed = await client.listTools(peer);
    const asked_at = clock.now().toISOString();
    const { service_id, url } = peer;
    const tools = listed.ok ? storableJson(toolsOf(listed.tools)) : null;
    const isTooLong = tools !== null && JSON.stringify(tools).length > MAX_STORED_CHARACTERS;
    const problem = !listed.ok
      ? storableText(listed.problem)
      : isTooLong
        ? "The MCP server's list of tools is longer than 2 MiB."
        : null;
    const found =
      listed.ok && problem === null
        ? {
            url,
            revision: listed.server.revision,
            server_name: listed.server.name && storableText(listed.server.name),
            server_version: listed.server.version && storableText(listed.server.version),
            tools: json(tools),
            read_at: asked_at,
          }
        : { url };
    // What another address offered goes with that address.
    await db
      .deleteFrom("mcp_listings")
      .where("service_id", "=", service_id)
      .where("url", "<>", url)
      .execute();
    await db
      .insertInto("mcp_listings")
      .values({ service_id, asked_at, problem, ...found })
      .onConflict((conflict) => conflict.column("service_id").doUpdateSet({ asked_at, problem, ...found }))
      .execute();
    return (await storedListing(db, service_id, url)) as McpListing;
  };

  /** Others may wait for the same answer, and all read what is stored of it: no caller's signal ends the question. */
  const read = ({ signal: _, ...peer }: McpPeer): Promise<McpListing> => {
    const key = `${peer.service_id} ${peer.url}`;
    const asking = underWay.get(key) ?? ask(peer).finally(() => underWay.delete(key));
    underWay.set(key, asking);
    return asking;
  };

  return {
    read,
    async current(peer) {
      const stored = await storedListing(db, peer.service_id, peer.url);
      const age_ms = (at: string | null) => clock.now().getTime() - (at === null ? 0 : Date.parse(at));
      if (stored && stored.problem === null && age_ms(stored.read_at) < FRESH_MS) return stored;
      if (stored && stored.problem !== null && age_ms(stored.asked_at) < PROBLEM_MS) return stored;
      return unlessAborted(read(peer), peer.signal).catch((error) => {
        if (peer.signal?.aborted) return GIVEN_UP;
        throw error;
      });
    },
  };
}

const GIVEN_UP: McpListing = {
  revision: null,
  server_name: null,
  server_version: null,
  tools: null,
  read_at: null,
  problem: "The call was given up before the MCP server had listed its tools.",
};

const toolsOf = (listed: unknown[]): McpTool[] => {
  const found = new Map<string, McpTool>();
  for (const tool of listed.map(offeredTool)) if (tool && !found.has(tool.name)) found.set(tool.name, tool);
  return [...found.values()];
};

type StoredListing = McpListing & { asked_at: string };

/** Of the service's present address only: what another server offered says nothing of this one. */
export async function storedListing(db: Db, service_id: number, url: string): Promise<StoredListing | null> {
  const row = await db
    .selectFrom("mcp_listings")
    .select(["revision", "server_name", "server_version", "tools", "read_at", "problem", "asked_at"])
    .where("service_id", "=", service_id)
    .where("url", "=", url)
    .$castTo<StoredListing>()
    .executeTakeFirst();
  return row ?? null;
}

/** What the findings of tools are told against, by service. */
export async function mcpSurroundings(
  db: Db,
  service_ids: readonly number[],
): Promise<Map<number, McpSurroundings>> {
  if (service_ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("services as s")
    .leftJoin("mcp_listings as l", (join) =>
      join.onRef("l.service_id", "=", "s.id").onRef("l.url", "=", "s.mcp_url"),
    )
    .where("s.id", "in", [...service_ids])
    .select(["s.id", "s.mcp_url", "l.tools"])
    .$castTo<{ id: number; mcp_url: string | null; tools: McpTool[] | null }>()
    .execute();
  return new Map(
    rows.map(({ id, mcp_url, tools }) => [
      id,
      { url: mcp_url, tools: tools ? new Map(tools.map((tool) => [tool.name, tool])) : null },
    ]),
  );
}
