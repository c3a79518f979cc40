import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CODE_POINT } from "../../test/harness/code-point.ts";
import { judgeAddress } from "./egress-address.ts";
import { parseEgressAllow } from "./egress-allow.ts";

function rulesOf(text: string) {
  const parsed = parseEgressAllow(text);
  if (!parsed.ok) throw new Error(parsed.errors.join("; "));
  return parsed.rules;
}

const verdict = (allow: string, address: string, host: string, port = 80) =>
  judgeAddress(address, host, port, rulesOf(allow)).kind;

describe("what EGRESS_ALLOW opens", () => {
  test("nothing, when it is empty", () => {
    expect(rulesOf("")).toEqual({ hosts: [], networks: [] });
    expect(rulesOf(" , \n ")).toEqual({ hosts: [], networks: [] });
  });

  test("a host by its name, in any spelling of that name, and no other", () => {
    expect(verdict("Tools.Internal.", "10.0.0.1", "tools.internal")).toBe("allowed");
    expect(verdict("tools.internal", "10.0.0.1", "evil-tools.internal")).toBe("denied");
    expect(verdict("tools.internal", "10.0.0.1", "a.tools.internal")).toBe("denied");
    expect(verdict("münchen.example", "10.0.0.1", "xn--mnchen-3ya.example")).toBe("allowed");
  });

  test("every name below a wildcard, at any depth, but not its apex", () => {
    expect(verdict("*.corp.example", "10.0.0.1", "a.corp.example")).toBe("allowed");
    expect(verdict("*.corp.example", "10.0.0.1", "b.a.corp.example")).toBe("allowed");
    expect(verdict("*.corp.example", "10.0.0.1", "corp.example")).toBe("denied");
    expect(verdict("*.corp.example", "10.0.0.1", "evilcorp.example")).toBe("denied");
  });

  test("one port only, where one is written", () => {
    for (const [allow, address] of [
      ["tools.internal:8080", "10.0.0.1"],
      ["10.0.0.1:8080", "10.0.0.1"],
      ["[fd12::5]:8080", "fd12::5"],
    ] as const) {
      expect(verdict(allow, address, "tools.internal", 8080)).toBe("allowed");
      expect(verdict(allow, address, "tools.internal", 8081)).toBe("denied");
    }
  });

  test("a network of either family, for any name that resolves into it", () => {
    expect(verdict("10.1.0.0/16", "10.1.255.1", "any.example")).toBe("allowed");
    expect(verdict("10.1.0.0/16", "10.2.0.1", "any.example")).toBe("denied");
    expect(verdict("fd12:3400::/24", "fd12:34ff::1", "any.example")).toBe("allowed");
    expect(verdict("fd12:3400::/24", "fd12:3500::1", "any.example")).toBe("denied");
    expect(verdict("::1", "::1", "localhost")).toBe("allowed");
  });

  test("a cloud's metadata service by its very address, and not by a name or a network around it", () => {
    expect(verdict("metadata.internal", "169.254.169.254", "metadata.internal")).toBe("denied");
    expect(verdict("169.254.0.0/16 0.0.0.0/0", "169.254.169.254", "any.example")).toBe("denied");
    expect(verdict("169.254.169.254", "169.254.169.254", "any.example")).toBe("allowed");
    expect(verdict("fd00:ec2::/32", "fd00:ec2::254", "any.example")).toBe("denied");
    expect(verdict("fd00:ec2::254/128", "fd00:ec2::254", "any.example")).toBe("allowed");
  });

  test("never the unspecified address, multicast or broadcast", () => {
    for (const address of ["0.0.0.0", "0.1.2.3", "224.0.0.1", "255.255.255.255"]) {
      expect(verdict("0.0.0.0/0 any.example", address, "any.example")).toBe("denied");
    }
    for (const address of ["::", "ff02::1"]) {
      expect(verdict("::/0 any.example", address, "any.example")).toBe("denied");
    }
  });

  test("NAT64 only for the IPv4 addresses that may be reached themselves", () => {
    expect(verdict("64:ff9b::/96", "64:ff9b::8.8.8.8", "any.example")).toBe("public");
    expect(verdict("64:ff9b::/96", "64:ff9b::10.0.0.1", "any.example")).toBe("denied");
    expect(verdict("64:ff9b::/96", "64:ff9b::169.254.169.254", "any.example")).toBe("denied");
    expect(verdict("64:ff9b::/96 10.0.0.0/8", "64:ff9b::10.0.0.1", "any.example")).toBe("allowed");
  });
});

describe("what is wrong with EGRESS_ALLOW", () => {
  test.each([
    ["http://tools.internal", "is a URL"],
    ["10.0.0.1/8", "did you mean 10.0.0.0/8, or 10.0.0.1 alone?"],
    ["fd12::1/16", "did you mean fd12::/16"],
    ["10.0.0.0/33", "is not a network"],
    ["10.0.0.0/", "is not a network"],
    ["10.0.0.0/8/8", "is not a network"],
    ["tools.internal/8", "is not a network"],
    ["10/8", "is not a network"],
    ["127.1", "write 127.0.0.1"],
    ["0x7f000001", "write 127.0.0.1"],
    ["*", "would allow every host"],
    ["tools.*.example", "is not a host name"],
    ["user@tools.internal", "is not a host name"],
    ["tools.internal:0", "no valid port"],
    ["tools.internal:65536", "no valid port"],
    ["tools.internal:", "no valid port"],
    ["tools.internal:0x50", "no valid port"],
    ["[fd12::5", "no valid port"],
    ["fe80::%eth0/64", "IPv6 zone"],
    ["a..b", "is not a host name"],
  ])("%s is reported: %s", (entry, words) => {
    const parsed = parseEgressAllow(entry);
    expect(parsed.ok ? [] : parsed.errors).toEqual([expect.stringContaining(words)]);
    expect(parsed.ok ? "" : parsed.errors[0]).toContain(`"${entry}"`);
  });

  test("every bad entry is reported at once", () => {
    const parsed = parseEgressAllow("tools.internal, *, 10.0.0.1/8");
    expect(parsed.ok ? [] : parsed.errors).toHaveLength(2);
  });

  test("no text makes the parser throw", () => {
    const piece = fc.constantFrom(
      "10.0.0.0",
      "/8",
      "[",
      "]",
      "::",
      ":80",
      "*.",
      "a.b",
      "%",
      "/",
      "é",
      "xn--",
      ".",
    );
    fc.assert(fc.property(fc.string({ unit: CODE_POINT }), (text) => void parseEgressAllow(text)));
    fc.assert(fc.property(fc.array(piece), (pieces) => void parseEgressAllow(pieces.join(""))));
  });
});
