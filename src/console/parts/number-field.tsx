import { NumberInput, type NumberInputProps } from "@mantine/core";
import { useState } from "react";

/** A share as it is entered, without what a binary fraction adds: 0.07 is 7 and not 7.000000000000001. */
export const percentOf = (share: number): number => Number((share * 100).toPrecision(12));

type Props = Omit<NumberInputProps, "value" | "onChange" | "onBlur"> & {
  value: number;
  onNumber(value: number): void;
};

/**
 * A number that there has to be. One that was cleared is shown again when the field is left: the form still has it, and another
 * one can be typed in its place, which behind a nought would be ten times as much.
 */
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
