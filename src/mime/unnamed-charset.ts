import { isUtf8 } from "node:buffer";
import { MOST_HEADER_bytes } from "./mail-text.ts";

/** What text without a charset is read as where it isn't valid UTF-8: old programs and devices still send it. */
const OLDER = "windows-1252";

/** The replacement character: marks what could not be decoded. */
export const UNREADABLE = "\uFFFD";

/** The mail with its header in UTF-8. */
export function withReadableHeader(raw: Buffer): Buffer {
  const start = raw.subarray(0, MOST_HEADER_bytes).toString("latin1");
  const end = BLANK_LINE.exec(start)?.index ?? start.length;
  const header = raw.subarray(0, end);
  if (isUtf8(header)) return raw;
  return Buffer.concat([Buffer.from(new TextDecoder(OLDER).decode(header)), raw.subarray(end)]);
}
const BLANK_LINE = /\r?\n\r?\n/;

/** The mail with the older charset named at each part of text that names none or a wrong one and isn't valid UTF-8; null: there is none. */
export function withOlderCharsets(raw: Buffer): Buffer | null {
  const mail = raw.toString("latin1");
  const pieces: string[] = [];
  let from = 0;
  for (const { header_at, header, body } of partsOf(mail)) {
    const type = fieldOf(header, "content-type");
    const [, name, parameters = ""] = /^\s*([^;\s]*)(.*)$/s.exec(type?.value || "text/plain") ?? [];
    if (!/^text\//i.test(name ?? "") || NAMED.test(parameters)) continue;
    const bytes = decoded(body, fieldOf(header, "content-transfer-encoding")?.value ?? "");
    if (isUtf8(bytes) || (UTF_8.test(parameters) && hasUtf8(bytes))) continue;
    const [at, length] = type ? [type.at, type.length] : [0, 0];
    const line = `Content-Type: ${name}; charset=${OLDER}${parameters.replace(ASCII, "").replace(UTF_8, "")}`;
    pieces.push(mail.slice(from, header_at + at), type ? line : `${line}\r\n`);
    from = header_at + at + length;
  }
  if (pieces.length === 0) return null;
  return Buffer.from([...pieces, mail.slice(from)].join(""), "latin1");
}

/** Who names ASCII, where every charset begins, names none for other letters. */
const ASCII = /;\s*charset\s*=\s*"?(us-)?ascii"?/i;
/** Forms of websites name UTF-8 and hand on what they were given. */
const UTF_8 = /;\s*charset\s*=\s*"?utf-?8"?/i;
const NAMED = /;\s*charset\s*=\s*(?!"?((us-)?ascii|utf-?8))/i;

/** Some letters are UTF-8: then it is that, with a broken place. */
const hasUtf8 = (bytes: Buffer): boolean => /[^\0-\x7f\ufffd]/.test(bytes.toString("utf8"));

type Part = { header_at: number; header: string; body: string };

/** All parts of a mail, those of mails in it too, each up to where the next begins. */
function* partsOf(mail: string): Generator<Part> {
  const boundaries = new Set<string>();
  const delimiter = /^--([^\r\n]{1,200}?)[ \t]*\r?$/gm;
  /** Where the next delimiter stands from there on, and where its line ends. */
  const next = (at: number): { at: number; end: number; isLast: boolean } => {
    delimiter.lastIndex = at;
    for (let found = delimiter.exec(mail); found; found = delimiter.exec(mail)) {
      const name = found[1] ?? "";
      const isLast = !boundaries.has(name) && name.endsWith("--") && boundaries.has(name.slice(0, -2));
      if (isLast || boundaries.has(name)) return { at: found.index, end: delimiter.lastIndex, isLast };
    }
    return { at: mail.length, end: mail.length, isLast: true };
  };
  const blank = /(?<=\n|^)\r?\n/g;
  for (let header_at = 0; header_at < mail.length; ) {
    blank.lastIndex = header_at;
    const gap = blank.exec(mail);
    if (!gap) return;
    const body_at = gap.index + gap[0].length;
    const header = mail.slice(header_at, gap.index);
    const type = fieldOf(header, "content-type")?.value ?? "";
    const [, quoted, bare] = /boundary\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(type) ?? [];
    if (quoted ?? bare) boundaries.add((quoted ?? bare ?? "").trim());
    if (/^\s*message\/rfc822/i.test(type)) {
      header_at = body_at;
      continue;
    }
    let found = next(body_at);
    yield { header_at, header, body: mail.slice(body_at, found.at) };
    while (found.isLast && found.end < mail.length) found = next(found.end);
    header_at = found.end + 1;
  }
}

/** A field of a header with its folded lines, and where it stands. */
function fieldOf(header: string, name: string): { value: string; at: number; length: number } | null {
  const found = new RegExp(`^${name}[ \\t]*:((?:.|\\r?\\n[ \\t])*)`, "im").exec(header);
  return found && { value: (found[1] ?? "").trimEnd(), at: found.index, length: found[0].trimEnd().length };
}

function decoded(body: string, encoding: string): Buffer {
  if (/base64/i.test(encoding)) return Buffer.from(body, "base64");
  if (!/quoted-printable/i.test(encoding)) return Buffer.from(body, "latin1");
  const plain = body.replace(/=[ \t]*\r?\n/g, "");
  return Buffer.from(
    plain.replace(/=([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
    "latin1",
  );
}
