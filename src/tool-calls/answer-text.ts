/**
 * A service's answer as the text that a model reads. Of a picture, a document or a sound it reads only that there is one:
 * its bytes say nothing to it, and would crowd out the conversation in this request and in all that follow.
 */
export function answerText(body: Buffer, content_type: string): string {
  const text = decoded(body, content_type).replaceAll("\0", "");
  const [type = ""] = content_type.toLowerCase().split(";");
  if (body.length === 0 || !(NO_TEXT.test(type.trim()) || isNoise(text))) return text;
  return `(${type.trim() || "an answer"} of ${body.length} bytes, which is not text)`;
}

const NO_TEXT = /^(?:(?:image\/(?!svg)|audio\/|video\/|font\/).*|application\/(?:pdf|zip|gzip))$/;

/** Decodes by the byte order mark, else by the charset of the content type, else as UTF-8. */
function decoded(body: Buffer, content_type: string): string {
  const [, named = "utf-8"] = /charset\s*=\s*"?([^\s;"]+)/i.exec(content_type) ?? [];
  const marked =
    body[0] === 0xff && body[1] === 0xfe
      ? "utf-16le"
      : body[0] === 0xfe && body[1] === 0xff
        ? "utf-16be"
        : null;
  try {
    // The decoder removes the byte order mark.
    return new TextDecoder(marked ?? named).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

/** More than one in ten; a text whose charset nobody named has few in most languages. */
const NOISE_SHARE = 0.1;

/** Whether much of it is signs that no text has: what could not be decoded, and what no key types. */
function isNoise(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const signs = text.match(/[\ufffd\u0001-\u0008\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0;
  return signs > text.length * NOISE_SHARE;
}
