import path from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sha256 } from "../base/crypto.ts";

/** What stays the same while the program runs, in the forms it is kept in. Of what is compressed only that is kept: browsers take no other. */
export type Packed = {
  content_type: string;
  etag: string;
  forms: { br?: Buffer; gzip?: Buffer; plain?: Buffer };
};

const CONTENT_TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

export const contentType = (file: string): string =>
  CONTENT_TYPES[path.extname(file)] ?? "application/octet-stream";

/** Of another text it is another one. Weak, since the forms of one text differ by their bytes. */
export const etagOf = (text: string): string => `W/"${sha256(text)}"`;

export async function pack(content_type: string, text: string): Promise<Packed> {
  return { content_type, etag: etagOf(text), forms: { gzip: await promisify(gzip)(text) } };
}

/** Kept, but asked about each time. */
export const ASK_FIRST = "no-cache";
/** A year, as long as anybody keeps anything: for addresses that change with what they lead to. */
export const FOREVER = "public, max-age=31536000, immutable";

/** Sends the smallest form that the client reads, unpacked for one that reads none of them, and 304 to one that has it. */
export async function sendPacked(
  request: FastifyRequest,
  reply: FastifyReply,
  { content_type, etag, forms }: Packed,
  cache_control = ASK_FIRST,
): Promise<FastifyReply> {
  const { "if-none-match": known = "", "accept-encoding": accepted = "" } = request.headers;
  reply.header("etag", etag).header("cache-control", cache_control).header("vary", "accept-encoding");
  if (known.includes(etag)) return reply.code(304).send();
  reply.type(content_type);
  const encoding = (["br", "gzip"] as const).find(
    (name) => forms[name] && new RegExp(`\\b${name}\\b`).test(String(accepted)),
  );
  if (encoding) return reply.header("content-encoding", encoding).send(forms[encoding]);
  return reply.send(forms.plain ?? (await promisify(gunzip)(forms.gzip as Buffer)));
}
