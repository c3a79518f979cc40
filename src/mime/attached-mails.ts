import type { ParsedMail } from "mailparser";
import { cutTo, storableText } from "../base/storable.ts";
import { parseMail } from "./parsed-mail.ts";

const LONGEST_WORDS = 10_000;

/**
 * What mails say that somebody attached, each with its head, as programs write a mail that is handed on. One that can't be
 * read is a file as any other, and so are mails attached to these. It may take minutes, as readMail (mail-message.ts).
 */
export async function readAttachedMails(mails: readonly Buffer[]): Promise<string[]> {
  const read = mails.map((raw) => parseMail(raw).then(inWords, () => []));
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
  const words = cutTo((text ?? "").trim(), LONGEST_WORDS);
  if (words === "" && !subject) return [];
  return [storableText([MARK, ...head, "", words].join("\n").trimEnd())];
}

const MARK = "---------- Forwarded message ---------";
const LONGEST_LINE = 300;
