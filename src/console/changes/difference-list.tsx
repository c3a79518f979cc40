import { Text } from "@mantine/core";
import { Scroller } from "../parts/parts.tsx";
import { type FieldLabels, fieldLabel } from "../server/field-labels.ts";
import classes from "./difference-list.module.css";
import type { Difference } from "./differences.ts";
import { Folding } from "./folding.tsx";
import { lineChanges } from "./line-changes.ts";
import { useShown } from "./use-shown.ts";

/**
 * What differs, value by value: removed lines with a minus, added lines with a plus. With `labels` each value has the
 * name that a form gives it, without them its path. `whose` tells two lists on one page apart for those who hear it.
 */
export function DifferenceList(props: {
  entries: Difference[];
  labels?: FieldLabels | undefined;
  whose?: "Their change" | "Your change";
}) {
  const { entries, labels, whose = "Change" } = props;
  const shown = useShown(entries, labels);
  if (entries.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No differences.
      </Text>
    );
  }
  return (
    <ul className={classes.list}>
      {shown.map(({ path, before, after }) => (
        <li key={path}>
          {labels ? (
            <b className={classes.name}>{fieldLabel(path, labels)}</b>
          ) : (
            <code className={classes.path}>{path || "value"}</code>
          )}
          <Scroller
            className={classes.lines}
            label={`${whose} of ${labels ? fieldLabel(path, labels) : path || "the value"}`}
          >
            <pre>
              <Folding
                lines={lineChanges(before, after)}
                isSame={({ kind }) => kind === "same"}
                line={({ kind, text }, at) => (
                  <span key={at} className={classes[kind]} dir="auto">
                    {kind === "added" ? "+ " : kind === "removed" ? "− " : "  "}
                    {text}
                    {"\n"}
                  </span>
                )}
                fold={(button) => button}
              />
            </pre>
          </Scroller>
        </li>
      ))}
    </ul>
  );
}
