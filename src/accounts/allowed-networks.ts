import ipaddr from "ipaddr.js";
import { z } from "zod";
import { Fault } from "../base/errors.ts";
import { parseIpNetwork } from "./ip-network.ts";

const MOST_NETWORKS = 100;

/** IPv4 or IPv6 networks in CIDR notation; one address alone is a network of one. */
export const networkList = () =>
  z
    .array(
      z
        .string()
        .max(100)
        .transform((text, context) => {
          const parsed = parseIpNetwork(text);
          if (parsed.ok) return parsed.network;
          context.addIssue({ code: "custom", message: parsed.problem, params: { type: "ip_any_network" } });
          return z.NEVER;
        }),
    )
    .max(MOST_NETWORKS);

/** Whether the address lies in one of the networks. An address that can't be read lies in none. */
export function isWithin(address: string | null, networks: readonly string[]): boolean {
  if (address === null || !ipaddr.isValid(address)) return false;
  // An IPv4 address that came by IPv6 is itself.
  const parsed = ipaddr.process(address);
  return networks.some((network) => {
    const [first, bits] = ipaddr.parseCIDR(network);
    return parsed.kind() === first.kind() && parsed.match(first, bits);
  });
}

/** Null or empty: from everywhere. `whose` begins the sentence. */
export function requireWithin(address: string, networks: readonly string[] | null, whose: string): void {
  if (!networks || networks.length === 0 || isWithin(address, networks)) return;
  throw new Fault("forbidden", `${whose} can't be used from the address ${address}.`);
}
