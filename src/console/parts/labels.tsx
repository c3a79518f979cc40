import { Group } from "@mantine/core";
import classes from "./parts.module.css";
import { Status } from "./parts.tsx";

/** The labels of a record, for a cell of a list; a long one is cut, so that it leaves room to the columns beside it. */
export const Labels = ({ labels }: { labels: readonly string[] | null | undefined }) => (
  <Group gap={4}>
    {labels?.map((label) => (
      <span key={label} className={classes.label} title={label}>
        <Status tone="quiet">
          <bdi>{label}</bdi>
        </Status>
      </span>
    ))}
  </Group>
);
