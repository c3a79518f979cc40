import { PasswordInput, type PasswordInputProps } from "@mantine/core";

type Props = PasswordInputProps & {
  label?: string;
  /** Whose it is, where a page has several of this label. */
  of?: string;
};

/** A secret that is typed. The switch that shows it is reached by keyboard, and named for the field. */
export function PasswordField({ of, ...props }: Props) {
  const name = props["aria-label"] ?? props.label;
  return (
    <PasswordInput
      {...props}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ "aria-label": `Show ${name}${of ? ` of ${of}` : ""}` }}
    />
  );
}
