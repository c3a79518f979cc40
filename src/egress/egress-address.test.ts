import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { judgeAddress } from "./egress-address.ts";
import { targetOf } from "./egress-target.ts";

const NO_RULES = { hosts: [], networks: [] };
const verdictOf = (address: string) => judgeAddress(address, "tools.example", 443, NO_RULES);

/** The verdict on the address a URL spells, or the refusal of the URL itself. */
function verdictOnUrl(url: string): string {
  const target = targetOf(url, []);
  return target.kind === "host"
    ? judgeAddress(target.host, target.host, target.port, NO_RULES).kind
    : target.kind;
}

/** Written out from the IANA registries, apart from the library that the code decides with. */
const DENIED_IPV4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["255.255.255.255", 32],
] as const;

const DENIED_IPV6 = [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 32],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const;

const numberOf = (dotted: string): number =>
  dotted.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const dotted = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");

const deniedIPv4 = fc
  .constantFrom(...DENIED_IPV4)
  .chain(([base, bits]) =>
    fc.integer({ min: 0, max: 2 ** (32 - bits) - 1 }).map((rest) => numberOf(base) + rest),
  );

const full = (text: string): bigint => {
  const [head = "", tail = ""] = text.split("::");
  const parts = (side: string) => (side === "" ? [] : side.split(":"));
  const zeros = Array(8 - parts(head).length - parts(tail).length).fill("0");
  return [...parts(head), ...zeros, ...parts(tail)].reduce(
    (sum, part) => (sum << 16n) + BigInt(`0x${part}`),
    0n,
  );
};
const colons = (value: bigint): string =>
  Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16)).join(":");

const deniedIPv6 = fc
  .constantFrom(...DENIED_IPV6)
  .chain(([base, bits]) =>
    fc.bigInt({ min: 0n, max: (1n << BigInt(128 - bits)) - 1n }).map((rest) => colons(full(base) + rest)),
  );

/** All that a URL parser takes for an IPv4 address. */
const SPELLINGS: ((value: number) => string)[] = [
  dotted,
  (value) => String(value),
  (value) => `0x${value.toString(16)}`,
  (value) => `0X${value.toString(16).toUpperCase().padStart(12, "0")}`,
  (value) => `0${value.toString(8)}`,
  (value) =>
    dotted(value)
      .split(".")
      .map((part) => `0x${Number(part).toString(16)}`)
      .join("."),
  (value) =>
    dotted(value)
      .split(".")
      .map((part) => `0${Number(part).toString(8)}`)
      .join("."),
  (value) => `${value >>> 24}.${value & 0xffffff}`,
  (value) => `${value >>> 24}.${(value >>> 16) & 255}.${value & 0xffff}`,
  (value) => `${dotted(value)}.`,
  (value) => dotted(value).replaceAll(".", "。"),
  (value) => dotted(value).replaceAll(".", "．"),
  (value) => dotted(value).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (value) => dotted(value).replace(/\d/g, (digit) => String.fromCodePoint(0x1d7d8 + Number(digit))),
  (value) => dotted(value).replaceAll(".", "%2e"),
  (value) => `[::ffff:${dotted(value)}]`,
  (value) => `[::${dotted(value)}]`,
  (value) => `[::FFFF:${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}]`,
  (value) => `[64:ff9b::${dotted(value)}]`,
  (value) => `[2002:${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}::1]`,
];

describe("an address", () => {
  test("is reached when it is plainly public", () => {
    for (const address of [
      "1.1.1.1",
      "8.8.8.8",
      "93.184.216.34",
      "172.32.0.1",
      "2606:4700:4700::1111",
      "2a00:1450::1",
    ]) {
      expect(verdictOf(address).kind, address).toBe("public");
    }
  });

  test("inside a denied range is never reached, in any spelling", () => {
    fc.assert(
      fc.property(
        deniedIPv4,
        fc.constantFrom(...SPELLINGS),
        fc.constantFrom("http", "https"),
        (value, spell, scheme) => {
          expect(verdictOf(dotted(value)).kind).toBe("denied");
          expect(verdictOnUrl(`${scheme}://${spell(value)}/`)).toMatch(/denied|refused/);
        },
      ),
      { numRuns: rounds(20_000) },
    );
  });

  test("inside a denied range of IPv6 is never reached", () => {
    fc.assert(
      fc.property(deniedIPv6, (address) => {
        expect(verdictOf(address).kind).toBe("denied");
        expect(verdictOf(`${address}%eth0`).kind).toBe("denied");
        expect(verdictOnUrl(`http://[${address.toUpperCase()}]/`)).toBe("denied");
      }),
      { numRuns: rounds(10_000) },
    );
  });

  test("wrapped in IPv6 is not reached even when it is public", () => {
    for (const address of ["::ffff:8.8.8.8", "::8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]) {
      expect(verdictOf(address)).toEqual({
        kind: "denied",
        why: expect.stringContaining("wraps the IPv4 address 8.8.8.8"),
      });
    }
  });

  test("beyond 2000::/3 is not reached, assigned or not", () => {
    for (const address of ["4000::1", "8000::1", "200::1", "e000::1"]) {
      expect(verdictOf(address)).toEqual({ kind: "denied", why: expect.stringContaining("is reserved") });
    }
  });

  test.each([
    ["10.0.0.1", "is private; allow it with EGRESS_ALLOW"],
    ["fd00::1", "is private; allow it with EGRESS_ALLOW"],
    ["127.0.0.1", "is loopback; allow it with EGRESS_ALLOW"],
    ["169.254.1.1", "is link-local; allow it with EGRESS_ALLOW"],
    ["100.64.0.1", "is in the range of carrier-grade NAT; allow it with EGRESS_ALLOW"],
    ["203.0.113.1", "is reserved; allow it with EGRESS_ALLOW"],
    ["224.0.0.1", "is multicast, which is never called"],
    ["0.0.0.0", "is unspecified, which is never called"],
    ["169.254.169.254", "is a cloud's metadata service"],
    ["fd00:ec2::254", "is a cloud's metadata service"],
    ["168.63.129.16", "is a cloud's metadata service"],
  ])("%s says why it is denied: %s", (address, words) => {
    expect(verdictOf(address)).toEqual({ kind: "denied", why: expect.stringContaining(words) });
  });

  test("a resolver's answer that is no plain address is denied", () => {
    for (const answer of [
      "",
      "tools.example",
      "0177.0.0.1",
      "127.1",
      "010.8.8.8",
      "8.8.8.8 ",
      "[2606:4700::1]",
    ]) {
      expect(verdictOf(answer).kind, answer).toBe("denied");
    }
  });
});
