import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterFile } from "../../harness/after-file.ts";

type Told = { isError: boolean; text: string };
export type McpClient = Awaited<ReturnType<typeof connect>>;

/** An official client of the protocol, over real HTTP. */
export async function connect(
  baseUrl: string,
  token: string,
  era: "2026-07-28" | "2025-11-25" = "2026-07-28",
) {
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: era === "2025-11-25" ? { mode: "legacy" } : { mode: { pin: era } } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/mcp", baseUrl), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    }),
  );
  afterFile(() => client.close());
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name: string, given: Record<string, unknown> = {}): Promise<Told> {
      const { content, isError = false } = await client.callTool({ name, arguments: given });
      return { isError, text: content.map((part) => ("text" in part ? part.text : "")).join("") };
    },
  };
}
