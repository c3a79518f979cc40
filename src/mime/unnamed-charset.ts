import { isUtf8 } from "node:buffer";
import { MOST_HEADER_bytes } from "./mail-text.ts";

/**
 * Letters of which a mail does not say how they are written are UTF-8 today; programs that are older than that, and devices,
 * mean windows-1252. Here they are read so where they can't be UTF-8.
 */
const OLDER = "windows-1252";

/** What stands in place of a letter that can't be read. */
export const UNREADABLE = "\uFFFD";

/** The mail with its header in UTF-8. */
export function withReadableHeader(raw: Buffer): Buffer {
  const end = endOfHeader(raw);
  const header = raw.subarray(0, end);
  if (isUtf8(header)) return raw;
  return Buffer.concat([Buffer.from(new TextDecoder(OLDER).decode(header)), raw.subarray(end)]);
}

/** The mail with the older charset named; null where it names one itself, is no text, or was sent with such a letter. */
export function withOlderCharset(raw: Buffer): Buffer | null {
  if (raw.includes(UNREADABLE) || raw.includes("=EF=BF=BD")) return null;
  const end = endOfHeader(raw);
  const header = raw.subarray(0, end).toString("latin1");
  const type = /^content-type:[ \t]*([^\r\n;]*)((?:.|\r?\n[ \t])*)/im.exec(header);
  const named = type ? `${type[1]?.trim()}; charset=${OLDER}${type[2]}` : `text/plain; charset=${OLDER}`;
  if (!named.startsWith("text/") || /charset/i.test(type?.[2] ?? "")) return null;
  const line = `Content-Type: ${named}`;
  const renamed = type ? header.replace(type[0], () => line) : `${line}\r\n${header}`;
  return Buffer.concat([Buffer.from(renamed, "latin1"), raw.subarray(end)]);
}

function endOfHeader(raw: Buffer): number {
  const start = raw.subarray(0, MOST_HEADER_bytes).toString("latin1");
  const blank = /\r?\n\r?\n/.exec(start);
  return blank ? blank.index : start.length;
}
