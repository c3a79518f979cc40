import { Autocomplete } from "@mantine/core";
import { useFault, useSurroundings } from "./step-context.ts";

/** The name of a variable that is written, completed with those that there are. */
export function NameField(props: {
  label: string;
  /** What it is of: "action 1 after the answers". Part of the name that a screen reader says. */
  of: string;
  value: string;
  onChange(name: string): void;
  place: (string | number)[];
  placeholder?: string;
}) {
  const { label, of, value, onChange, place, placeholder = "local.name" } = props;
  const { names } = useSurroundings();
  const written = names.filter(
    ({ name }) => !/^(vars\.)?session\./.test(name) && name !== "local.last_call_error",
  );
  return (
    <Autocomplete
      size="xs"
      label={label}
      aria-label={`${label} of ${of}`}
      placeholder={placeholder}
      data={[...new Set(written.map(({ name }) => name))]}
      value={value}
      onChange={onChange}
      error={useFault(...place)}
    />
  );
}
