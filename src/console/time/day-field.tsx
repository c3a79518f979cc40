import { DateInput, type DateInputProps } from "@mantine/dates";
import "@mantine/dates/styles.css";
import { writtenDay } from "./written-date.ts";

/** A day, written and shown as 2026-11-20 in every browser; a calendar opens beside it. "" and null: none. */
export function DayField({
  value,
  onChange,
  ...rest
}: Omit<DateInputProps, "value" | "onChange"> & {
  value: string | null;
  onChange(day: string | null): void;
}) {
  return (
    <DateInput
      placeholder="YYYY-MM-DD"
      {...rest}
      data-written="day"
      valueFormat="YYYY-MM-DD"
      dateParser={writtenDay}
      fixOnBlur={false}
      clearable={!rest.required}
      clearButtonProps={{ "aria-label": "Clear the date" }}
      value={value || null}
      onChange={onChange}
    />
  );
}
