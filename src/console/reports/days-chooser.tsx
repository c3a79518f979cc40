import { SegmentedControl } from "@mantine/core";

const CHOICES = ["7", "30", "90", "365"];

/** How many days are looked at, today included. */
export function DaysChooser({ days, onChange }: { days: string; onChange(days: string): void }) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="Days"
      data={CHOICES.map((value) => ({ value, label: `${value} days` }))}
      value={days}
      onChange={onChange}
    />
  );
}

/** What the address says, where it says something that can be chosen. */
export const chosenDays = (text: unknown): string => (CHOICES.includes(String(text)) ? String(text) : "30");
