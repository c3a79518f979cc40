import { Alert, Button, Group, Stack } from "@mantine/core";
import { type FormErrors, type UseFormReturnType, useForm } from "@mantine/form";
import { useHotkeys } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { type Difference, differences } from "../changes/differences.ts";
import { lastChange } from "../changes/last-change.ts";
import { conflicts, type MergeInside, mergeChanges, type Together } from "../changes/merge.ts";
import { Unreadable } from "../editors/unreadable.ts";
import { Failure } from "../parts/parts.tsx";
import { ApiError } from "../server/api.ts";
import { type FieldLabels, fieldLabel } from "../server/field-labels.ts";
import { useUnanswered } from "../server/unanswered.ts";
import { useAskBeforeLeaving } from "./ask-before-leaving.ts";
import { fieldErrors, hasField, isShown } from "./field-errors.ts";
import { ReadOnly } from "./read-only.tsx";
import { type Pending, type Review, SaveReview } from "./save-review.tsx";
import { stopAtUnfinished } from "./unfinished.ts";

type Options<Record_ extends object, Values extends object> = {
  /** The record as it was read; null while a new one is filled in. */
  record: Record_ | null;
  /** The form's values of a record, or the initial values of a new one. */
  values(record: Record_ | null): Values;
  /** Sends the values and resolves with the stored record. `stored` is the record as it is now, for fields that the form sends without showing. */
  save(values: Values, stored: Record_ | null): Promise<Record_>;
  /** Reads the record again, to see whether somebody else changed it meanwhile. */
  reread?(): Promise<Record_>;
  /** Keys of the queries that show what was changed. */
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

  /** Sets the values that later changes are compared with; what is typed may differ already. */
  const begin = (from: Values, typed: Values = from) => {
    form.setInitialValues(from);
    form.setValues(typed);
    form.resetDirty(from);
  };

  // An untouched form follows the record when it is read again.
  const [shown, setShown] = useState(record);
  if (record !== shown) {
    setShown(record);
    if (!form.isDirty() && unreadable === 0) begin(values(record));
  }

  const { mutationKey, isUnanswered } = useUnanswered();
  const saving = useMutation({
    mutationKey,
    mutationFn: (stored: Record_ | null) => save(form.getValues(), stored),
    async onSuccess(stored) {
      setPending(null);
      begin(values(stored));
      notifications.show({ message: `${noun} saved`, color: "green", autoClose: 3000 });
      await Promise.all(invalidates.map((queryKey) => client.invalidateQueries({ queryKey })));
      onSaved(stored);
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

  const compare = useMutation({
    mutationKey,
    mutationFn: async (_seen: Comparison<Record_, Values> | null): Promise<Comparison<Record_, Values>> => {
      const stored = record !== null && reread ? await reread() : record;
      const now = stored === null ? initial : values(stored);
      const mine = form.getValues();
      const changes = differences(initial, mine).map((change) => withoutSecret(change, hides));
      const others = differences(initial, now);
      const theirs =
        others.length > 0 && stored !== null
          ? {
              ...lastChange(stored),
              changes: others,
              conflicts: conflicts(initial, mine, now, together, inside),
            }
          : null;
      return { changes, theirs, stored, now };
    },
    onSuccess(found, seen) {
      if (seen && differences(seen.now, found.now).length === 0) saving.mutate(found.stored);
      else setPending(found);
    },
    onError(fault) {
      setPending(null);
      setError(fault);
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
        if (!isUnanswered()) compare.mutate(pending);
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
      if (isUnanswered()) return;
      form.clearErrors();
      setGeneral([]);
      setError(null);
      if (record === null) saving.mutate(null);
      else compare.mutate(null);
    },
    discard() {
      form.reset();
      setGeneral([]);
      setEdition((number) => number + 1);
    },
  };
}

/** Surrounds the fields with general errors, the buttons and the review before saving. */
export function RecordFormFrame<Values extends object>(props: {
  form: RecordForm<Values>;
  children: ReactNode;
  /** Without permission the fields stay to be read, and nothing can be saved. */
  readOnly?: boolean;
  extra?: ReactNode;
  /** What the button says, where several forms stand on a page. */
  verb?: string;
}) {
  const { form, children, readOnly = false, extra, verb } = props;
  const { isDirty, isSaving, isNew, review } = form;
  const fields = useRef<HTMLFieldSetElement>(null);
  const element = useRef<HTMLFormElement>(null);
  const mayBeSaved = !readOnly && isDirty && !isSaving && review.pending === null;
  // In fields and editors, too.
  useHotkeys([["mod+S", () => mayBeSaved && element.current?.requestSubmit()]], [], true);
  const general = [...form.general, ...useUnseen(form.form.errors, fields, review.labels)];
  const shown = (
    <Stack gap="md" key={form.edition}>
      {children}
    </Stack>
  );
  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // The invalid text would be left out: the form still holds the last valid value.
        if (readOnly) return;
        if (form.isUnreadable) focusUnreadable(event.currentTarget);
        else if (!stopAtUnfinished(event.currentTarget)) form.submit();
      }}
    >
      <Stack gap="md">
        {general.length > 0 && (
          <Alert color="red" icon={<IconAlertTriangle />} role="alert" title="This can't be saved yet">
            {general.map((text) => (
              <div key={text}>{text}</div>
            ))}
          </Alert>
        )}
        {review.error && <Failure error={review.error} />}
        <fieldset ref={fields} disabled={isSaving} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
          <Unreadable value={form.setUnreadable}>
            {readOnly ? <ReadOnly>{shown}</ReadOnly> : shown}
          </Unreadable>
        </fieldset>
        {!readOnly && (
          <Group gap="xs">
            <Button type="submit" loading={isSaving} disabled={!isDirty && !isNew}>
              {verb ?? (isNew ? "Create" : "Review and save")}
            </Button>
            {isDirty && !isNew && (
              <Button variant="default" onClick={form.discard} disabled={isSaving}>
                Discard changes
              </Button>
            )}
            {extra}
          </Group>
        )}
      </Stack>
      <SaveReview review={review} isSaving={isSaving} />
    </form>
  );
}

/** Errors that no visible field shows: inside a value edited as a whole, or on another view of the record. */
function useUnseen(errors: FormErrors, fields: RefObject<HTMLElement | null>, labels: FieldLabels): string[] {
  const [unseen, setUnseen] = useState<string[]>([]);
  useEffect(() => {
    const shown = fields.current?.textContent ?? "";
    const found = Object.entries(errors).flatMap(([path, text]) =>
      typeof text === "string" && !isShown(text, shown) ? [`${fieldLabel(path, labels)}: ${text}`] : [],
    );
    setUnseen((before) => (before.join("\n") === found.join("\n") ? before : found));
  });
  return unseen;
}

function withoutSecret(change: Difference, hides: readonly string[]): Difference {
  const { path, after } = change;
  const isSecret = hides.some(
    (hidden) => path === hidden || (hidden.endsWith(".*") && path.startsWith(hidden.slice(0, -1))),
  );
  if (!isSecret) return change;
  const isSet = after !== null && after !== undefined && after !== "";
  return { path, before: isSet ? null : "the stored secret", after: isSet ? "a new secret" : null };
}

function focusUnreadable(form: HTMLFormElement): void {
  form.querySelector<HTMLElement>('[data-unreadable="true"] [contenteditable]')?.focus();
}

function focusFirstError(): void {
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>('[aria-invalid="true"]');
    field?.focus();
    if (!field) document.querySelector('[role="alert"]')?.scrollIntoView({ block: "center" });
  });
}
