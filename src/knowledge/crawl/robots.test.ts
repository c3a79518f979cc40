import fc from "fast-check";
import { expect, test } from "vitest";
import { robotRules } from "./robots.ts";

const allows = (rules: string, path: string) => robotRules(`User-agent: *\n${rules}`).allows(path);

// Among them the examples of RFC 9309, section 2.2.2 and 2.2.3.
test.each<[string, string, boolean]>([
  ["Disallow: /", "/", false],
  ["Disallow:", "/a", true],
  ["Disallow: /a", "/a/b", false],
  ["Disallow: /a", "/b", true],
  ["Allow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/disallowed.gif", false],
  ["Disallow: /a\nAllow: /a", "/a", true],
  ["Disallow: /*.gif$", "/path/file.gif", false],
  ["Disallow: /*.gif$", "/path/file.gif?x", true],
  ["Disallow: /this/*/exactly", "/this/path/exactly", false],
  ["Disallow: /this/*/exactly", "/this/exactly", true],
  ["Disallow: /a*b*c", "/a1b2c3", false],
  ["Disallow: /a$", "/a", false],
  ["Disallow: /a$", "/ab", true],
  ["Disallow: /ü", "/%c3%bc", false],
  ["Disallow: /a # why", "/a", false],
  ["disallow : /a", "/a", false],
])("%s: %s", (rules, path, is) => expect(allows(rules, path)).toBe(is));

test("the groups that name us go before those for everybody, and several of them count together", () => {
  const rules = robotRules(
    "User-agent: other\nUser-agent: parley/2.0\nDisallow: /a\nCrawl-delay: 3\n\nUser-agent: *\nDisallow: /\n\nUser-agent: PARLEY\nDisallow: /b\n",
  );
  expect(["/", "/a", "/b"].map(rules.allows)).toEqual([true, false, false]);
  expect(rules.delay_s).toBe(3);
  expect(robotRules("").allows("/")).toBe(true);
});

test("no pattern goes over a path twice, whatever it is", () => {
  const part = fc.constantFrom("*", "a", "/", "$", "**", "%41", "\ud800");
  const text = fc.array(part, { maxLength: 200 }).map((parts) => `/${parts.join("")}`);
  fc.assert(
    fc.property(text, text, (pattern, path) => typeof allows(`Disallow: ${pattern}`, path) === "boolean"),
  );
  // With a pattern that goes back, this one would not end.
  expect(allows(`Disallow: /${"a*".repeat(500)}b`, `/${"a".repeat(50_000)}`)).toBe(true);
});
