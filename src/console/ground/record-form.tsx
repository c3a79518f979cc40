import { Alert, Button, Checkbox, Group, Modal, Stack, Text } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ApiError } from "./api.ts";
import { DifferenceList } from "./difference-list.tsx";
import { type Difference, differences } from "./differences.ts";
import { fieldErrors } from "./field-errors.ts";
import type { FieldLabels } from "./field-words.ts";
import { Failure } from "./parts.tsx";

type Options<Record_, Values extends object> = {
  /** The record as it was read; null while a new one is filled in. */
  record: Record_ | null;
  /** What of the record the form shows, and, without one, what a new form begins with. */
  values(record: Record_ | null): Values;
  /** Sends the values; resolves with the stored record. */
  save(values: Values): Promise<Record_>;
  /** Reads the record again, to see whether somebody else changed it meanwhile. */
  reread?(): Promise<Record_>;
  /** Keys of the queries that show what was changed. */
  invalidates: readonly (readonly unknown[])[];
  onSaved(record: Record_): void;
  /** What the notice says: "Agent". */
  noun: string;
  /** Secrets: the review says that they change, not to what. */
  hides?: readonly string[];
  /** How the form calls its fields, for the review. */
  labels?: FieldLabels;
};

export type RecordForm<Values extends object> = {
  form: UseFormReturnType<Values>;
  isNew: boolean;
  isSaving: boolean;
  isDirty: boolean;
  general: string[];
  /** What `<RecordFormFrame>` needs to ask before it saves. */
  review: Review;
  submit(): void;
  discard(): void;
};

type Review = {
  pending: { changes: Difference[]; conflict: Difference[] } | null;
  labels: FieldLabels;
  confirm(): void;
  cancel(): void;
  error: Error | null;
};

/**
 * A form over one record. Before a change is sent, the record is read again and the person sees what will change; if
 * somebody else saved meanwhile, they see that too. What the API finds wrong stands at its field.
 */
export function useRecordForm<Record_, Values extends object>(
  options: Options<Record_, Values>,
): RecordForm<Values> {
  const { record, values, save, reread, invalidates, onSaved, noun, hides = [], labels = {} } = options;
  const client = useQueryClient();
  const form = useForm<Values>({ initialValues: values(record), onValuesChange: () => setGeneral([]) });
  const [general, setGeneral] = useState<string[]>([]);
  const [pending, setPending] = useState<Review["pending"]>(null);
  const [error, setError] = useState<Error | null>(null);
  const initial = form.getInitialValues();

  // A form that nobody has touched shows the record as it was last read.
  const [shown, setShown] = useState(record);
  if (record !== shown) {
    setShown(record);
    if (!form.isDirty()) {
      form.setInitialValues(values(record));
      form.setValues(values(record));
    }
  }

  const saving = useMutation({
    mutationFn: (chosen: Values) => save(chosen),
    async onSuccess(stored) {
      setPending(null);
      form.setInitialValues(values(stored));
      form.setValues(values(stored));
      form.resetDirty();
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

  const look = useMutation({
    mutationFn: async (chosen: Values) => {
      const now = record !== null && reread ? values(await reread()) : initial;
      const changes = differences(initial, chosen).map((change) =>
        hides.includes(change.path) ? { path: change.path, before: null, after: "a new secret" } : change,
      );
      return { changes, conflict: differences(initial, now) };
    },
    onSuccess: setPending,
    onError: setError,
  });

  const isSaving = saving.isPending || look.isPending;
  // Fields are disabled while it is being saved; only then can one take the focus again.
  const isRefused = useRef(false);
  useEffect(() => {
    if (isSaving || !isRefused.current) return;
    isRefused.current = false;
    focusFirstError();
  }, [isSaving]);

  return {
    form,
    general,
    isNew: record === null,
    isSaving,
    isDirty: form.isDirty(),
    review: {
      pending,
      labels,
      error,
      confirm: () => saving.mutate(form.getValues()),
      cancel: () => {
        setPending(null);
        setError(null);
      },
    },
    submit() {
      form.clearErrors();
      setGeneral([]);
      setError(null);
      if (record === null) saving.mutate(form.getValues());
      else look.mutate(form.getValues());
    },
    discard() {
      form.reset();
      setGeneral([]);
    },
  };
}

/** Around the fields: what no field stands for, the buttons, the question before leaving, and the review before saving. */
export function RecordFormFrame<Values extends object>(props: {
  form: RecordForm<Values>;
  children: ReactNode;
  /** Without permission the fields stay to be read, and nothing can be saved. */
  readOnly?: boolean;
  extra?: ReactNode;
}) {
  const { form, children, readOnly = false, extra } = props;
  const { general, isDirty, isSaving, isNew, review } = form;
  useBlocker({
    shouldBlockFn: () => isDirty && !isSaving && !window.confirm("Leave without saving what you changed?"),
    enableBeforeUnload: () => isDirty && !isSaving,
  });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // What it says would be left out: the value of the form is still the one before it.
        const unreadable = event.currentTarget.querySelector('[data-unreadable="true"] [contenteditable]');
        if (unreadable instanceof HTMLElement) unreadable.focus();
        else form.submit();
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
        <fieldset disabled={readOnly || isSaving} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
          <Stack gap="md">{children}</Stack>
        </fieldset>
        {!readOnly && (
          <Group gap="xs">
            <Button type="submit" loading={isSaving} disabled={!isDirty && !isNew}>
              {isNew ? "Create" : "Review and save"}
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
      <ReviewWindow review={review} isSaving={isSaving} />
    </form>
  );
}

function ReviewWindow({ review, isSaving }: { review: Review; isSaving: boolean }) {
  const { pending, labels } = review;
  const conflict = pending?.conflict ?? [];
  const [agreed, { toggle, close }] = useDisclosure(false);
  return (
    <Modal
      opened={pending !== null}
      onClose={review.cancel}
      onExitTransitionEnd={close}
      title="Review the change"
      size="lg"
    >
      <Stack gap="md">
        {conflict.length > 0 && (
          <Alert
            color="yellow"
            icon={<IconAlertTriangle />}
            title="Somebody else changed this record meanwhile"
          >
            <Text size="sm" mb="xs">
              Below is what they changed. Saving puts your form in its place, theirs included.
            </Text>
            <DifferenceList entries={conflict} labels={labels} />
            <Checkbox mt="sm" label="Save mine over theirs" checked={agreed} onChange={toggle} />
          </Alert>
        )}
        <DifferenceList entries={pending?.changes ?? []} labels={labels} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={review.cancel}>
            Keep editing
          </Button>
          <Button
            onClick={review.confirm}
            loading={isSaving}
            disabled={conflict.length > 0 && !agreed}
            data-autofocus
          >
            Save
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Whether the form has a value at this path, so that an error there is seen. */
function hasField(values: object, path: string): boolean {
  let value: unknown = values;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return false;
    value = (value as Record<string, unknown>)[part];
  }
  return true;
}

function focusFirstError(): void {
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>('[aria-invalid="true"]');
    field?.focus();
    if (!field) document.querySelector('[role="alert"]')?.scrollIntoView({ block: "center" });
  });
}
