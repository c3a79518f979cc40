import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { toInstant, toWall } from "./wall-time.ts";
import { useZone } from "./zone.ts";

/** An instant, written on the clock of the chosen zone. */
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
      // So that the browser takes no year of five digits, which is no instant that can be sent.
      max="9999-12-31T23:59"
      value={toWall(value, zone)}
      onChange={({ currentTarget }) => onChange(toInstant(currentTarget.value, zone))}
    />
  );
}
