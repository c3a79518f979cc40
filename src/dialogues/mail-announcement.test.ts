import { expect, test } from "vitest";
import { withAnnouncement } from "./mail-announcement.ts";

const SAID = "I am an <AI> assistant.";
const html = (page: string) => withAnnouncement({ subject: "s", text: "Hello", html: page }, SAID).html;
const ADDED = "<p>I am an &#60;AI&#62; assistant.</p>";

test("both parts of a mail begin with what is announced, and a mail without an HTML part gets none", () => {
  const mail = { subject: "s", text: "Hello", html: null };
  expect(withAnnouncement(mail, SAID)).toEqual({ ...mail, text: `${SAID}\n\nHello` });
  expect(withAnnouncement(mail, "")).toBe(mail);
});

test.each([
  ["<p>Hello</p>", `${ADDED}<p>Hello</p>`],
  [
    '<!DOCTYPE html><html><head><title>T</title></head><body class="a"><p>Hello</p></body></html>',
    `<!DOCTYPE html><html><head><title>T</title></head><body class="a">${ADDED}<p>Hello</p></body></html>`,
  ],
  ["<html><p>Hello</p></html>", `<html>${ADDED}<p>Hello</p></html>`],
  ["<head><title>T</title></head><p>Hello</p>", `<head><title>T</title></head>${ADDED}<p>Hello</p>`],
])("in the page %s it stands before the first words that are seen", (page, expected) => {
  expect(html(page)).toBe(expected);
});
