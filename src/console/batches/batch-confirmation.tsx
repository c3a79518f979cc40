import { Alert, Button, NumberInput, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { BatchConfirmation } from "../api-types.ts";
import { counted } from "../parts/counted.ts";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

const CONFIRMATION = "GET /api/v1/outbound/batches/{batch_id}/confirmation";

/** Above a batch that waits for a second look at how many people it has. */
export function BatchConfirmationNeeded({ batch_id }: { batch_id: string }) {
  const mayConfirm = useMay()("outbound_write");
  const [isOpen, { open, close }] = useDisclosure(false);
  const { data } = useQuery({
    queryKey: ["batch", batch_id, "confirmation"],
    queryFn: ({ signal }) => call(CONFIRMATION, { path: { batch_id }, signal }),
  });
  if (!data?.is_needed) return null;
  return (
    <Alert color="yellow" title="Waiting for a confirmation">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {counted(data.people, "person", "people")}. More than {data.above?.toLocaleString("en")} are only
          contacted when somebody confirms it.
        </Text>
        {mayConfirm && (
          <Button size="xs" onClick={open}>
            Confirm
          </Button>
        )}
      </Stack>
      {isOpen && <ConfirmWindow batch_id={batch_id} confirmation={data} onClose={close} />}
    </Alert>
  );
}

function ConfirmWindow(props: { batch_id: string; confirmation: BatchConfirmation; onClose(): void }) {
  const { batch_id, confirmation, onClose } = props;
  const client = useQueryClient();
  const { form, sending } = useWindowForm({
    initial: { people: "" as number | "" },
    send: ({ people }) =>
      call("POST /api/v1/outbound/batches/{batch_id}/confirmation", {
        path: { batch_id },
        body: { people: Number(people) },
      }),
    async onSent() {
      await Promise.all([["batch"], ["campaign"]].map((queryKey) => client.invalidateQueries({ queryKey })));
      onClose();
    },
  });
  return (
    <WindowForm title="Confirm the batch" verb="Contact them" sending={sending} onClose={onClose}>
      <NumberInput
        label="Number of people"
        description={`Type ${confirmation.people.toLocaleString("en")} to have all of them contacted.`}
        required
        data-autofocus
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator=","
        {...form.getInputProps("people")}
      />
    </WindowForm>
  );
}
