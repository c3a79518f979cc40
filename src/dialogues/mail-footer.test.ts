import { expect, test } from "vitest";
import { LANGUAGES } from "../speech/languages.ts";
import { withWayOut } from "./mail-footer.ts";

const URL = "https://parley.example/unsubscribe/abc.def";

test("a mail without a way out gets one in both parts, in the session's language", () => {
  const words = { subject: "Visit", text: "Dear Ann", html: "<html><body><p>Dear Ann</p></body></html>" };
  const mail = withWayOut(words, URL, "de-DE");
  expect(mail.text).toBe(`Dear Ann\n\n--\nSie möchten keine Nachrichten mehr von uns? Abmelden: ${URL}`);
  expect(mail.html).toMatch(
    /<p>Dear Ann<\/p><p [^>]*>Sie möchten .* <a href="https:[^"]*abc\.def">Abmelden<\/a><\/p><\/body>/,
  );
  expect(withWayOut({ ...words, html: null }, URL, "xx").text).toContain(`Unsubscribe: ${URL}`);
  expect(withWayOut({ ...words, html: null }, URL, null).html).toBeNull();
});

test("a template that has placed the link itself is left as it is", () => {
  const words = { subject: "Visit", text: `Bye: ${URL}`, html: `<p><a href="${URL}">Bye</a></p>` };
  expect(withWayOut(words, URL, "en-US")).toEqual(words);
});

test("the way out is in the language of the session, for every one that agents speak", () => {
  const wayOut = (language: string) =>
    withWayOut({ subject: "Visit", text: "Hello", html: null }, URL, language).text;
  const others = Object.keys(LANGUAGES).filter((language) => !language.startsWith("en"));
  expect(others.filter((language) => wayOut(language) === wayOut("en-US"))).toEqual([]);
});
