import { decodeAlaw, decodeUlaw } from "./g711.ts";

/*
 * WAV files (RIFF): 16-bit linear is written; G.711 is read, too, since telephones record it.
 * http://soundfile.sapp.org/doc/WaveFormat/
 */

export type Audio = { rate: number; channels: Int16Array[] };

export const WAV_HEAD_BYTES = 44;
const LINEAR = 1;
const ALAW = 6;
const ULAW = 7;
const EXTENSIBLE = 0xfffe;

/** One channel, or two side by side: what the caller said on the left, what we said on the right. */
export function writeWav({ rate, channels }: Audio): Buffer {
  const length = Math.max(0, ...channels.map((channel) => channel.length));
  const block = channels.length * 2;
  const file = Buffer.alloc(WAV_HEAD_BYTES + length * block);
  wavHead({ rate, channels: channels.length, samples: length }).copy(file);
  for (const [place, channel] of channels.entries()) {
    for (const [at, sample] of channel.entries())
      file.writeInt16LE(sample, WAV_HEAD_BYTES + at * block + place * 2);
  }
  return file;
}

/** The head of a file whose samples are written after it. */
export function wavHead({
  rate,
  channels,
  samples,
}: {
  rate: number;
  channels: number;
  samples: number;
}): Buffer {
  const block = channels * 2;
  const head = Buffer.alloc(WAV_HEAD_BYTES);
  head.write("RIFF", 0);
  head.writeUInt32LE(WAV_HEAD_BYTES - 8 + samples * block, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(LINEAR, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * block, 28);
  head.writeUInt16LE(block, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples * block, 40);
  return head;
}

/** Throws a sentence that says what is wrong with the file. */
export function readWav(file: Buffer): Audio {
  if (
    file.length < 12 ||
    file.toString("latin1", 0, 4) !== "RIFF" ||
    file.toString("latin1", 8, 12) !== "WAVE"
  ) {
    throw new Error("This is not a WAV file.");
  }
  let format: { code: number; channels: number; rate: number; bits: number } | null = null;
  for (let at = 12; at + 8 <= file.length; ) {
    const name = file.toString("latin1", at, at + 4);
    const size = file.readUInt32LE(at + 4);
    const body = file.subarray(at + 8, at + 8 + size);
    if (name === "fmt " && body.length >= 16) format = readFormat(body);
    if (name === "data") {
      if (!format) throw new Error("This WAV file has no format before its samples.");
      return { rate: format.rate, channels: readSamples(body, format) };
    }
    at += 8 + size + (size % 2);
  }
  throw new Error("This WAV file holds no samples.");
}

function readFormat(body: Buffer): { code: number; channels: number; rate: number; bits: number } {
  const told = body.readUInt16LE(0);
  // The extended head names the real format in its first two bytes of an id.
  const code = told === EXTENSIBLE && body.length >= 26 ? body.readUInt16LE(24) : told;
  const format = {
    code,
    channels: body.readUInt16LE(2),
    rate: body.readUInt32LE(4),
    bits: body.readUInt16LE(14),
  };
  const isKnown =
    (code === LINEAR && format.bits === 16) || ((code === ULAW || code === ALAW) && format.bits === 8);
  if (!isKnown) throw new Error("Only WAV files of 16-bit linear, µ-law or A-law samples can be read.");
  if (format.channels < 1 || format.rate < 1)
    throw new Error("This WAV file names no channel or no sample rate.");
  return format;
}

function readSamples(
  body: Buffer,
  { code, channels, bits }: { code: number; channels: number; bits: number },
): Int16Array[] {
  const width = bits / 8;
  const length = Math.floor(body.length / (width * channels));
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Int16Array(length);
    if (code === LINEAR) {
      for (let at = 0; at < length; at++) samples[at] = body.readInt16LE((at * channels + channel) * 2);
      return samples;
    }
    const codes = Uint8Array.from({ length }, (_, at) => body[at * channels + channel] as number);
    return code === ULAW ? decodeUlaw(codes) : decodeAlaw(codes);
  });
}
