import { SegmentedControl } from "@mantine/core";

/** Switches between a few views of the same data; `views` maps each value to its label. */
export function ViewSwitch<Views extends Readonly<Record<string, string>>>(props: {
  label: string;
  views: Views;
  value: keyof Views & string;
  onChange(view: keyof Views & string): void;
}) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={props.label}
      data={Object.entries(props.views).map(([value, label]) => ({ value, label }))}
      value={props.value}
      onChange={props.onChange}
    />
  );
}
