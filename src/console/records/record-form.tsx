import { type UseFormReturnType, useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type Difference, differences } from "../changes/differences.ts";
import { type MergeInside, mergeChanges, type Together } from "../changes/merge.ts";
import { replacedIn } from "../changes/replaced-in.ts";
import { theirChange } from "../changes/their-change.ts";
import { useAction } from "../parts/action.ts";
import { ApiError } from "../server/api.ts";
import type { FieldLabels } from "../server/field-labels.ts";
import { useAskBeforeLeaving } from "./ask-before-leaving.ts";
import { BLANK_NAME, blankName } from "./blank-name.ts";
import { fieldErrors, hasField } from "./field-errors.ts";
import type { Pending, Review } from "./save-review.tsx";

type Options<Record_ extends object, Values extends object> = {
  /** The record as it was read; null while a new one is filled in. */
  record: Record_ | null;
  /** The form's values of a record, or the initial values of a new one. */
  values(record: Record_ | null): Values;
  /** Sends the values and resolves with the stored record. `stored` is the record as it is now, for fields that the form sends without showing. */
  save(values: Values, stored: Record_ | null): Promise<Record_>;
  /** Reads the record again, to see whether somebody else changed it meanwhile. */
  reread?(): Promise<Record_>;
  /** Keys of the queries that show what was changed. Where they hold the record, they hold what was saved at once. */
  invalidates: readonly (readonly unknown[])[];
  onSaved(record: Record_): void;
  /** What the notice says: "Agent". */
  noun: string;
  /** Secrets, `name.*` for all below a name: the review says that they change, not to what. */
  hides?: readonly string[];
  /** How the form calls its fields, for the review. */
  labels?: FieldLabels;
  /** Groups of fields that are merged as one when two people changed the record. */
  together?: Together;
  /** Fields that are merged inside when two people changed them. */
  inside?: MergeInside;
  /** Typed changes survive a switch to another view of the page; without this, switching asks first. */
  acrossViews?: boolean;
};

/** The values and their fields, by names that there are: Mantine's own type takes any text for a field's name. */
export type FieldsForm<Values extends object> = Omit<
  UseFormReturnType<Values>,
  "getInputProps" | "setFieldValue"
> & {
  getInputProps(
    field: (keyof Values & string) | `${keyof Values & string}.${string}`,
    options?: { type: "checkbox" },
  ): ReturnType<UseFormReturnType<Values>["getInputProps"]>;
  setFieldValue<K extends keyof Values & string>(field: K, value: Values[K]): void;
};

export type RecordForm<Values extends object> = {
  form: UseFormReturnType<Values>;
  /** The same by a narrower type, which Mantine's can't be compared with while Values is open. */
  fields: FieldsForm<Values>;
  isNew: boolean;
  isSaving: boolean;
  isDirty: boolean;
  general: string[];
  /** What `<RecordFormFrame>` needs to ask before it saves. */
  review: Review;
  /** Changes when the form is reset, so that fields drop any state of their own. */
  edition: number;
  /** An editor holds invalid JSON: the form counts as changed and can't be saved. */
  isUnreadable: boolean;
  setUnreadable(change: (count: number) => number): void;
  submit(): void;
  discard(): void;
};

/** The changes for review, and the stored record that they were compared with. */
type Comparison<Record_, Values> = Pending & { stored: Record_ | null; now: Values };

/**
 * A form over one record. Before a change is sent, the record is read again and the person sees what will change; if
 * somebody else saved meanwhile, they see that too, also when it happened while they looked. What the API finds wrong
 * stands at its field.
 */
