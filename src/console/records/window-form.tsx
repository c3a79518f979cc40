import { Button, Group, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { type ReactNode, useRef } from "react";
import { useAction } from "../parts/action.ts";
import { ActionWindow } from "../parts/action-window.tsx";
import { Failure } from "../parts/parts.tsx";
import { ApiError } from "../server/api.ts";
import { useAskBeforeLeaving } from "./ask-before-leaving.ts";
import { BLANK_NAME, blankName } from "./blank-name.ts";
import { fieldErrors } from "./field-errors.ts";
import { type Changed, useMeanwhile } from "./meanwhile.ts";
import { TheirChange } from "./save-review.tsx";
import { stopAtUnfinished } from "./unfinished.ts";

/** A short form in a window. The API's errors appear at their fields, those without a field above them. */
export function useWindowForm<Values extends object, Stored>(options: {
  initial: Values;
  send(values: Values): Promise<Stored>;
  onSent(stored: Stored): unknown;
  /** Whether a path such as `variants.0.weight` has a control of its own; left out: the names of the values have. */
  hasField?(path: string): boolean;
  /** What was there before, so that nobody's change is overwritten unseen. */
  changed?: Changed<Values, NonNullable<Stored> & object> | undefined;
}) {
  const { initial, send, onSent } = options;
  const hasField = options.hasField ?? ((path: string) => Object.hasOwn(initial, path));
  const form = useForm<Values>({ initialValues: initial });
  const sending = useAction({
    mutationFn: () => send(form.getValues()),
    onSuccess: onSent,
    onError: (error) => form.setErrors(faultsOf(error, hasField).fields),
  });
  const meanwhile = useMeanwhile(form, options.changed, () => sending.mutate());
  const error = meanwhile.error ?? sending.error;
  const isPending = meanwhile.isPending || sending.isPending;
  return {
    form,
    /** The last answer, for windows that stay open after sending. */
    stored: sending.data,
    /** For `<WindowForm sending>`. */
    sending: {
      /** Something was entered that is lost if the window goes. */
      isTyped: form.isDirty() && !isPending && !sending.isSuccess,
      isPending,
      general: error ? faultsOf(error, hasField).general : [],
      submit() {
        const blank = blankName(form.getValues());
        if (blank !== null) form.setFieldError(blank, BLANK_NAME);
        else if (options.changed) meanwhile.submit();
        else sending.mutate();
      },
      their: meanwhile.their,
      /** Takes the failure away that is shown. */
      forget: sending.reset,
    },
  };
}

function faultsOf(error: Error, hasField: (path: string) => boolean) {
  const told = error instanceof ApiError ? error : new ApiError(0, error.message);
  return fieldErrors(told, hasField);
}

/**
 * Where no field is named to begin with, the keyboard begins before the first one. At the first button, which closes the
 * window, Enter would close it.
 */
function beginHere(form: HTMLFormElement | null): void {
  if (form && !form.querySelector("[data-autofocus]")) form.dataset.autofocus = "";
}

/** A short form in a window of its own, with two buttons below. */
export function WindowForm(props: {
  title: string;
  size?: string;
  /** What the button that sends it says. */
  verb: string;
  sending: ReturnType<typeof useWindowForm>["sending"];
  /** Something in it is never shown again. */
  showsOnce?: boolean;
  onClose(): void;
  children: ReactNode;
}) {
  const { title, size, verb, sending, showsOnce = false, onClose, children } = props;
  const { their } = sending;
  const save = useRef<HTMLButtonElement>(null);
  useAskBeforeLeaving(sending.isTyped, { acrossViews: false });
  return (
    <ActionWindow
      opened
      isPending={sending.isPending}
      isTyped={sending.isTyped}
      showsOnce={showsOnce}
      onClose={onClose}
      title={title}
      {...(size !== undefined && { size })}
    >
      <form
        ref={beginHere}
        tabIndex={-1}
        style={{ outline: "none" }}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!stopAtUnfinished(event.currentTarget)) sending.submit();
        }}
      >
        <Stack gap="md">
          {sending.general.map((text) => (
            <Failure key={text} error={new Error(text)} />
          ))}
          {children}
          {their && (
            <TheirChange
              {...their}
              merge={() => {
                their.merge();
                // Its own button is gone; this one can be pressed once it is drawn again.
                requestAnimationFrame(() => save.current?.focus());
              }}
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={sending.isPending}>
              Cancel
            </Button>
            <Button
              ref={save}
              type="submit"
              loading={sending.isPending}
              disabled={their !== null && !their.isAgreed}
            >
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </ActionWindow>
  );
}
