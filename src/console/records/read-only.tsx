import { createTheme, MantineThemeProvider } from "@mantine/core";
import type { MouseEvent, ReactNode } from "react";

/**
 * Fields that can be read, focused and copied, and not changed. Disabled ones are faint, skipped by the keyboard, and in
 * some browsers their text can't be selected. Buttons among the fields add and remove, so they are off.
 */
export function ReadOnly({ children }: { children: ReactNode }) {
  return (
    <MantineThemeProvider inherit theme={readOnlyTheme}>
      <div onClickCapture={refuseToggle}>{children}</div>
    </MantineThemeProvider>
  );
}

const readOnly = { defaultProps: { readOnly: true } };
const marked = { defaultProps: { "aria-readonly": true } };
const off = { defaultProps: { disabled: true } };

const readOnlyTheme = createTheme({
  components: {
    Autocomplete: readOnly,
    DateInput: readOnly,
    DatePickerInput: readOnly,
    FileInput: readOnly,
    MultiSelect: readOnly,
    NumberInput: readOnly,
    PasswordInput: readOnly,
    SegmentedControl: readOnly,
    Select: readOnly,
    TagsInput: readOnly,
    TextInput: readOnly,
    Textarea: readOnly,
    TimeInput: readOnly,
    Checkbox: marked,
    Switch: marked,
    ActionIcon: off,
    Button: off,
    CloseButton: off,
  },
});

/** HTML has no read-only checkbox, so the click that would change it is stopped on its way. */
function refuseToggle(event: MouseEvent<HTMLElement>): void {
  const { target } = event;
  if (!(target instanceof HTMLInputElement) || !["checkbox", "radio"].includes(target.type)) return;
  event.preventDefault();
  event.stopPropagation();
}