export function useRecordForm<Record_ extends object, Values extends object>(
  options: Options<Record_, Values>,
): RecordForm<Values> {
  const { record, values, save, reread, invalidates, onSaved, noun } = options;
  const { hides = [], labels = {}, together = [], inside = {} } = options;
  const client = useQueryClient();
  const form = useForm<Values>({ initialValues: values(record), onValuesChange: () => setGeneral([]) });
  const [general, setGeneral] = useState<string[]>([]);
  const [pending, setPending] = useState<Comparison<Record_, Values> | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [edition, setEdition] = useState(0);
  const [unreadable, setUnreadable] = useState(0);
  const initial = form.getInitialValues();
  /** As stored, as far as this page knows: also what others saved while something was typed here. */
  const [latest, setLatest] = useState(initial);

  /** Sets the values that later changes are compared with; what is typed may differ already. */
  const begin = (from: Values, typed: Values = from) => {
    setLatest(from);
    form.setInitialValues(from);
    form.setValues(typed);
    form.resetDirty(from);
  };

  // An untouched form follows the record when it is read again.
  const [shown, setShown] = useState(record);
  if (record !== shown) {
    setShown(record);
    if (form.isDirty() || unreadable > 0) setLatest(values(record));
    else begin(values(record));
  }

  const saving = useAction({
    mutationFn: (stored: Record_ | null) => save(form.getValues(), stored),
    async onSuccess(stored) {
      setPending(null);
      // Whoever leaves and comes back before it is read again sees what they saved: what is not on the screen is dropped.
      const saved = { ...record, ...stored };
      for (const queryKey of invalidates) {
        client.removeQueries({ queryKey, type: "inactive" });
        if (record) client.setQueriesData({ queryKey }, (read) => replacedIn(read, record, saved));
      }
      begin(values(stored));
      notifications.show({ message: `${noun} saved`, color: "green", autoClose: 3000 });
      await Promise.all(invalidates.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
    onError(fault) {
      setPending(null);
      const told = fault instanceof ApiError ? fault : new ApiError(0, fault.message);
      const { fields, general: others } = fieldErrors(told, (path) => hasField(form.getValues(), path));
      form.setErrors(fields);
      setGeneral(others);
      isRefused.current = true;
    },
  });

  // Whoever has left the page meanwhile is not led elsewhere.
  const send = (stored: Record_ | null) => saving.mutate(stored, { onSuccess: onSaved });

  const compare = useAction({
    mutationFn: async (_seen: Comparison<Record_, Values> | null): Promise<Comparison<Record_, Values>> => {
      const stored = record !== null && reread ? await reread() : record;
      const now = stored === null ? initial : values(stored);
      const mine = form.getValues();
      const changes = differences(initial, mine).map((change) => withoutSecret(change, hides));
      const theirs =
        stored === null ? null : theirChange(stored, { began: initial, mine, now }, together, inside);
      return { changes, theirs: theirs?.changes.length ? theirs : null, stored, now };
    },
    onSuccess(found, seen) {
      if (seen && differences(seen.now, found.now).length === 0) send(found.stored);
      else setPending(found);
    },
    onError(fault) {
      setPending(null);
      setError(
        isGone(fault)
          ? new ApiError(404, "Somebody deleted it meanwhile. What you typed is still here.")
          : fault,
      );
    },
  });

  const isSaving = saving.isPending || compare.isPending;
  const isDirty = form.isDirty() || unreadable > 0;
  useAskBeforeLeaving(isDirty && !isSaving, {
    acrossViews: options.acrossViews === true && unreadable === 0,
  });
  // Fields are disabled while saving; a disabled field can't take the focus, so this waits.
  const isRefused = useRef(false);
  useEffect(() => {
    if (isSaving || !isRefused.current) return;
    isRefused.current = false;
    focusFirstError();
  }, [isSaving]);

  return {
    form,
    fields: form as unknown as FieldsForm<Values>,
    general,
    isNew: record === null,
    isSaving,
    isDirty,
    edition,
    isUnreadable: unreadable > 0,
    setUnreadable,
    review: {
      pending,
      labels,
      error,
      confirm: () => {
        if (!isSaving) compare.mutate(pending);
      },
      cancel: () => {
        setPending(null);
        setError(null);
      },
      merge() {
        if (pending === null) return;
        begin(pending.now, mergeChanges(initial, form.getValues(), pending.now, together, inside));
        setEdition((number) => number + 1);
        setPending(null);
      },
    },
    submit() {
      if (isSaving) return;
      form.clearErrors();
      setGeneral([]);
      setError(null);
      const blank = blankName(form.getValues());
      if (blank !== null) {
        form.setFieldError(blank, BLANK_NAME);
        focusFirstError();
      } else if (record === null) send(null);
      else compare.mutate(null);
    },
    discard() {
      begin(latest);
      form.reset();
      setGeneral([]);
      setEdition((number) => number + 1);
    },
  };
}

const isGone = (fault: Error): boolean => fault instanceof ApiError && fault.status === 404;

function withoutSecret(change: Difference, hides: readonly string[]): Difference {
  const { path, after } = change;
  const isSecret = hides.some(
    (hidden) => path === hidden || (hidden.endsWith(".*") && path.startsWith(hidden.slice(0, -1))),
  );
  if (!isSecret) return change;
  const isSet = after !== null && after !== undefined && after !== "";
  return { path, before: isSet ? null : "the stored secret", after: isSet ? "a new secret" : null };
}

function focusFirstError(): void {
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>('[aria-invalid="true"]');
    field?.focus();
    if (!field) document.querySelector('[role="alert"]')?.scrollIntoView({ block: "center" });
  });
}
