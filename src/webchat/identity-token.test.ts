import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { readIdentityToken } from "./identity-token.ts";

const NOW = new Date("2026-11-18T12:00:00Z");
const KEY = "the key of a chat";
const exp = NOW.getTime() / 1000 + 3600;

function read(claims: unknown) {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "HS256" })}.${part(claims)}`;
  return readIdentityToken(`${text}.${createHmac("sha256", KEY).update(text).digest("base64url")}`, KEY, NOW);
}

test("a token says who the visitor is, with a name or without", () => {
  const name = "A".repeat(200);
  expect(read({ sub: "7", name, exp })).toEqual({ ok: true, identity: { user_id: "7", name } });
  expect(read({ sub: "7", exp })).toEqual({ ok: true, identity: { user_id: "7", name: null } });
});

test.each([
  [
    "a long name",
    { sub: "7", name: "A".repeat(2_000), exp },
    "its name has to be a text of at most 200 characters",
  ],
  ["no user id", { exp }, "it needs a sub (the user id, 1 to 320 characters)"],
  ["a long user id", { sub: "7".repeat(321), exp }, "it needs a sub (the user id, 1 to 320 characters)"],
  ["no end", { sub: "7" }, "it needs an exp (seconds since 1970)"],
  [
    "nothing",
    {},
    "it needs a sub (the user id, 1 to 320 characters), and it needs an exp (seconds since 1970)",
  ],
  ["no claims", "7", "its claims are not a JSON object"],
  ["half a character", { sub: "\ud800", exp }, "its sub has to be one line of text"],
])("%s is refused with what is wrong, and nothing that is right", (_what, claims, said) => {
  const refused = read(claims);
  expect(refused).toEqual({ ok: false, problem: expect.stringContaining(said) });
  const others = ["sub", "name", "exp"].filter((claim) => !said.includes(claim));
  for (const claim of others) expect(JSON.stringify(refused)).not.toContain(claim);
});
