import type { ComponentType } from "react";
import { type Answer, call, type Given, type Operation } from "../server/api.ts";
import type { Body, Sent } from "./record-fields.ts";
import { type RecordKind, recordPageOf } from "./record-page.tsx";

/** The operations that answer with what is read of a record, or with a part of it; another one doesn't compile. */
type Answering<Method extends string, Stored> = {
  [O in Operation]: Stored extends Answer<O> ? O : never;
}[Operation] &
  `${Method} ${string}`;

type ByOperations<
  R extends Operation & `GET ${string}`,
  C extends Answering<"POST", Answer<R>>,
  U extends Answering<"PUT", Answer<R>>,
  Values extends object,
> = RecordKind<Answer<R>, Answer<U>, Values> & {
  operations: { list: Operation; read: R; create: C; update: U; remove?: Operation & `DELETE ${string}` };
  /** What is sent of the values; the number of the record comes with it by itself. */
  body(values: Values, stored: Answer<U> | null): Sent<U> & NonNullable<Body<C>>;
  /** The name under which the API takes the reason of a deletion. */
  reasonAs?: "reason" | "comment";
};

/** The page of one kind of record that the API's own operations read, create, update and delete by its key. */
export function recordPage<
  R extends Operation & `GET ${string}`,
  C extends Answering<"POST", Answer<R>>,
  U extends Answering<"PUT", Answer<R>>,
  Values extends object,
>(kind: ByOperations<R, C, U, Values>): ComponentType {
  type Stored = Answer<R> & Answer<U> & { id: number };
  const { operations, reasonAs = "reason", body, ...said } = kind;
  const { create, update, remove } = operations;
  const keyOf = (record: Stored) => said.keyOf?.(record) ?? record.id;
  return recordPageOf<Stored, Values>({
    ...(said as unknown as RecordKind<Stored, Stored, Values>),
    listed: operations.list,
    read: (key) => send(operations.read, { path: pathOf(operations.read, key) }),
    save(values, stored) {
      const sent = chosen(body(values, stored));
      if (stored === null) return send(create, { body: sent });
      const path = pathOf(update, keyOf(stored));
      return send(update, path ? { path, body: sent } : { body: { ...sent, id: stored.id } });
    },
    ...(remove && {
      remove: (record, reason) =>
        send(remove, { path: pathOf(remove, keyOf(record)), query: { [reasonAs]: reason } }),
    }),
  });
}

/** Records are numbered from 1: a choice that nobody made yet is left out, and the API says at its field that it is missing. */
const chosen = (body: object): object =>
  Object.fromEntries(Object.entries(body).filter(([name, value]) => !(name.endsWith("_id") && value === 0)));

/** What a call is typed by is known where the kind of record is written down; here it is any of them. */
const send = <T,>(operation: Operation, given: object): Promise<T> =>
  call(operation, given as Given<Operation>) as Promise<T>;

/** The record's key under the name that the operation has for it; undefined where it is not in the address. */
function pathOf(operation: string, key: string | number): Record<string, string | number> | undefined {
  const name = /\{(\w+)\}/.exec(operation)?.[1];
  return name === undefined ? undefined : { [name]: key };
}
