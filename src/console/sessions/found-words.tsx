import { Text } from "@mantine/core";
import type { FoundSession } from "../api-types.ts";
import { RouteLink } from "../parts/parts.tsx";
import classes from "./found-words.module.css";

type Found = NonNullable<FoundSession["found"]>;

/** A session by its person and one line about it; in a search for words, with the sentence they are in. */
export function SessionTitle({ row, to }: { row: FoundSession; to: string }) {
  return (
    <div className={classes.title}>
      <RouteLink to={to}>
        <bdi>{row.source ?? "Unknown person"}</bdi>
      </RouteLink>
      {row.title && (
        <Text size="sm" lineClamp={2}>
          <bdi>{row.title}</bdi>
        </Text>
      )}
      {row.found && (
        <Text size="xs" c="dimmed">
          {row.found.source === "user" ? "Person: " : "Agent: "}
          <bdi>
            <Marked found={row.found} />
          </bdi>
        </Text>
      )}
    </div>
  );
}

/** The words that were found stand out. The API gives text and places, no markup. */
function Marked({ found: { text, marks } }: { found: Found }) {
  const parts = marks.map(({ from, to }, n) => (
    <span key={from}>
      {text.slice(marks[n - 1]?.to ?? 0, from)}
      <mark>{text.slice(from, to)}</mark>
    </span>
  ));
  return (
    <>
      {parts}
      {text.slice(marks.at(-1)?.to ?? 0)}
    </>
  );
}
