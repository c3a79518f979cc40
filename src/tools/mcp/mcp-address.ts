import { invalid } from "../../base/errors.ts";
import { allowedHostOf, isFixedAddress } from "../allowed-hosts.ts";

export function readMcpUrl(given: string | null): string | null {
  if (given === null || given.trim() === "") return null;
  if (!isFixedAddress(given.trim()))
    throw invalid(
      ["body", "mcp_url"],
      "Give the address of an MCP server, without a user or variables: https://mcp.example.com/mcp",
    );
  const url = new URL(given.trim());
  url.hash = "";
  return url.href;
}

/** The hosts that the credentials may be sent to, the server's among them; settled by it where nothing else was. */
export function hostForMcp(mcp_url: string, hosts: string[] | null): string[] {
  const host = allowedHostOf(mcp_url) as string;
  if (hosts === null) return [host];
  if (hosts.includes(host)) return hosts;
  throw invalid(
    ["body", "mcp_url"],
    `The credentials may not be sent to ${host}. Add it to allowed_hosts, together with the secret.`,
  );
}
