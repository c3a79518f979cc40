import { expect, test } from "vitest";
import { refusalIsAbout } from "./mail-refusal.ts";

test.each([
  ["550 5.1.1 <ann@example.com>: Recipient address rejected: User unknown", "address"],
  ["550 no such user", "address"],
  ["550 5.2.1 The email account that you tried to reach is disabled", "address"],
  ["550 5.1.1 <relay@example.com>: Recipient address rejected", "address"],
  ["554 5.7.1 <ann@example.com>: Relay access denied", "sender"],
  ["550 relay not permitted", "sender"],
  ["550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain", "sender"],
  ["554 5.7.1 <mail.clinic.example[192.0.2.1]>: Client host rejected: Access denied", "sender"],
  ["553 5.7.1 <a@clinic.example>: Sender address rejected: not owned by user b", "sender"],
  ["550 5.1.8 <a@clinic.example>: Sender address rejected: Domain not found", "sender"],
  ["554 5.7.1 <relay@example.com>: Recipient address rejected: Access denied", "mail"],
  ["550 5.7.26 This mail has been blocked because the sender is unauthenticated", "mail"],
])("a recipient refused with %j: it is about the %s", (said, about) => {
  expect(refusalIsAbout(said, true)).toBe(about);
});

test("a mail that was refused after its recipient was taken says nothing about them, unless its code does", () => {
  expect(refusalIsAbout("552 5.2.3 Message too large", false)).toBe("mail");
  expect(refusalIsAbout("554 5.6.0 Error: content", false)).toBe("mail");
  expect(refusalIsAbout("550 5.1.1 no such user", false)).toBe("address");
});
