import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { ComponentType, ReactNode } from "react";
import { lastChange } from "../changes/last-change.ts";
import type { MergeInside, Together } from "../changes/merge.ts";
import { asLeft } from "../parts/as-left.ts";
import { type Crumb, Failure, Fetched, PageHead } from "../parts/parts.tsx";
import { ApiError, type Operation } from "../server/api.ts";
import type { FieldLabels } from "../server/field-labels.ts";
import { useMay } from "../server/me.tsx";
import { missingPermission } from "../server/plain-words.ts";
import { Time } from "../time/time.tsx";
import { type FieldsForm, type RecordForm, useRecordForm } from "./record-form.tsx";
import { RemoveRecord } from "./remove-record.tsx";

/** What the page of one kind of record says and shows, of what is read and of what saving answers. */
export type RecordKind<Stored, Saved, Values extends object> = {
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
  nameOf?(record: Stored): string;
  /** What stands for the record in the address, where that is not its number. */
  keyOf?(record: Stored): string;
  /** The number of its newest version, where it has some. */
  version?(record: Stored): number;
  /** Below the heading, in place of who changed the record last. */
  About?: ComponentType<{ record: Stored }>;
  /** How often a record that changes by itself is read again. */
  refresh_ms?: number;
  /** What of the record the form shows, and what a new form begins with: `fieldsOf(…)`, or by hand. */
  values(record: Saved | null): Values;
  labels?: FieldLabels;
  hides?: readonly string[];
  together?: Together;
  inside?: MergeInside;
  acrossViews?: boolean;
  /** Keys of other queries that show what was changed. */
  alsoInvalidates?: readonly (readonly unknown[])[];
  /** A record that nobody changes, whatever they may. */
  isFixed?(record: Stored): boolean;
  restore?(record: Stored): Promise<unknown>;
  /** In place of the button that deletes and asks for a reason. */
  Remove?: ComponentType<{ record: Stored }>;
  /** What else the page of a stored record shows, around its form. */
  Around?: ComponentType<{ record: Stored; children: ReactNode }>;
  Form: ComponentType<RecordFormProps<Stored, Values>>;
};

/** How its records are read and kept. */
type Kept<Stored, Values> = {
  /** The operation of the list, which is read again after each change. */
  listed: Operation;
  read(key: string): Promise<Stored>;
  save(values: Values, stored: Stored | null): Promise<Stored>;
  remove?(record: Stored, reason: string): Promise<unknown>;
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
 * The page of one record, whose key, or `new`, stands in the address: reads it, or begins a new one; checks what the
 * person may do; saves, deletes, and goes where the record is then. The page itself is only the fields.
 */
export function recordPageOf<Stored extends object, Values extends object>(
  kind: RecordKind<Stored, Stored, Values> & Kept<Stored, Values>,
): ComponentType {
  const { permission, noun, queryKey, list, listed, remove, restore, Remove, About, Around, Form } = kind;
  const { nameOf = ownName, keyOf = ownNumber, version } = kind;

  function Editor({ id, record }: { id: string; record: Stored | null }) {
    const may = useMay();
    const navigate = useNavigate();
    const form = useRecordForm<Stored, Values>({
      ...kind,
      record,
      reread: () => kind.read(id),
      invalidates: [[queryKey], ...(kind.alsoInvalidates ?? []), [listed]],
      onSaved: (stored) => {
        const key = keyOf(stored);
        const to = `${kind.address ?? list.to}/${encodeURIComponent(key)}`;
        // The way back leads to no address that was only for beginning it, or that it had before.
        if (key !== id) void navigate({ to, replace: true });
      },
    });
    const isFixed = record !== null && kind.isFixed?.(record) === true;
    const readOnly = !may(`${permission}_write`) || isFixed;
    const mayRemove = record !== null && may(`${permission}_delete`) && !isFixed;
    const extra =
      mayRemove &&
      (Remove ? (
        <Remove record={record} />
      ) : (
        remove && (
          <RemoveRecord
            noun={kind.removes ?? noun.toLowerCase()}
            name={nameOf(record)}
            remove={(reason) => remove(record, reason)}
            {...(restore && { restore: () => restore(record) })}
            invalidates={[[listed]]}
            onRemoved={() => void navigate({ to: asLeft(list.to), ignoreBlocker: true, replace: true })}
          />
        )
      ));
    return <Form form={form.fields} record={record} readOnly={readOnly} frame={{ form, readOnly, extra }} />;
  }

  return function Page() {
    const { id } = useParams({ strict: false }) as { id: string };
    const isNew = id === "new";
    const mayWrite = useMay()(`${permission}_write`);
    const record = useQuery({
      queryKey: [queryKey, id],
      queryFn: () => kind.read(id),
      enabled: !isNew,
      refetchInterval: kind.refresh_ms ?? false,
    });
    const editor = (found: Stored | null) => <Editor key={id} id={id} record={found} />;
    return (
      <>
        <PageHead
          title={isNew ? kind.newTitle : record.data ? nameOf(record.data) : kind.title}
          back={list}
          about={
            record.data &&
            (About ? <About record={record.data} /> : <LastChange record={record.data} version={version} />)
          }
        />
        {isNew && !mayWrite ? (
          <Failure error={new ApiError(403, missingPermission(`${permission}_write`))} />
        ) : isNew ? (
          editor(null)
        ) : (
          <Fetched query={record} lines={12}>
            {(found) =>
              Around ? (
                <Around key={id} record={found}>
                  {editor(found)}
                </Around>
              ) : (
                editor(found)
              )
            }
          </Fetched>
        )}
      </>
    );
  };
}

function LastChange<Stored extends object>(props: {
  record: Stored;
  version: ((record: Stored) => number) | undefined;
}) {
  const { record, version } = props;
  const { at, by } = lastChange(record);
  if (!at) return null;
  return (
    <>
      {version ? `Version ${version(record)}, updated` : "Updated"} <Time at={at} />
      {by && (
        <>
          {" "}
          by <bdi>{by}</bdi>
        </>
      )}
    </>
  );
}

const ownName = (record: unknown): string => (record as { name: string }).name;
const ownNumber = (record: unknown): string => String((record as { id: number }).id);
