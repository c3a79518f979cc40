import { constants, crc32, deflateRawSync } from "node:zlib";

type PdfLine = { text: string; size?: number; x?: number; y: number };

/** A PDF with these lines on its pages; a page without lines has a picture in their place, as a scanned one. */
export function pdf(
  pages: PdfLine[][],
  { title, is_locked = false }: { title?: string; is_locked?: boolean } = {},
): Buffer {
  const objects: string[] = [];
  const add = (body: string) => objects.push(body);
  add("<< /Type /Catalog /Pages 2 0 R >>");
  add(
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${5 + at * 2} 0 R`).join(" ")}] >>`,
  );
  add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  add(`<< ${title ? `/Title (${title})` : ""} >>`);
  for (const lines of pages) {
    const shown = lines.map(
      ({ text, size = 11, x = 50, y }) =>
        `BT /F1 ${size} Tf ${x} ${y} Td (${text.replace(/[()\\]/g, "\\$&")}) Tj ET`,
    );
    const content = shown.length > 0 ? shown.join("\n") : "0 0 595 842 re f";
    const at = objects.length + 2;
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${at} 0 R >>`,
    );
    add(`<< /Length ${Buffer.byteLength(content, "latin1")} >>\nstream\n${content}\nendstream`);
  }
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = Buffer.byteLength(body, "latin1");
    body += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = Buffer.byteLength(body, "latin1");
  const key = "41".repeat(32);
  const lock = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -1 >> /ID [<${key}> <${key}>]`;
  body += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  body += offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  body += `trailer << /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R ${is_locked ? lock : ""} >>\nstartxref\n${start}\n%%EOF`;
  return Buffer.from(body, "latin1");
}

const BLANKS = deflateRawSync(Buffer.alloc(1_000_000, " "), { finishFlush: constants.Z_FULL_FLUSH });

/** A PDF of one page, whose drawing is so many million bytes of blanks, packed. */
export function packedPdf(megabytes: number): Buffer {
  const [head, end, unreadChecksum] = [
    [0x78, 0x9c],
    [0x03, 0x00],
    [0, 0, 0, 0],
  ].map((bytes) => Buffer.from(bytes));
  const packed = Buffer.concat([head, ...Array(megabytes).fill(BLANKS), end, unreadChecksum]);
  const [before, after] = pdf([[{ text: "PLACE", y: 700 }]])
    .toString("latin1")
    .split(/<< \/Length \d+ >>\nstream\n[\s\S]*?\nendstream/) as [string, string];
  const stream = `<< /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`;
  // The places of what follows are wrong now, and readers look for them then.
  return Buffer.concat([
    Buffer.from(before + stream, "latin1"),
    packed,
    Buffer.from(`\nendstream${after}`, "latin1"),
  ]);
}

/** A paragraph with the style of that name, or a table. */
export type DocxPart = { style?: string; text: string } | { rows: string[][] };

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const paragraph = (text: string, style?: string) =>
  `<w:p>${style ? `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>` : ""}<w:r><w:t xml:space="preserve">${escaped(text)}</w:t></w:r></w:p>`;

/** A Word document as Word saves it in German: its styles' ids are translated, their names are not. */
export function docx(parts: DocxPart[], { title }: { title?: string } = {}): Buffer {
  const body = parts
    .map((part) =>
      "rows" in part
        ? `<w:tbl>${part.rows.map((row) => `<w:tr>${row.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join("")}</w:tr>`).join("")}</w:tbl>`
        : paragraph(part.text, part.style),
    )
    .join("");
  const heading = (level: number) =>
    `<w:style w:type="paragraph" w:styleId="berschrift${level}"><w:name w:val="heading ${level}"/></w:style>`;
  return zip({
    "word/document.xml": `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    "word/styles.xml": `<w:styles xmlns:w="x">${[1, 2, 3].map(heading).join("")}</w:styles>`,
    ...(title && {
      "docProps/core.xml": `<cp:coreProperties><dc:title>${title}</dc:title></cp:coreProperties>`,
    }),
  });
}

/** What Office makes of a document with a password: a compound file that holds the encrypted one. */
export const lockedDocx = (): Buffer =>
  Buffer.concat([
    Buffer.from("d0cf11e0a1b11ae1", "hex"),
    Buffer.alloc(512),
    Buffer.from("EncryptedPackage", "utf16le"),
    Buffer.alloc(512),
  ]);

/** An archive of these files, packed; `claims` says another unpacked size in its directory. */
export function zip(files: Record<string, string | Buffer>, { claims }: { claims?: number } = {}): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes, { level: 1 });
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claims ?? bytes.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    bodies.push(Buffer.from("PK\x03\x04", "latin1"), common, Buffer.from(name), packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), common, place, Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + packed.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(files).length, 4);
  end.writeUInt16LE(Object.keys(files).length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, entries, Buffer.from("PK\x05\x06", "latin1"), end]);
}
