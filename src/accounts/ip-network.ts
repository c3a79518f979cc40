import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** A network written as `192.0.2.0/24` or `2001:db8::/32`; one address alone is a network of one. */
type IpNetwork = { ok: true; network: string } | { ok: false; problem: string };

const NO_NETWORK = "Input is not a valid IPv4 or IPv6 network";

/** The network in its one spelling, or why the text is none. */
export function parseIpNetwork(text: string): IpNetwork {
  const [address = "", prefix, ...rest] = text.trim().split("/");
  if (rest.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return no(NO_NETWORK);
  // Stricter than the library, which also reads 0x7f.1 and 127.1 as addresses.
  const version = isIP(address);
  if (version === 0 || address.includes("%")) return no(NO_NETWORK);

  const bits = prefix === undefined ? (version === 4 ? 32 : 128) : Number(prefix);
  if (bits > (version === 4 ? 32 : 128)) return no(NO_NETWORK);
  const parsed = ipaddr.parse(address);
  const cidr = `${parsed.toString()}/${bits}`;
  const first =
    version === 4 ? ipaddr.IPv4.networkAddressFromCIDR(cidr) : ipaddr.IPv6.networkAddressFromCIDR(cidr);
  if (first.toString() !== parsed.toString()) {
    return no(`${text.trim()} has host bits set; the network is ${first.toString()}/${bits}`);
  }
  return { ok: true, network: cidr };
}

const no = (problem: string): IpNetwork => ({ ok: false, problem });
