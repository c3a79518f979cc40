import { useNavigate } from "@tanstack/react-router";
import type { ComponentType, ReactNode } from "react";
import type { Together } from "../changes/merge.ts";
import type { Crumb } from "../parts/parts.tsx";
import { type Answer, call, type Given, type Operation } from "../server/api.ts";
import type { FieldLabels } from "../server/field-labels.ts";
import { useMay } from "../server/me.tsx";
import type { Body, Sent } from "./record-fields.ts";
import { type FieldsForm, type RecordForm, useRecordForm } from "./record-form.tsx";
import { RecordPage } from "./record-page.tsx";
import { RemoveRecord } from "./remove-record.tsx";

/** The operations that answer with what is read of a record, or with a part of it; another one doesn't compile. */
type Answering<Method extends string, Stored> = {
  [O in Operation]: Stored extends Answer<O> ? O : never;
}[Operation] &
  `${Method} ${string}`;

type RecordKind<
  R extends Operation & `GET ${string}`,
  C extends Answering<"POST", Answer<R>>,
  U extends Answering<"PUT", Answer<R>>,
  Values extends object,
> = {
  operations: { list: Operation; read: R; create: C; update: U; remove?: Operation & `DELETE ${string}` };
  /** `agents`: with `_write` the form can be saved, with `_delete` the record deleted. */
  permission: string;
  /** What the notice says: "Data source". */
  noun: string;
  /** What the window that deletes calls it, where that is not the noun: "group". */
  removes?: string;
  /** Begins the key of the record's query. */
  queryKey: string;
  /** The list it belongs to. */
  list: Crumb;
  /** Below which its records stand, where that is not the list's own address. */
  address?: string;
  newTitle: string;
  /** The page's heading until the name is known. */
  title: string;
  nameOf?(record: Answer<R>): string;
  /** The number of its newest version, where it has some. */
  version?(record: Answer<R>): number;
  /** What of the record the form shows, and what a new form begins with: `fieldsOf(…)`, or by hand. */
  values(record: Answer<U> | null): Values;
  /** What is sent of the values; the number of the record comes with it by itself. */
  body(values: Values, stored: Answer<U> | null): Sent<U> & NonNullable<Body<C>>;
  labels?: FieldLabels;
  hides?: readonly string[];
  together?: Together;
  acrossViews?: boolean;
  /** Keys of other queries that show what was changed. */
  alsoInvalidates?: readonly (readonly unknown[])[];
  /** A record that nobody changes, whatever they may. */
  isFixed?(record: Answer<R>): boolean;
  /** The name under which the API takes the reason of a deletion. */
  reasonAs?: "reason" | "comment";
  restore?(id: number): Promise<unknown>;
  /** In place of the button that deletes and asks for a reason. */
  Remove?: ComponentType<{ record: Answer<R> }>;
  Form: ComponentType<RecordFormProps<Answer<R>, Values>>;
};

export type RecordFormProps<Stored, Values extends object> = {
  form: FieldsForm<Values>;
  /** The record as it was read; null while a new one is filled in. */
  record: Stored | null;
  readOnly: boolean;
  /** For `<RecordFormFrame {...frame}>`, around the fields. */
  frame: { form: RecordForm<Values>; readOnly: boolean; extra: ReactNode };
};

/**
 * The page of one kind of record: reads it by the number in the address, or begins a new one; checks what the person may
 * do; saves, deletes, and goes where the record is then. The page itself is only the fields.
 */
export function recordPage<
  R extends Operation & `GET ${string}`,
  C extends Answering<"POST", Answer<R>>,
  U extends Answering<"PUT", Answer<R>>,
  Values extends object,
>(kind: RecordKind<R, C, U, Values>): ComponentType {
  type Stored = Answer<R> & Answer<U> & { id: number };
  const { operations, permission, noun, queryKey, list, Form } = kind;
  const address = kind.address ?? list.to;
  const nameOf = kind.nameOf ?? ((record) => (record as { name: string }).name);
  const read = (id: string | number) => send<Stored>(operations.read, { path: pathOf(operations.read, id) });

  function Editor({ id, record }: { id: string; record: Stored | null }) {
    const may = useMay();
    const navigate = useNavigate();
    const form = useRecordForm<Stored, Values>({
      noun,
      record,
      values: kind.values,
      ...(kind.labels && { labels: kind.labels }),
      ...(kind.hides && { hides: kind.hides }),
      ...(kind.together && { together: kind.together }),
      ...(kind.acrossViews && { acrossViews: true }),
      save(values, stored) {
        const body = kind.body(values, stored);
        if (stored === null) return send<Stored>(operations.create, { body });
        const path = pathOf(operations.update, stored.id);
        return send<Stored>(operations.update, path ? { path, body } : { body: { ...body, id: stored.id } });
      },
      reread: () => read(id),
      invalidates: [[queryKey], ...(kind.alsoInvalidates ?? []), [operations.list]],
      onSaved: (stored) => {
        if (record === null) void navigate({ to: `${address}/${stored.id}` });
      },
    });
    const isFixed = record !== null && kind.isFixed?.(record) === true;
    const mayRemove = record !== null && may(`${permission}_delete`) && !isFixed;
    const { remove, list: listed } = operations;
    const extra = mayRemove && kind.Remove && <kind.Remove record={record} />;
    const readOnly = !may(`${permission}_write`) || isFixed;
    return (
      <Form
        // The same by a narrower type, which Mantine's can't be compared with while Values is open.
        form={form.form as unknown as FieldsForm<Values>}
        record={record}
        readOnly={readOnly}
        frame={{
          form,
          readOnly,
          extra:
            extra ||
            (mayRemove && remove && (
              <RemoveRecord
                noun={kind.removes ?? noun.toLowerCase()}
                name={nameOf(record)}
                remove={(reason) =>
                  send(remove, {
                    path: pathOf(remove, record.id),
                    query: { [kind.reasonAs ?? "reason"]: reason },
                  })
                }
                {...(kind.restore && { restore: () => kind.restore?.(record.id) ?? Promise.resolve() })}
                invalidates={[[listed]]}
                onRemoved={() => void navigate({ to: list.to, ignoreBlocker: true })}
              />
            )),
        }}
      />
    );
  }

  return function Page() {
    return (
      <RecordPage<Stored>
        queryKey={queryKey}
        newTitle={kind.newTitle}
        title={kind.title}
        {...(kind.nameOf && { nameOf: kind.nameOf })}
        back={list}
        read={read}
        {...(kind.version && { version: kind.version })}
      >
        {(id, found) => <Editor key={id} id={id} record={found} />}
      </RecordPage>
    );
  };
}

/** What a call is typed by is known where the kind of record is written down; here it is any of them. */
const send = <T,>(operation: Operation, given: object): Promise<T> =>
  call(operation, given as Given<Operation>) as Promise<T>;

/** The record's number under the name that the operation has for it; undefined where it is not in the address. */
function pathOf(operation: string, id: string | number): Record<string, string | number> | undefined {
  const name = /\{(\w+)\}/.exec(operation)?.[1];
  return name === undefined ? undefined : { [name]: id };
}
