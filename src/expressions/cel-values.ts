import type { CelInput, CelList, CelMap, CelValue } from "@bufbuild/cel";
import { celLibrary } from "./cel-library.ts";
import { namesOf } from "./json-value.ts";
import { isRecord, type Members } from "./member.ts";
import { EvaluationError, type Meter } from "./meter.ts";

/**
 * JSON as CEL reads it. Whole numbers become integers, since `count + 1` fails on the doubles that CEL sees in JSON. An
 * object is turned over member by member, when asked: a condition reads two or three members of a state of hundreds.
 */
export function fromJson(value: unknown, meter: Meter): CelInput {
  switch (typeof value) {
    case "string":
      meter.spendText(value.length);
      return value;
    case "number":
      return Number.isSafeInteger(value) ? BigInt(value) : value;
    case "boolean":
      return value;
    default:
      if (Array.isArray(value)) {
        meter.spendItems(value);
        return value.map((item) => fromJson(item, meter));
      }
      return isRecord(value) ? new JsonMap(value, meter) : null;
  }
}

/** A member that is not there is null, as in JMESPath; `has()` still tells (CEL's own null counts as absent there too). */
class JsonMap extends Map<string, CelInput> {
  readonly #members: Members;
  readonly #meter: Meter;

  constructor(members: Members, meter: Meter) {
    super();
    this.#members = members;
    this.#meter = meter;
  }

  override get size(): number {
    return namesOf(this.#members, this.#meter).length;
  }

  override get(name: unknown): CelInput {
    this.#meter.spend();
    if (typeof name !== "string" || !Object.hasOwn(this.#members, name)) return null;
    return fromJson(this.#members[name], this.#meter);
  }

  override keys(): MapIterator<string> {
    const names = Object.keys(this.#members);
    this.#meter.spendItems(names);
    return names.values();
  }

  override *entries(): MapIterator<[string, CelInput]> {
    for (const name of namesOf(this.#members, this.#meter)) yield [name, this.get(name)];
  }
}

/** The JSON of a result, as protobuf writes it: bytes in base64, times as RFC 3339, durations in seconds. */
export function toJson(value: CelValue, meter: Meter): unknown {
  meter.spend();
  switch (typeof value) {
    case "string":
      meter.spendText(value.length);
      return value;
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw new EvaluationError("the result is not a number JSON has");
      return value;
    case "bigint":
      return safeNumber(value);
    default:
      return value === null ? null : objectToJson(value, meter);
  }
}

function objectToJson(value: CelValue, meter: Meter): unknown {
  const { isCelList, isCelMap, isCelType, isCelUint } = celLibrary();
  if (value instanceof Uint8Array) return bytesToJson(value, meter);
  if (isCelUint(value)) return safeNumber(value.value);
  if (isCelList(value)) return listToJson(value, meter);
  if (isCelMap(value)) return mapToJson(value, meter);
  return isCelType(value) ? value.name : messageToJson(value);
}

function safeNumber(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new EvaluationError(`the result ${value} is past what a JSON number holds exactly`);
}

function bytesToJson(bytes: Uint8Array, meter: Meter): string {
  meter.spendText(bytes.length);
  return bytes.toBase64();
}

function listToJson(list: CelList, meter: Meter): unknown[] {
  // One at a time: a list that was joined to itself thirty times has a size but no memory yet.
  const items: unknown[] = [];
  for (const item of list) items.push(toJson(item, meter));
  return items;
}

function mapToJson(map: CelMap, meter: Meter): Members {
  const { isCelUint } = celLibrary();
  const members: [string, unknown][] = [];
  for (const [key, value] of map) {
    const name = isCelUint(key) ? String(key.value) : String(key);
    members.push([name, toJson(value, meter)]);
  }
  return Object.fromEntries(members);
}

/** `google.protobuf.Timestamp` and `Duration`, the only messages that an expression can make here. */
type Message = { message: { $typeName: string; seconds?: bigint; nanos?: number } };

function messageToJson(value: unknown): string {
  const { $typeName, seconds = 0n, nanos = 0 } = (value as Message).message;
  if ($typeName === "google.protobuf.Timestamp") {
    return new Temporal.Instant(seconds * 1_000_000_000n + BigInt(nanos)).toString();
  }
  if ($typeName === "google.protobuf.Duration") {
    const sign = seconds < 0n || nanos < 0 ? "-" : "";
    const whole = seconds < 0n ? -seconds : seconds;
    const fraction = nanos === 0 ? "" : `.${String(Math.abs(nanos)).padStart(9, "0").replace(/0+$/, "")}`;
    return `${sign}${whole}${fraction}s`;
  }
  throw new EvaluationError(`a ${$typeName} has no JSON form here`);
}
