import { isUtf8 } from "node:buffer";
import { MOST_HEADER_bytes } from "./mail-text.ts";

/** What a mail without a charset is read as where it isn't valid UTF-8: old programs and devices still send it. */
const OLDER = "windows-1252";

/** The replacement character: marks what could not be decoded. */
export const UNREADABLE = "\uFFFD";

/** The mail with its header in UTF-8. */
export function withReadableHeader(raw: Buffer): Buffer {
  const end = endOfHeader(raw);
  const header = raw.subarray(0, end);
  if (isUtf8(header)) return raw;
  return Buffer.concat([Buffer.from(new TextDecoder(OLDER).decode(header)), raw.subarray(end)]);
}

/** The mail with the older charset named; null if it names one itself, isn't text, or was sent with the replacement character. */
export function withOlderCharset(raw: Buffer): Buffer | null {
  if (raw.includes(UNREADABLE) || raw.includes("=EF=BF=BD")) return null;
  const end = endOfHeader(raw);
  const header = raw.subarray(0, end).toString("latin1");
  const type = /^content-type:[ \t]*([^\r\n;]*)((?:.|\r?\n[ \t])*)/im.exec(header);
  const named = type ? `${type[1]?.trim()}; charset=${OLDER}${type[2]}` : `text/plain; charset=${OLDER}`;
  if (!/^text\//i.test(named) || /charset/i.test(type?.[2] ?? "")) return null;
  const line = `Content-Type: ${named}`;
  const renamed = type ? header.replace(type[0], () => line) : `${line}\r\n${header}`;
  return Buffer.concat([Buffer.from(renamed, "latin1"), raw.subarray(end)]);
}

function endOfHeader(raw: Buffer): number {
  const start = raw.subarray(0, MOST_HEADER_bytes).toString("latin1");
  const blank = /\r?\n\r?\n/.exec(start);
  return blank ? blank.index : start.length;
}
