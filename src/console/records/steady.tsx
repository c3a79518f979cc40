import { memo, type ReactNode } from "react";

type Props<T> = {
  /** All that the part shows. */
  of: T;
  children(shown: T): ReactNode;
};

/**
 * A part of a long form, drawn anew only when what it shows is another: a key that is typed in one field leaves the others
 * alone. A form's values are copies after each key, so they are compared by what they say. What the part calls may be as
 * old as what it shows; it reads the form's values, and keeps none.
 */
export const Steady = memo(
  drawn,
  (before, after) => JSON.stringify(before.of) === JSON.stringify(after.of),
) as typeof drawn;

function drawn<T>({ of, children }: Props<T>): ReactNode {
  return children(of);
}
