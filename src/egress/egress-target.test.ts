import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { type EgressRoute, targetOf } from "./egress-target.ts";

const DEMO: EgressRoute = {
  host: "demo.parley.internal",
  connect: { host: "127.0.0.1", port: 4100 },
  pathPrefix: "/demo/",
};
const reasonFor = (url: string): string | undefined => {
  const target = targetOf(url, [DEMO]);
  return target.kind === "refused" ? target.reason : undefined;
};

describe("a URL", () => {
  test("leads to its host and port, with its path and query as they are sent", () => {
    expect(targetOf("https://Tools.Example./a/../b?c=1#d", [])).toEqual({
      kind: "host",
      protocol: "https:",
      host: "tools.example",
      port: 443,
      origin: "https://tools.example:443",
      path: "/b?c=1",
    });
    expect(targetOf("http://[2606:4700::1]:8080", [])).toMatchObject({
      host: "2606:4700::1",
      origin: "http://[2606:4700::1]:8080",
      path: "/",
    });
  });

  test.each([
    ["", "not valid"],
    ["tools.example/path", "not valid"],
    ["http://", "not valid"],
    ["http://1.2.3.4.5/", "not valid"],
    ["http://a b/", "not valid"],
    ["http://[fe80::1%25eth0]/", "not valid"],
    ["ftp://tools.example/", "not ftp:"],
    ["file:///etc/passwd", "not file:"],
    ["javascript:alert(1)", "not javascript:"],
    ["http://user:secret@tools.example/", "carries credentials"],
    ["http://user@tools.example/", "carries credentials"],
    ["http://tools.example\r\nX-Evil: 1/", "control character"],
    ["http://tools.example/a\r\nX-Evil: 1", "control character"],
    ["http://tools.ex\tample/", "control character"],
    ["http://a..b/", "not a valid host name"],
    ["http://localhost../", "not a valid host name"],
    ["http://a'b/", "not a valid host name"],
    [`http://${"a".repeat(64)}.example/`, "not a valid host name"],
  ])("%j is refused: %s", (url, words) => {
    expect(reasonFor(url)).toContain(words);
  });

  test("a reason never repeats the credentials", () => {
    expect(reasonFor("http://user:secret@tools.example/")).not.toMatch(/user|secret/);
  });

  test("a backslash or a credential-like host does not move the call to another host", () => {
    expect(targetOf("http://tools.example\\@10.0.0.1/", [])).toMatchObject({ host: "tools.example" });
    expect(reasonFor("http://tools.example@10.0.0.1/")).toContain("carries credentials");
  });
});

describe("a routed name", () => {
  test("is reached under its prefix", () => {
    for (const path of [
      "/demo",
      "/demo/",
      "/demo/orders?x=../../api",
      "/demo/12%2F3",
      "/demo/100%25",
      "/demo/a..b",
    ]) {
      expect(targetOf(`http://demo.parley.internal${path}`, [DEMO]), path).toMatchObject({
        kind: "route",
        origin: "http://demo.parley.internal",
        path,
      });
    }
  });

  test("in any spelling of the name", () => {
    expect(targetOf("http://DEMO.parley.internal./demo/", [DEMO]).kind).toBe("route");
    expect(targetOf("http://demo.parley%2einternal/demo/", [DEMO]).kind).toBe("route");
  });

  test.each([
    "/",
    "/api",
    "/demolition",
    "/demo/../api",
    "/demo/..\\api",
    "/demo/%2e%2e/api",
    "/demo/.%2E/api",
    "/demo/..%2fapi",
    "/demo/%2e%2e%2fapi",
    "/demo/..%5capi",
    "/demo/%252e%252e/api",
    "/demo/%25252e%25252e%25252fapi",
    "/demo/%zz/%252e%252e/api",
    "/demo/..;/api",
    "/demo%2f../api",
    "//demo/",
    "/demo/%2525252525252e",
  ])("is not reached beyond its prefix by %s", (path) => {
    expect(reasonFor(`http://demo.parley.internal${path}`)).toContain("only /demo/");
  });

  test("no chain of dots, slashes and escapes decodes to a path outside the prefix", () => {
    const piece = fc.constantFrom(
      "..",
      ".",
      "/",
      "\\",
      "%2e",
      "%2f",
      "%5c",
      "%25",
      "2e",
      "2f",
      "5c",
      "api",
      "demo",
      ";",
      "%",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const target = targetOf(`http://demo.parley.internal/demo/${pieces.join("")}`, [DEMO]);
        if (target.kind !== "route") return;
        // An independent server: decodes as often as it can, takes every separator, then resolves.
        let path = target.path;
        for (let i = 0; i < 20; i++) {
          path = path.replace(/%([0-9a-f]{2})/gi, (_all, hex) =>
            String.fromCharCode(Number.parseInt(hex, 16)),
          );
        }
        const resolved = new URL(`http://x${path.replaceAll("\\", "/").replaceAll("?", "")}`).pathname;
        expect(resolved === "/demo" || resolved.startsWith("/demo/")).toBe(true);
      }),
      { numRuns: rounds(5_000) },
    );
  });

  test("is reached over plain http at its own port alone", () => {
    expect(reasonFor("https://demo.parley.internal/demo/")).toContain("only");
    expect(reasonFor("http://demo.parley.internal:5432/demo/")).toContain("only");
  });

  test("that is written as https is reached over the route's plain http, and as http not at all", () => {
    const inbox: EgressRoute = { ...DEMO, host: "inbox.parley.internal", scheme: "https" };
    expect(targetOf("https://inbox.parley.internal/demo/x", [inbox])).toMatchObject({
      kind: "route",
      origin: "http://inbox.parley.internal",
      path: "/demo/x",
    });
    for (const url of ["http://inbox.parley.internal/demo/", "https://inbox.parley.internal:8443/demo/"]) {
      expect(targetOf(url, [inbox]), url).toMatchObject({ kind: "refused" });
    }
  });

  test("exists only as a route: other names of the platform lead nowhere", () => {
    for (const host of [
      "parley.internal",
      "api.parley.internal",
      "x.demo.parley.internal",
      "API.PARLEY.internal.",
    ]) {
      expect(reasonFor(`http://${host}/demo/`)).toContain("leads nowhere");
    }
    expect(reasonFor("http://notparley.internal/")).toBeUndefined();
  });
});
