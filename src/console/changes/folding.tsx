import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { Fragment, type ReactNode, useState } from "react";
import { counted } from "../parts/counted.ts";
import classes from "./folding.module.css";
import { stretches } from "./line-changes.ts";

/** Lines of which some changed: where many stay the same, a button stands for them that shows them. */
export function Folding<Line>(props: {
  lines: readonly Line[];
  isSame(line: Line): boolean;
  /** One line; its place is its key. */
  line(line: Line, at: number): ReactNode;
  /** What the button stands in. */
  fold(button: ReactNode): ReactNode;
}) {
  const { lines, isSame, line, fold } = props;
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  return stretches(lines, isSame).map(({ from, lines: part, isFolded }) => (
    <Fragment key={from}>
      {isFolded &&
        fold(
          <button
            type="button"
            className={classes.fold}
            aria-expanded={opened.has(from)}
            onClick={() => setOpened(opened.symmetricDifference(new Set([from])))}
          >
            {opened.has(from) ? <IconChevronDown size={13} /> : <IconChevronRight size={13} />}
            {counted(part.length, "unchanged line")}
          </button>,
        )}
      {(!isFolded || opened.has(from)) && part.map((each, index) => line(each, from + index))}
    </Fragment>
  ));
}
