import { Button, Group } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { Failure } from "../parts/parts.tsx";

type Props = {
  /** One row, and all of them, as the buttons call them: step, steps. */
  noun: { one: string; all: string };
  canAdd: boolean;
  isChanged: boolean;
  save: { error: Error | null; isPending: boolean; mutate(): void };
  onAdd(): void;
};

/** Below rows that are saved as a whole: one more, and save. */
export function RowsToSave({ noun, canAdd, isChanged, save, onAdd }: Props) {
  return (
    <>
      {save.error && <Failure error={save.error} />}
      <Group gap="sm">
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconPlus size={14} />}
          disabled={!canAdd}
          onClick={onAdd}
        >
          Add {noun.one}
        </Button>
        <Button
          variant="default"
          loading={save.isPending}
          disabled={!isChanged}
          onClick={() => save.mutate()}
        >
          Save {noun.all}
        </Button>
      </Group>
    </>
  );
}
