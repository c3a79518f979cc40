import { DateInput } from "@mantine/dates";
import "@mantine/dates/styles.css";
import type { ReactNode } from "react";
import { writtenMinute } from "./written-date.ts";

/** A day and a minute of it, written and shown as 2026-11-20 14:30 in every browser. `value`: `2026-11-20T14:30`, "" for none. */
export function MinuteField(props: {
  label: string;
  description?: ReactNode;
  value: string;
  onChange(minute: string): void;
  error?: ReactNode;
  required?: boolean;
}) {
  const { value, onChange, ...rest } = props;
  return (
    <DateInput
      {...rest}
      data-written="minute"
      placeholder="YYYY-MM-DD HH:MM"
      valueFormat="YYYY-MM-DD HH:mm"
      withTime
      dateParser={writtenMinute}
      fixOnBlur={false}
      clearable={!rest.required}
      clearButtonProps={{ "aria-label": "Clear the date" }}
      value={value === "" ? null : value.replace("T", " ")}
      onChange={(at) => onChange(at === null ? "" : at.slice(0, "YYYY-MM-DD HH:MM".length).replace(" ", "T"))}
    />
  );
}
