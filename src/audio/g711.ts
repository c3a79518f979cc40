/*
 * G.711, the telephone's code: 8 bits a sample, finer where it is quiet. https://www.itu.int/rec/T-REC-G.711
 * Samples are 16-bit linear here; µ-law keeps 14 bits of them, A-law 13.
 */

const ULAW_BIAS = 0x84;
const ULAW_CLIP = 32_635;

const ULAW_VALUES = Int16Array.from({ length: 256 }, (_, code) => ulawValue(code));
const ALAW_VALUES = Int16Array.from({ length: 256 }, (_, code) => alawValue(code));

export function decodeUlaw(codes: Uint8Array): Int16Array {
  return Int16Array.from(codes, (code) => ULAW_VALUES[code] as number);
}

export function encodeUlaw(samples: Int16Array): Uint8Array {
  return Uint8Array.from(samples, ulawCode);
}

export function decodeAlaw(codes: Uint8Array): Int16Array {
  return Int16Array.from(codes, (code) => ALAW_VALUES[code] as number);
}

export function encodeAlaw(samples: Int16Array): Uint8Array {
  return Uint8Array.from(samples, alawCode);
}

/** All bits are inverted on the line; then sign, three bits of exponent, four of mantissa. */
function ulawValue(code: number): number {
  const bits = ~code & 0xff;
  const exponent = (bits >> 4) & 0x07;
  const magnitude = ((((bits & 0x0f) << 3) + ULAW_BIAS) << exponent) - ULAW_BIAS;
  return bits & 0x80 ? -magnitude : magnitude;
}

function ulawCode(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), ULAW_CLIP) + ULAW_BIAS;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

/** Every other bit is inverted on the line; the lowest segment has no leading one. */
function alawValue(code: number): number {
  const bits = code ^ 0x55;
  const exponent = (bits >> 4) & 0x07;
  const mantissa = bits & 0x0f;
  const magnitude = exponent === 0 ? (mantissa << 4) + 8 : ((mantissa << 4) + 0x108) << (exponent - 1);
  return bits & 0x80 ? magnitude : -magnitude;
}

function alawCode(sample: number): number {
  const sign = sample >= 0 ? 0x80 : 0;
  const magnitude = Math.min(sample >= 0 ? sample : ~sample, 32_767);
  const exponent = magnitude < 256 ? 0 : 31 - Math.clz32(magnitude) - 7;
  const mantissa = (magnitude >> (exponent === 0 ? 4 : exponent + 3)) & 0x0f;
  return (sign | (exponent << 4) | mantissa) ^ 0x55;
}
