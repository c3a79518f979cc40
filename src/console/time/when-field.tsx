import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { toInstant, toWall } from "./wall-time.ts";
import { useZone } from "./zone.ts";

/** A date and time input in the chosen zone. */
export function WhenField(props: {
  label: string;
  description?: ReactNode;
  value: string | null | undefined;
  onChange(at: string | null): void;
  error?: ReactNode;
  required?: boolean;
}) {
  const { value, onChange, label, ...rest } = props;
  const zone = useZone();
  return (
    <TextInput
      {...rest}
      label={`${label} (${zone})`}
      type="datetime-local"
      // Without a maximum, browsers accept years of five digits, which the API refuses.
      max="9999-12-31T23:59"
      value={toWall(value, zone)}
      onChange={({ currentTarget }) => onChange(toInstant(currentTarget.value, zone))}
    />
  );
}
