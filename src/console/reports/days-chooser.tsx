import { SegmentedControl } from "@mantine/core";
import { counted } from "../parts/counted.ts";

const CHOICES = ["7", "30", "90", "365"];

/** The number of days shown, including today. */
export function DaysChooser({ days, onChange }: { days: string; onChange(days: string): void }) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="Days"
      data={CHOICES.map((value) => ({ value, label: counted(Number(value), "day") }))}
      value={days}
      onChange={onChange}
    />
  );
}

/** The number of days in the address, if it is one of the choices. */
export const chosenDays = (text: unknown): string => (CHOICES.includes(String(text)) ? String(text) : "30");
