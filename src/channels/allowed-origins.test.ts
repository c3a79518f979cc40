import { expect, test } from "vitest";
import { parseAllowedOrigins } from "./allowed-origins.ts";

test("origins are taken with spaces, blanks and a closing slash, each once", () => {
  const { origins, faults } = parseAllowedOrigins(
    " https://A.example/ ,, https://b.example:8443,https://a.example ",
  );
  expect(origins).toEqual(["https://a.example", "https://b.example:8443"]);
  expect(faults).toEqual([]);
});

test("plain http is for a developer's own machine only", () => {
  const { origins, faults } = parseAllowedOrigins(
    "http://localhost:3000, http://127.0.0.1, http://a.example",
  );
  expect(origins).toEqual(["http://localhost:3000", "http://127.0.0.1"]);
  expect(faults).toEqual(['"http://a.example" is not an https origin such as https://www.example.com']);
});

test.each([
  "a.example",
  "https://a.example/path",
  "https://user@a.example",
  "https://a.example; script-src *",
  "https://a.example;script-src",
  "https://*.a.example",
  "https://'none'",
  "javascript:alert(1)",
  "*",
])("%s is no origin", (text) => {
  expect(parseAllowedOrigins(text)).toMatchObject({ origins: [], faults: [expect.any(String)] });
});
