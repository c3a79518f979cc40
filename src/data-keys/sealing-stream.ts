import { Transform } from "node:stream";
import type { TextKey } from "../base/sealed-text.ts";
import { chunkSealer } from "./sealed-chunks.ts";

/** What goes through it lies sealed at its end, whole or not readable at all. */
export function sealing(key: TextKey): Transform {
  const sealer = chunkSealer(key);
  return new Transform({
    transform: (piece: Buffer, _encoding, done) => done(null, sealer.push(piece)),
    flush: (done) => done(null, sealer.end()),
  });
}
