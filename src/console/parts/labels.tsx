import { Group } from "@mantine/core";
import { Status } from "./parts.tsx";

/** The labels of a record, for a cell of a list. */
export const Labels = ({ labels }: { labels: readonly string[] | null | undefined }) => (
  <Group gap={4}>
    {labels?.map((label) => (
      <Status key={label} tone="quiet">
        <bdi>{label}</bdi>
      </Status>
    ))}
  </Group>
);
