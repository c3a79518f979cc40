import fc from "fast-check";
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { expect, test } from "vitest";
import { CODE_POINT } from "../../test/harness/code-point.ts";
import { isSignedByTwilio } from "../carriers/twilio/twilio-signature.ts";
import { signature } from "./callbacks.ts";

const form = fc.dictionary(
  fc.stringMatching(/^[A-Za-z0-9]{1,20}$/),
  fc.string({ unit: CODE_POINT, maxLength: 60 }),
);
const token = fc.stringMatching(/^[0-9a-f]{32}$/);
const url = fc
  .tuple(fc.constantFrom("https", "wss", "http"), fc.webPath(), fc.constantFrom("", ":8443"))
  .map(([scheme, path, port]) => `${scheme}://parley.example.com${port}${path || "/"}`);

test("what the simulator signs is what Twilio's own library computes", () => {
  fc.assert(
    fc.property(token, url, form, (auth_token, address, fields) => {
      expect(signature(auth_token, address, fields)).toBe(
        getExpectedTwilioSignature(auth_token, address, fields),
      );
    }),
  );
});

test("what Twilio signs is accepted, over https and over a socket", () => {
  fc.assert(
    fc.property(token, url, form, (auth_token, address, fields) => {
      const given = getExpectedTwilioSignature(auth_token, address, fields);
      expect(isSignedByTwilio(auth_token, given, address, fields)).toBe(true);
    }),
  );
});

test("a field, an address or a token that differs is refused", () => {
  const address = "https://parley.example.com/carriers/twilio/1/messages";
  const given = signature("token", address, { Body: "Hi", From: "+1" });
  expect(isSignedByTwilio("token", given, address, { Body: "Hi", From: "+1" })).toBe(true);
  expect(isSignedByTwilio("token", given, address, { Body: "Ho", From: "+1" })).toBe(false);
  expect(isSignedByTwilio("token", given, address, { Body: "Hi", From: "+1", To: "+2" })).toBe(false);
  expect(isSignedByTwilio("token", given, `${address}/x`, { Body: "Hi", From: "+1" })).toBe(false);
  expect(isSignedByTwilio("other", given, address, { Body: "Hi", From: "+1" })).toBe(false);
  expect(isSignedByTwilio(undefined, given, address, { Body: "Hi", From: "+1" })).toBe(false);
  expect(isSignedByTwilio("token", undefined, address)).toBe(false);
  expect(isSignedByTwilio("token", "", address)).toBe(false);
});

test("the very example of Twilio's documentation is accepted", () => {
  // https://www.twilio.com/docs/usage/security#validating-signatures-from-twilio
  const example = {
    CallSid: "CA1234567890ABCDE",
    Caller: "+14158675309",
    Digits: "1234",
    From: "+14158675309",
    To: "+18005551212",
  };
  const address = "https://mycompany.com/myapp.php?foo=1&bar=2";
  expect(isSignedByTwilio("12345", "RSOYDt4T1cUTdK1PDd93/VVr8B8=", address, example)).toBe(true);
});
