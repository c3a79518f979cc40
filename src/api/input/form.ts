import { parse } from "node:querystring";
import type { MultipartFile } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { Fault, invalid } from "../../base/errors.ts";
import { notUtf8, refuseUnstorableText } from "./body.ts";

/** How a form is documented; a sender may use either, as browsers do: multipart only where there is a file. */
export type Form = {
  type: "multipart/form-data" | "application/x-www-form-urlencoded";
  /** Files are held in memory; the server's own limit (50 MB) when left out. */
  max_file_bytes?: number;
  /** The operation reads the file itself with `request.file()`, as it comes: for what is too big for memory. */
  streamed?: true;
  /** Texts that PostgreSQL can't store are not refused: a carrier would lose what somebody wrote. Whoever reads them cleans them. */
  as_sent?: true;
};

/** A file of a form, read whole. */
export type UploadedFile = { filename: string; mimetype: string; bytes: Buffer };

export const file = () =>
  z
    .custom<UploadedFile>()
    .superRefine((value, context) => {
      if (Buffer.isBuffer(value?.bytes)) return;
      const missing = value === undefined;
      context.addIssue({
        code: "custom",
        message: missing ? "Field required" : "Input should be a file",
        params: { type: missing ? "missing" : "value_error" },
      });
    })
    .meta({ type: "string", format: "binary" });

/** Carriers send some forty. */
const MAX_FIELDS = 1_000;

/** Reads a form that has no file. It is read before anybody has signed in, so its fields are counted first. */
export function parseFormBody(text: string): Record<string, unknown> {
  let fields = 1;
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) {
    if (++fields > MAX_FIELDS)
      throw new Fault("too-large", `The form has more than ${MAX_FIELDS.toLocaleString("en-US")} fields.`);
  }
  let isUtf8 = true;
  // The parser's own would read bytes of another encoding as replacement characters.
  const decode = (part: string): string => {
    try {
      return decodeURIComponent(part.replace(LONE_PERCENT, "%25"));
    } catch {
      isUtf8 = false;
      return part;
    }
  };
  // Its own limit would leave out the fields beyond without a word.
  const form = parse(text, "&", "=", { maxKeys: 0, decodeURIComponent: decode });
  if (!isUtf8) throw notUtf8();
  return form;
}

/** A percent sign that somebody did not encode stands for itself. */
const LONE_PERCENT = /%(?![0-9a-f]{2})/gi;

/** The fields of a form, as the body that the operation's schema then checks. */
export async function readForm(request: FastifyRequest, form: Form): Promise<Record<string, unknown>> {
  if (request.isMultipart()) {
    return form.streamed ? {} : readMultipart(request, form.max_file_bytes);
  }
  const fields = (request.body ?? {}) as Record<string, unknown>;
  if (request.body !== undefined && !isUrlEncoded(request)) {
    throw wrongMediaType(form.type);
  }
  if (!form.as_sent) for (const [name, value] of Object.entries(fields)) checkText(name, value);
  return fields;
}

/** A form sent where JSON is expected would be read as an object of texts; it is told so instead. */
export function refuseForm(request: FastifyRequest): void {
  if (isUrlEncoded(request)) throw wrongMediaType("application/json");
}

const wrongMediaType = (wanted: string): Fault =>
  new Fault("wrong-media-type", `Send the body as ${wanted}.`);

const isUrlEncoded = (request: FastifyRequest): boolean =>
  (request.headers["content-type"] ?? "").toLowerCase().startsWith("application/x-www-form-urlencoded");

/**
 * Call before reading a multipart form. The library does not notice a sender that left before it began to read, and would
 * wait for the rest without end.
 */
export function refuseLeft({ raw }: FastifyRequest): void {
  if (raw.errored) throw raw.errored;
}

async function readMultipart(request: FastifyRequest, max_file_bytes: number | undefined) {
  const fields: Record<string, unknown> = {};
  const limits = max_file_bytes === undefined ? {} : { limits: { fileSize: max_file_bytes } };
  refuseLeft(request);
  for await (const part of request.parts(limits)) {
    // The library types it as a text, but a part may come without a name.
    if (!part.fieldname) throw invalid(["body"], "Every part of the form needs a name");
    if (part.type === "field") {
      if (part.valueTruncated) throw invalid(["body", part.fieldname], "Text is too long", "string_too_long");
      refusePartText(part.fieldname, ["body"]);
      refusePartText(String(part.value), ["body", part.fieldname]);
      fields[part.fieldname] = part.value;
      continue;
    }
    const bytes = await part.toBuffer();
    const filename = fileName(part);
    // A browser sends an empty part for a file that was not chosen.
    if (!filename && bytes.length === 0) continue;
    fields[part.fieldname] = {
      filename,
      mimetype: part.mimetype,
      bytes,
    } satisfies UploadedFile;
  }
  return fields;
}

/**
 * The name of a file as its sender has it. Browsers encode quotes and line breaks in it, and nothing else
 * (https://html.spec.whatwg.org/#multipart-form-data).
 */
export function fileName({ filename, fieldname }: Pick<MultipartFile, "filename" | "fieldname">): string {
  const name = (filename ?? "").replace(/%22|%0D|%0A/g, decodeURIComponent);
  refusePartText(name, ["body", fieldname]);
  return name;
}

/**
 * Checks a text of a multipart form, or the name of a file. The parser turns bytes that are not UTF-8 into replacement
 * characters, so a text that contains one is refused, even where the sender really wrote that character.
 */
function refusePartText(text: string, loc: (string | number)[]): void {
  if (text.includes("\ufffd")) throw notUtf8();
  refuseUnstorableText(text, loc);
}

function checkText(name: string, value: unknown): void {
  refuseUnstorableText(name, ["body"]);
  if (typeof value === "string") refuseUnstorableText(value, ["body", name]);
}
