import type { ReactNode } from "react";
import { MinuteField } from "./minute-field.tsx";
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
    <MinuteField
      {...rest}
      label={`${label} (${zone})`}
      value={toWall(value, zone)}
      onChange={(wall) => onChange(wall === "" ? null : toInstant(wall, zone))}
    />
  );
}
