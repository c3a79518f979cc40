import type { UploadedFile } from "../api/input/form.ts";
import { sha256 } from "../base/crypto.ts";
import { invalid } from "../base/errors.ts";

/** The one size of logo the console shows, in pixels. */
const SIDE = 120;
/** A picture of 120 × 120 uncompressed has 58 kB; what is much larger is no such picture. */
export const MAX_LOGO_BYTES = 256 * 1024;

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A PNG begins with its signature and the chunk IHDR: length, name, width, height. */
export function checkedLogo({ bytes }: UploadedFile): Buffer {
  const isPng =
    bytes.length >= 33 &&
    bytes.subarray(0, 8).equals(SIGNATURE) &&
    bytes.toString("latin1", 12, 16) === "IHDR";
  if (!isPng) throw invalid(["body", "logo"], "Input should be a PNG picture");
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (width !== SIDE || height !== SIDE) {
    throw invalid(
      ["body", "logo"],
      `The logo has ${width} × ${height} pixels; it should have ${SIDE} × ${SIDE}`,
    );
  }
  return bytes;
}

/** Changes with the picture, so that a browser may keep what it has. */
export const logoVersion = (logo: Buffer): string => sha256(logo.toString("base64")).slice(0, 12);
