import { Alert, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import type { CommunicationRequest } from "../api-types.ts";
import { KeyValues } from "../editors/key-values.tsx";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";

const NEW: CommunicationRequest = { reference_id: "", target: "", request_variables: {} };

/** Adds one person to a batch, with or without a file. */
export function AddPerson({ batch_id, onClose }: { batch_id: string; onClose(): void }) {
  const client = useQueryClient();
  const { form, stored, sending } = useWindowForm({
    initial: NEW,
    send: (body) => call("POST /api/v1/outbound/batches/{batch_id}/requests", { path: { batch_id }, body }),
    async onSent({ accepted }) {
      await Promise.all([["batch"], ["campaign"]].map((queryKey) => client.invalidateQueries({ queryKey })));
      if (accepted === 0) return;
      notifications.show({ message: `${form.getValues().reference_id} was added`, color: "green" });
      onClose();
    },
  });
  return (
    <WindowForm title="Add person" verb="Add" sending={sending} onClose={onClose}>
      {stored && (
        <Alert color="yellow" role="status" title="Nobody is reached for this">
          {stored.duplicates > 0
            ? "The batch already has a person with this reference."
            : "This is not a valid number or address."}
        </Alert>
      )}
      <TextInput
        label="Reference"
        description="Your own ID of the person."
        required
        data-autofocus
        {...form.getInputProps("reference_id")}
      />
      <TextInput
        label="Number or address"
        description="Phone number or e-mail address."
        required
        {...form.getInputProps("target")}
      />
      <KeyValues
        label="Variables"
        value={form.getValues().request_variables}
        onChange={(variables) => form.setFieldValue("request_variables", variables)}
        error={form.errors.request_variables}
      />
    </WindowForm>
  );
}
