import type { Attachment, ParsedMail } from "mailparser";
import { parseMail } from "./parsed-mail.ts";

/** Who attaches more wants them kept, not read. */
const MOST_READ = 3;
const LONGEST_WORDS = 10_000;

/**
 * What mails say that somebody attached, each with its head, as programs write a mail that is handed on. One that can't be
 * read is a file as any other, and so are mails attached to these.
 */
export async function attachedMails(attachments: readonly Attachment[]): Promise<string[]> {
  const mails = attachments.filter(({ contentType }) =>
    /^message\/(rfc822|global)$/i.test(contentType ?? ""),
  );
  const read = mails.slice(0, MOST_READ).map(({ content }) => parseMail(content).then(inWords, () => []));
  return (await Promise.all(read)).flat();
}

function inWords({ from, to, date, subject, text }: ParsedMail): string[] {
  const head = [
    ["From", from?.text],
    ["Date", date?.toUTCString()],
    ["Subject", subject],
    [
      "To",
      [to ?? []]
        .flat()
        .map((each) => each.text)
        .join(", "),
    ],
  ].flatMap(([name, value]) =>
    value ? [`${name}: ${value.replace(/\s+/g, " ").slice(0, LONGEST_LINE)}`] : [],
  );
  const words = (text ?? "").trim().slice(0, LONGEST_WORDS);
  if (words === "" && !subject) return [];
  return [[MARK, ...head, "", words].join("\n").trimEnd()];
}

const MARK = "---------- Forwarded message ---------";
const LONGEST_LINE = 300;
