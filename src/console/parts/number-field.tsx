import { NumberInput, type NumberInputProps } from "@mantine/core";
import { useState } from "react";

type Props = Omit<NumberInputProps, "value" | "onChange" | "onBlur"> & {
  value: number;
  onNumber(value: number): void;
};

/** A number of a workflow. One that was cleared is shown again when the field is left: the workflow still has it. */
export function NumberField({ value, onNumber, ...rest }: Props) {
  const [edition, setEdition] = useState(0);
  return (
    <NumberInput
      key={edition}
      {...rest}
      value={value}
      onChange={(typed) => typeof typed === "number" && onNumber(typed)}
      onBlur={({ currentTarget }) => currentTarget.value === "" && setEdition(edition + 1)}
    />
  );
}
