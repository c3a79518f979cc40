import { Fragment, type ReactNode } from "react";
import classes from "./parts.module.css";

/** A text that somebody gave: in the direction of its own first letter, and moving nothing beside it. */
export const Name = ({ children }: { children: string | number }) => (
  <bdi className={hasShortWords(children) ? classes.word : undefined}>{children}</bdi>
);

/** Several of them behind each other, of hundreds the first ones: one that is read from the right doesn't change places with its neighbours. */
export function Names({ of, between = ", ", none = "–", most = 20 }: Props) {
  if (of.length === 0) return none;
  const more = of.length - most;
  return (
    <>
      {of.slice(0, most).map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same may stand there twice
        <Fragment key={index}>
          {index > 0 && between}
          <Name>{name}</Name>
        </Fragment>
      ))}
      {more > 0 && ` and ${more.toLocaleString("en")} more`}
    </>
  );
}
type Props = { of: readonly string[]; between?: string; none?: ReactNode; most?: number };

/** Words, addresses and names are read whole; longer ones, such as keys, break wherever the column ends. */
const hasShortWords = (value: string | number): boolean => /^\S{1,24}(?:\s+\S{1,24})*$/.test(String(value));
