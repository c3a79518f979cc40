import { SegmentedControl } from "@mantine/core";

/** One of a few ways to look at the same; `views` names each by the value it stands for. */
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
