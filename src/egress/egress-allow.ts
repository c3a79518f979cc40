import { isIP, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import type { EgressRules, HostRule, NetworkRule } from "./egress-address.ts";
import { canonicalHost } from "./egress-target.ts";

type ParsedEgressAllow = { ok: true; rules: EgressRules } | { ok: false; errors: string[] };

type Entry =
  | { kind: "host"; rule: HostRule }
  | { kind: "network"; rule: NetworkRule }
  | { kind: "bad"; why: string };

/**
 * Reads `EGRESS_ALLOW`: what may be reached although it is private, separated by commas or white space.
 *
 *     tools.internal  tools.internal:8080  *.corp.example  10.1.0.0/16  fd12::/16  10.0.0.5:9000  [fd12::5]:9000
 *
 * Every bad entry is reported, each in a sentence that names it.
 */
export function parseEgressAllow(text: string): ParsedEgressAllow {
  const hosts: HostRule[] = [];
  const networks: NetworkRule[] = [];
  const errors: string[] = [];
  for (const written of text.split(/[\s,]+/).filter(Boolean)) {
    const entry = parseEntry(written);
    if (entry.kind === "host") hosts.push(entry.rule);
    else if (entry.kind === "network") networks.push(entry.rule);
    else errors.push(`EGRESS_ALLOW: "${written}" ${entry.why}`);
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, rules: { hosts, networks } };
}

const bad = (why: string): Entry => ({ kind: "bad", why });

function parseEntry(written: string): Entry {
  if (written.includes("://")) return bad("is a URL; write the host alone");
  if (written.includes("%")) return bad("has an escape or an IPv6 zone, which nothing is compared with");
  if (written.includes("/")) return parseNetwork(written);

  const { host, port: portText } = splitPort(written);
  const port = portText === undefined ? null : /^\d{1,5}$/.test(portText) ? Number(portText) : 0;
  if (port !== null && (port < 1 || port > 65_535)) return bad("has no valid port (1 to 65535)");

  if (isIP(host) !== 0) {
    const network = ipaddr.parse(host);
    return { kind: "network", rule: { network, bits: isIPv6(host) ? 128 : 32, port } };
  }
  if (host === "*") return bad("would allow every host; name the hosts or networks");

  const subdomains = host.startsWith("*.");
  const name = canonicalName(subdomains ? host.slice(2) : host);
  if (name === undefined) return bad("is not a host name, an address or a network");
  if (isIP(name) !== 0) return bad(`is an odd spelling of an address; write ${name}`);
  return { kind: "host", rule: { name, subdomains, port } };
}

function parseNetwork(written: string): Entry {
  const [base = "", bitsText = "", ...rest] = written.split("/");
  const family = isIP(base);
  const bits = Number(bitsText);
  if (family === 0 || rest.length > 0 || !/^\d{1,3}$/.test(bitsText) || bits > (family === 4 ? 32 : 128)) {
    return bad("is not a network; write it as 10.0.0.0/8 or fd00::/8");
  }
  // A network with bits set beyond its prefix is mostly a slip of the prefix, and this list opens doors.
  const first =
    family === 4 ? ipaddr.IPv4.networkAddressFromCIDR(written) : ipaddr.IPv6.networkAddressFromCIDR(written);
  const network = ipaddr.parse(base);
  if (first.toNormalizedString() !== network.toNormalizedString()) {
    return bad(`has bits set beyond its prefix; did you mean ${first}/${bits}, or ${base} alone?`);
  }
  return { kind: "network", rule: { network, bits, port: null } };
}

/** `host:port`, `[v6]:port`, `[v6]`, or a bare IPv6 address, whose colons are no ports. */
function splitPort(written: string): { host: string; port: string | undefined } {
  if (isIPv6(written)) return { host: written, port: undefined };
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(written);
  if (bracketed) return { host: bracketed[1] ?? "", port: bracketed[2] };
  const colon = written.indexOf(":");
  return colon < 0
    ? { host: written, port: undefined }
    : { host: written.slice(0, colon), port: written.slice(colon + 1) };
}

/** As the URL of a call will spell it: lower case, punycode, no trailing dot. */
function canonicalName(text: string): string | undefined {
  if (!/^[^\s/\\?#@:*]+$/.test(text)) return undefined;
  const url = URL.parse(`http://${text}/`);
  return url ? canonicalHost(url.hostname) : undefined;
}
