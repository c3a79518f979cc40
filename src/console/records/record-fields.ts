import type { Operations } from "../api-types.ts";
import type { Answer, Operation } from "../server/api.ts";
import type { FieldLabels } from "../server/field-labels.ts";

/** What an operation takes, and which of it a form deals with: the number of the record is not typed by anybody. */
export type Body<O extends Operation> = Operations[O]["body"];
export type Sent<O extends Operation> = Omit<NonNullable<Body<O>>, "id">;

/** A field's value as it is read: what the API leaves out is null. */
type Read<Stored, K> = K extends keyof Stored
  ? undefined extends Stored[K]
    ? Exclude<Stored[K], undefined> | null
    : Stored[K]
  : never;

/** Nothing is written into what a new record begins with. */
type Initial<Value> = Value extends (infer Item)[] ? readonly Item[] : Value;

/** One field of a form: what a new record begins with, and its label where that is not plainly its name. */
export type Field<Value> = { label?: string } & (
  | { initial: Initial<Value> }
  /** The form shows an empty field where the record has none, and sends null for it. */
  | { initial: Initial<NonNullable<Value>>; emptyIsNull: true }
  /** Said of a change, not kept in the form: it begins empty each time and is sent with an update only. */
  | { initial: ""; isNote: true }
);

/** A field that the form leaves alone: sent again as it is stored, or not sent at all. */
type LeftAlone = "as stored" | "not sent";

/** Each field that the operation takes, so that none is forgotten: a PUT replaces the whole record. */
export type FieldsOf<O extends Operation> = {
  [K in keyof Sent<O>]-?: Field<Read<Answer<O>, K>> | LeftAlone;
};

export type ValuesOf<O extends Operation, F> = {
  [K in keyof F as F[K] extends LeftAlone ? never : K]: F[K] extends { isNote: true }
    ? string
    : F[K] extends { emptyIsNull: true }
      ? NonNullable<Read<Answer<O>, K>>
      : Read<Answer<O>, K>;
};

/** What is sent of them. */
export type BodyOf<O extends Operation, F> = {
  [K in keyof F as F[K] extends "not sent" ? never : K]: F[K] extends { isNote: true } | { emptyIsNull: true }
    ? string | null
    : Read<Answer<O>, K>;
};

/** A text that may be empty, for which the API has null. */
export const optionalText = (label?: string) => ({
  initial: "" as const,
  emptyIsNull: true as const,
  ...(label !== undefined && { label }),
});

/** What changed in a version, in the author's words. */
export const VERSION_NOTE = { initial: "", isNote: true, label: "Version note" } as const;

/**
 * A form's values from the record that `operation` answers, and what it takes from the values. A field that the API
 * doesn't know, one that is forgotten, and one that begins with a wrong value don't compile.
 */
export function fieldsOf<O extends Operation, const F extends FieldsOf<O>>(
  _operation: O,
  fields: F & Record<Exclude<keyof F, keyof FieldsOf<O>>, never>,
): {
  values(record: Answer<O> | null): ValuesOf<O, F>;
  body(values: ValuesOf<O, F>, stored: Answer<O> | null): BodyOf<O, F>;
  labels: FieldLabels;
} {
  const all = Object.entries(fields as Record<string, LooseField | LeftAlone>);
  const shown = all.filter((entry): entry is [string, LooseField] => typeof entry[1] === "object");
  return {
    values: (record) =>
      Object.fromEntries(
        shown.map(([name, { initial, isNote }]) => [
          name,
          record === null || isNote ? initial : (valueAt(record, name) ?? initial),
        ]),
      ) as ValuesOf<O, F>,
    body: (values, stored) =>
      Object.fromEntries([
        ...shown
          .filter(([, { isNote }]) => stored !== null || !isNote)
          .map(([name, { emptyIsNull, isNote }]) => {
            const value = valueAt(values, name);
            return [name, (emptyIsNull || isNote) && value === "" ? null : value];
          }),
        ...all
          .filter(([, field]) => field === "as stored" && stored !== null)
          .map(([name]) => [name, valueAt(stored, name) ?? null]),
      ]) as BodyOf<O, F>,
    labels: Object.fromEntries(shown.flatMap(([name, { label }]) => (label ? [[name, label]] : []))),
  };
}

type LooseField = { initial: unknown; emptyIsNull?: true; isNote?: true; label?: string };

const valueAt = (of: unknown, name: string): unknown => (of as Record<string, unknown>)[name];
