import { Alert, Button, Group, Stack } from "@mantine/core";
import type { FormErrors } from "@mantine/form";
import { useHotkeys } from "@mantine/hooks";
import { IconAlertTriangle } from "@tabler/icons-react";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { Unreadable } from "../editors/unreadable.ts";
import { Failure } from "../parts/parts.tsx";
import { type FieldLabels, fieldLabel } from "../server/field-labels.ts";
import { isShown } from "./field-errors.ts";
import { ReadOnly } from "./read-only.tsx";
import type { RecordForm } from "./record-form.tsx";
import { SaveReview } from "./save-review.tsx";
import { stopAtUnfinished } from "./unfinished.ts";

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
  const save = useRef<HTMLButtonElement>(null);
  const hasChange = isDirty || isNew;
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
        if (readOnly || !hasChange) return;
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
        <fieldset
          ref={fields}
          disabled={isSaving}
          // Editors are no fields: what is typed in one meanwhile would go with what was stored.
          inert={isSaving}
          style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}
        >
          <Unreadable value={form.setUnreadable}>
            {readOnly ? <ReadOnly>{shown}</ReadOnly> : shown}
          </Unreadable>
        </fieldset>
        {!readOnly && (
          <Group gap="xs">
            {/* Only aria-disabled: a disabled button would lose the keyboard focus. */}
            <Button
              ref={save}
              type="submit"
              loading={isSaving}
              data-disabled={!hasChange}
              aria-disabled={!hasChange}
            >
              {verb ?? (isNew ? "Create" : "Review and save")}
            </Button>
            {isDirty && !isNew && (
              <Button
                variant="default"
                onClick={() => {
                  // This button goes with the changes.
                  save.current?.focus();
                  form.discard();
                }}
                disabled={isSaving}
              >
                Discard changes
              </Button>
            )}
            {extra}
          </Group>
        )}
      </Stack>
      <SaveReview
        isSaving={isSaving}
        review={{
          ...review,
          merge() {
            review.merge();
            // The fields are drawn anew with their values.
            requestAnimationFrame(() => save.current?.focus());
          },
        }}
      />
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

function focusUnreadable(form: HTMLFormElement): void {
  form.querySelector<HTMLElement>('[data-unreadable="true"] [contenteditable]')?.focus();
}
