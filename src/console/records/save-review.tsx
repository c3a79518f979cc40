import { Alert, Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useState } from "react";
import { DifferenceList } from "../changes/difference-list.tsx";
import type { Difference } from "../changes/differences.ts";
import type { LastChange } from "../changes/last-change.ts";
import type { Theirs } from "../changes/their-change.ts";
import { ActionWindow } from "../parts/action-window.tsx";
import { type FieldLabels, fieldLabel } from "../server/field-labels.ts";
import { useMe } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

/** What a person sees before a change is sent. */
export type Pending = { changes: Difference[]; theirs: Theirs | null };

export type Review = {
  pending: Pending | null;
  labels: FieldLabels;
  /** Why the stored record could not be read for the comparison. */
  error: Error | null;
  confirm(): void;
  cancel(): void;
  /** Puts what only they changed into the form, to be reviewed again. */
  merge(): void;
};

/** What will change; and if somebody else saved meanwhile, who, when and what, before anything of theirs is lost. */
export function SaveReview({ review, isSaving }: { review: Review; isSaving: boolean }) {
  const { pending, labels } = review;
  // The agreement covers what was shown; if the other person saves again, it is asked again.
  const [agreed, agreeTo] = useState<Pending | null>(null);
  const theirs = pending?.theirs ?? null;
  return (
    <ActionWindow
      opened={pending !== null}
      isPending={isSaving}
      onClose={review.cancel}
      title="Review the change"
      size="lg"
    >
      <Stack gap="md">
        {theirs && (
          <TheirChange
            theirs={theirs}
            labels={labels}
            isAgreed={agreed === pending}
            agree={(isAgreed) => agreeTo(isAgreed ? pending : null)}
            merge={review.merge}
          />
        )}
        {theirs && (
          <Text size="sm" fw={550}>
            What you changed
          </Text>
        )}
        <DifferenceList entries={pending?.changes ?? []} labels={labels} whose="Your change" />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={review.cancel} disabled={isSaving}>
            Keep editing
          </Button>
          <Button
            onClick={review.confirm}
            loading={isSaving}
            disabled={theirs !== null && agreed !== pending}
            {...(theirs === null && { "data-autofocus": true })}
          >
            Save
          </Button>
        </Group>
      </Stack>
    </ActionWindow>
  );
}

/** Who changed the record meanwhile and what, to be merged or overwritten. */
export function TheirChange(props: {
  theirs: Theirs;
  labels: FieldLabels;
  isAgreed: boolean;
  agree(isAgreed: boolean): void;
  merge(): void;
}) {
  const { theirs, labels, isAgreed, agree, merge } = props;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle />} title={<Who change={theirs} />} role="alert">
      <DifferenceList entries={theirs.changes} labels={labels} whose="Their change" />
      <Text size="sm" my="sm">
        {theirs.conflicts.length > 0
          ? `You both changed ${theirs.conflicts.map((field) => fieldLabel(field, labels)).join("; ")}: your values stay in the form. `
          : "Your changes are not affected. "}
        Saving now overwrites their change.
      </Text>
      <Stack gap="sm" align="flex-start">
        <Button size="xs" variant="default" onClick={merge} data-autofocus>
          Merge their changes
        </Button>
        <Checkbox
          label="Overwrite their changes"
          checked={isAgreed}
          onChange={({ currentTarget }) => agree(currentTarget.checked)}
        />
      </Stack>
    </Alert>
  );
}

function Who({ change: { by, at } }: { change: LastChange }) {
  const me = useMe();
  return (
    <>
      {by === null ? "Somebody else" : by === me.email ? "You, in another window," : <bdi>{by}</bdi>} changed
      this record
      {at ? (
        <>
          {" "}
          <Time at={at} distance />
        </>
      ) : (
        " meanwhile"
      )}
    </>
  );
}
