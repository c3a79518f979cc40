import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

/** Sent with every call; exactly what `decoderFor` can open. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

/**
 * `bytes` are at most the cap, `truncated` says that more was there, and `decoded` that they are no longer as the
 * answer's content-encoding names them (an encoding nobody offered is handed on as it came).
 */
type ReadBody = { bytes: Buffer; truncated: boolean; decoded: boolean };

/** Whether all that is wanted of an answer has come with this piece of it, so that its end is not waited for. */
export type IsEnough = (piece: Buffer) => boolean;

/**
 * An encoded body may be this much longer on the wire than the cap on what it decodes to. More is an encoder made to
 * waste us: endless empty blocks decode to nothing and would never meet the cap.
 */
const ENCODING_OVERHEAD_bytes = 65_536;

/**
 * Reads `body` up to `cap` decoded bytes. Stopping early destroys it, and with it the socket: the rest of an oversized
 * answer is neither read nor waited for.
 */
export async function readBody(
  body: Readable,
  encoding: string | undefined,
  cap: number,
  isEnough?: IsEnough,
): Promise<ReadBody> {
  // Destroying an unfinished body also makes it emit the error that the loops below have seen already.
  body.on("error", () => {});
  const open = decoderFor(encoding);
  if (!open) return { ...(await collect(body, cap, isEnough)), decoded: false };

  const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return { bytes: Buffer.alloc(0), truncated: false, decoded: true };
  const decoder = open(first.value);
  const wire = upTo(cap + ENCODING_OVERHEAD_bytes, first.value, chunks);
  try {
    // Errors of either end come out of reading the decoder.
    pipeline(wire, decoder, () => {});
    return { ...(await collect(decoder, cap, isEnough)), decoded: true };
  } catch (error) {
    if (!(error instanceof WireTooLong)) throw error;
    return { bytes: Buffer.alloc(0), truncated: true, decoded: true };
  } finally {
    body.destroy();
  }
}

async function collect(
  source: Readable,
  cap: number,
  isEnough: IsEnough = () => false,
): Promise<{ bytes: Buffer; truncated: boolean }> {
  const pieces: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const { done, value: chunk } = await pieces.next();
    if (done) break;
    chunks.push(chunk);
    length += chunk.length;
    // Only a byte beyond the cap proves that there is more: an answer of exactly the cap is whole.
    if (length > cap) {
      await pieces.return?.();
      return { bytes: Buffer.concat(chunks, cap), truncated: true };
    }
    if (isEnough(chunk)) {
      void readOut(source, pieces, cap);
      break;
    }
  }
  return { bytes: Buffer.concat(chunks, length), truncated: false };
}

/** An answer that ends soon after what was wanted of it leaves a connection to use again; another one costs it. */
const ENDS_SOON_ms = 1_000;

async function readOut(source: Readable, pieces: AsyncIterator<Buffer>, most_bytes: number): Promise<void> {
  const timer = setTimeout(() => source.destroy(), ENDS_SOON_ms).unref();
  try {
    for (let left = most_bytes; left >= 0; ) {
      const { done, value } = await pieces.next();
      if (done) return;
      left -= value.length;
    }
    source.destroy();
  } catch {
    // What was wanted is there.
  } finally {
    clearTimeout(timer);
  }
}

class WireTooLong extends Error {}

async function* upTo(limit: number, first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  let seen = 0;
  for (let chunk = first; ; ) {
    seen += chunk.length;
    if (seen > limit) throw new WireTooLong();
    yield chunk;
    const next = await rest.next();
    if (next.done) return;
    chunk = next.value;
  }
}

/** Opens a decoder once the first bytes are known; undefined for a body to be taken as it is. */
function decoderFor(encoding: string | undefined): ((first: Buffer) => Transform) | undefined {
  switch (encoding?.trim().toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return () => createGunzip();
    case "br":
      return () => createBrotliDecompress();
    case "deflate":
      // By the RFC in zlib's wrapper, whose first byte ends in 8; some servers send the bare stream.
      return (first) => (((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw());
    default:
      return undefined;
  }
}
