import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sha256 } from "../base/crypto.ts";

/** A text that stays the same while the program runs. Only its compressed form is kept: browsers take no other. */
export type Packed = { content_type: string; bytes: Buffer; etag: string };

export async function pack(content_type: string, text: string): Promise<Packed> {
  return { content_type, bytes: await promisify(gzip)(text), etag: `W/"${sha256(text)}"` };
}

/** Answers 304 to a client that already has it, and unpacks it for one that doesn't accept gzip. */
export async function sendPacked(
  request: FastifyRequest,
  reply: FastifyReply,
  { content_type, bytes, etag }: Packed,
): Promise<FastifyReply> {
  const { "if-none-match": known = "", "accept-encoding": accepted = "" } = request.headers;
  reply.header("etag", etag).header("cache-control", "no-cache").header("vary", "accept-encoding");
  if (known.includes(etag)) return reply.code(304).send();
  reply.type(content_type);
  return /\bgzip\b/.test(String(accepted))
    ? reply.header("content-encoding", "gzip").send(bytes)
    : reply.send(await promisify(gunzip)(bytes));
}
