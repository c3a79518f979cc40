import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { withOlderCharsets } from "./unnamed-charset.ts";

const fragment = fc.constantFrom(
  ...["--a", "--a--", "--b", "--b--", "", "Gr\xfc\xdfe", "Subject: x", "MIME-Version: 1.0", " folded", "="],
  ...['Content-Type: multipart/mixed; boundary="a"', "Content-Type: multipart/alternative; boundary=b"],
  ...[
    "Content-Type: text/plain",
    "Content-type : TEXT/html; charset=us-ascii",
    "Content-Type:",
    "content-type",
  ],
  ...[
    "Content-Type: message/rfc822",
    "Content-Transfer-Encoding: base64",
    "content-transfer-encoding: quoted-printable",
  ],
);

test("a mail of any parts has its charsets named once, and keeps its letters", () => {
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 40 }), fc.constantFrom("\r\n", "\n"), (lines, end) => {
      const raw = Buffer.from(lines.join(end), "latin1");
      const named = withOlderCharsets(raw);
      if (named === null) return;
      expect(withOlderCharsets(named)).toBeNull();
      const letters = (mail: Buffer) => mail.toString("latin1").replace(/[^\xfc\xdf]/g, "");
      expect(letters(named)).toBe(letters(raw));
    }),
    { numRuns: rounds(2_000) },
  );
});

test.each([
  ["delimiters of empty parts", "--a\r\n", 0],
  ["parts of one letter", "--a\r\n\r\n\xfc\r\n", 200_000],
  ["lines that are nearly delimiters", `--${"a".repeat(199)}\r\n`, 0],
  ["mails in mails", "Content-Type: message/rfc822\r\n\r\n", 0],
])("two million bytes of %s are read to their end", (_, line, named) => {
  const head = "Content-Type: multipart/mixed; boundary=a\r\n\r\n";
  const raw = Buffer.from(head + line.repeat(Math.ceil(2_000_000 / line.length)), "latin1");
  expect(
    withOlderCharsets(raw)
      ?.toString("latin1")
      .match(/windows-1252/g)?.length ?? 0,
  ).toBe(named);
});
