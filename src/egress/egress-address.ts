import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Which addresses an outside call may reach. Pure: `judgeAddress` sees one resolved address at a time and knows
 * nothing of sockets. Whatever is not plainly public is denied, unless `EGRESS_ALLOW` names it.
 */
export type EgressRules = { hosts: readonly HostRule[]; networks: readonly NetworkRule[] };

/** `subdomains`: every name below `name`, but not `name` itself. `port` null: any port. */
export type HostRule = { name: string; subdomains: boolean; port: number | null };
export type NetworkRule = { network: Address; bits: number; port: number | null };

type AddressVerdict =
  | { kind: "public" }
  /** Named by `EGRESS_ALLOW`, whether it is public or not. */
  | { kind: "allowed" }
  /** `why` continues the sentence "an address of tools.example …", which doesn't tell a name's address. */
  | { kind: "denied"; why: string };

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Nothing a TCP call could want, and 0.0.0.0 is this machine under another name: no rule opens these. */
const NEVER: ReadonlySet<string> = new Set(["unspecified", "multicast", "broadcast"]);

/**
 * Where clouds hand credentials to whoever asks, some of them among public or shared addresses. A rule for a host or
 * for a whole network doesn't open them: a name's owner could point it here, and nobody who writes 169.254.0.0/16
 * means this.
 */
const METADATA: ReadonlySet<string> = new Set(
  [
    "169.254.169.254", // AWS, GCP, Azure, DigitalOcean, Oracle, OpenStack
    "169.254.170.2", // AWS ECS
    "169.254.170.23", // AWS EKS
    "100.100.100.200", // Alibaba
    "168.63.129.16", // Azure's host agent
    "192.0.0.192", // Oracle
    "fd00:ec2::254", // AWS
    "fd00:ec2::23", // AWS EKS
    "fd20:ce::254", // GCP
  ].map((text) => bytesOf(ipaddr.parse(text))),
);

/** IPv6 forms that a translator, a tunnel or the kernel turns into IPv4; `at` is the byte where that address starts. */
const CARRIERS: readonly { network: ipaddr.IPv6; bits: number; at: number }[] = (
  [
    ["::", 96, 12], // IPv4-compatible (RFC 4291, deprecated)
    ["::ffff:0:0", 96, 12], // IPv4-mapped
    ["::ffff:0:0:0", 96, 12], // SIIT (RFC 6145)
    ["64:ff9b::", 96, 12], // NAT64 (RFC 6052)
    // A network's own NAT64 (RFC 8215), nearly always laid out as a /96. Under another layout the last bytes are
    // zero, which is denied.
    ["64:ff9b:1::", 48, 12],
    ["2002::", 16, 2], // 6to4
  ] as const
).map(([text, bits, at]) => ({ network: ipaddr.IPv6.parse(text), bits, at }));

const GLOBAL_UNICAST = ipaddr.IPv6.parse("2000::");

/** How a denied range reads; every other special range of the registries "is reserved". */
const WORDS: Readonly<Record<string, string>> = {
  private: "is private",
  uniqueLocal: "is private",
  loopback: "is loopback",
  linkLocal: "is link-local",
  carrierGradeNat: "is in the range of carrier-grade NAT",
  unspecified: "is unspecified",
  multicast: "is multicast",
  broadcast: "is broadcast",
};

/** `host` is the name (or literal) the address was resolved from. */
export function judgeAddress(text: string, host: string, port: number, rules: EgressRules): AddressVerdict {
  // Stricter than ipaddr.js, which also reads octal and hexadecimal: only what a socket takes as it stands.
  if (isIP(text) === 0) return { kind: "denied", why: "is not an IP address" };
  return judge(ipaddr.parse(text), hostIsAllowed(host, port, rules), port, rules);
}

/** Whether `EGRESS_ALLOW` names a URL's host, by name or address, without looking anything up. */
export function isNamed({ hostname, port, protocol }: URL, rules: EgressRules): boolean {
  const at = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
  const host = hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0
    ? hostIsAllowed(host, at, rules)
    : judgeAddress(host, host, at, rules).kind === "allowed";
}

function judge(address: Address, hostAllowed: boolean, port: number, rules: EgressRules): AddressVerdict {
  const named = rules.networks.filter((rule) => covers(rule, address, port));
  if (METADATA.has(bytesOf(address))) {
    if (named.some((rule) => rule.bits === address.toByteArray().length * 8)) return { kind: "allowed" };
    return {
      kind: "denied",
      why: "is a cloud's metadata service; EGRESS_ALLOW opens it only by that very address",
    };
  }

  const range = rangeOf(address);
  if (NEVER.has(range)) return { kind: "denied", why: `${wordsFor(range)}, which is never called` };

  const carried = range === "loopback" ? undefined : carriedIPv4(address);
  if (carried) {
    // On an IPv6-only network every IPv4 host appears behind NAT64: naming 64:ff9b::/96 opens the public ones alone.
    if (named.length > 0) return judge(carried, hostAllowed, port, rules);
    return {
      kind: "denied",
      why: `wraps the IPv4 address ${carried}; write that address, or allow the network with EGRESS_ALLOW`,
    };
  }

  if (hostAllowed || named.length > 0) return { kind: "allowed" };
  if (range === "unicast") return { kind: "public" };
  return { kind: "denied", why: `${wordsFor(range)}; allow it with EGRESS_ALLOW` };
}

function hostIsAllowed(host: string, port: number, rules: EgressRules): boolean {
  return rules.hosts.some(
    (rule) =>
      (rule.port === null || rule.port === port) &&
      (rule.subdomains ? host.endsWith(`.${rule.name}`) : host === rule.name),
  );
}

function covers(rule: NetworkRule, address: Address, port: number): boolean {
  return (
    (rule.port === null || rule.port === port) &&
    rule.network.kind() === address.kind() &&
    address.match(rule.network, rule.bits)
  );
}

/** Of IPv6 only 2000::/3 is given out to the public internet; all beyond it is reserved even where no RFC names it. */
function rangeOf(address: Address): string {
  const range = address.range();
  if (range !== "unicast" || address.kind() === "ipv4") return range;
  return address.match(GLOBAL_UNICAST, 3) ? "unicast" : "reserved";
}

function carriedIPv4(address: Address): ipaddr.IPv4 | undefined {
  if (address.kind() === "ipv4") return undefined;
  const carrier = CARRIERS.find(({ network, bits }) => address.match(network, bits));
  return carrier && new ipaddr.IPv4(address.toByteArray().slice(carrier.at, carrier.at + 4));
}

const wordsFor = (range: string): string => WORDS[range] ?? "is reserved";

/** An address apart from its spelling and its IPv6 zone. */
function bytesOf(address: Address): string {
  return address.toByteArray().join(".");
}
