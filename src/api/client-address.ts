import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";

/** What limits count by: an IPv4 address, or the /64 of an IPv6 address, which is the least that anybody is given. */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}

/**
 * Whom a limit counts. Where a proxy stands in front that TRUST_PROXY does not declare, everybody has its address: the last
 * entry of X-Forwarded-For, which the nearest proxy wrote, then tells them apart. It is believed from private addresses
 * only, where a proxy may stand, and `shared` says that whoever is there might also have made it up.
 */
export function limitedBy(request: FastifyRequest): { group: string; shared: string | null } {
  const own = addressGroup(request.ip);
  const header = request.headers["x-forwarded-for"];
  const last =
    String(header ?? "")
      .split(",")
      .at(-1)
      ?.trim() ?? "";
  if (request.ips !== undefined && request.ips.length > 1) return { group: own, shared: null };
  if (!ipaddr.isValid(last) || !isPrivate(request.ip)) return { group: own, shared: null };
  return { group: `${own} for ${addressGroup(last)}`, shared: own };
}

const PRIVATE: string[] = ["loopback", "private", "uniqueLocal", "linkLocal", "carrierGradeNat"];

const isPrivate = (address: string): boolean =>
  ipaddr.isValid(address) && PRIVATE.includes(ipaddr.process(address).range());
