import { expect, test } from "vitest";
import { readToolArguments } from "./tool-arguments.ts";
import { DEFINITIONS, type InsightToolDefinition } from "./tool-definition.ts";

const http = DEFINITIONS.find(({ type }) => type === "http") as InsightToolDefinition;
const accepted = (headers: Record<string, string>) =>
  readToolArguments(http, { url: "https://x.example", headers }).ok;

test.each([
  "Authorization",
  "Proxy-Authorization",
  "Cookie",
  "X-Api-Key",
  "apikey",
  "X-Auth-Token",
  "PRIVATE-TOKEN",
  "X-Access-Key",
  "x-functions-key",
  "Ocp-Apim-Subscription-Key",
  "X-Client-Secret",
  "x_password",
  "X-Amz-Security-Token",
  "cf-access-jwt-assertion",
])("a header called %s is refused: everyone who may read insights would read its value", (name) => {
  expect(accepted({ [name]: "x" })).toBe(false);
});

test.each(["Bearer abc", "Basic dXNlcjpw", "Token abc", " AWS4-HMAC-SHA256 Credential=a"])(
  "a header of any name is refused with the credential %s",
  (value) => {
    expect(accepted({ "x-forward": value })).toBe(false);
  },
);

test("headers that are no secrets are taken", () => {
  const headers = {
    Accept: "application/json",
    "X-Tenant": "नॉर्थ",
    "X-Request-Source": "basic",
    "X-Keyboard": "qwerty",
    "X-Author": "token",
    "X-Tokens-Max": "100",
  };
  expect(accepted(headers)).toBe(true);
});

test.each([
  ["a name with a blank", { "X Tenant": "north" }],
  ["a line break", { "X-Tenant": "north\nsouth" }],
  ["what the connection sets", { Host: "other.example" }],
])("headers with which no request could be sent are refused: %s", (_what, headers) => {
  expect(accepted(headers)).toBe(false);
});
