import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";

/** One more row of those above. */
export const AddRow = (props: { noun: string; disabled: boolean; onAdd(): void }) => (
  <div>
    <Button
      size="compact-sm"
      variant="subtle"
      leftSection={<IconPlus size={14} />}
      disabled={props.disabled}
      onClick={props.onAdd}
    >
      Add {props.noun}
    </Button>
  </div>
);
