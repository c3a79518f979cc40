import { Alert, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { CommunicationRequest } from "../api-types.ts";
import { ApiError, call } from "../ground/api.ts";
import { fieldErrors } from "../ground/field-errors.ts";
import { KeyValues } from "../ground/key-values.tsx";
import { WindowForm } from "../ground/window-form.tsx";

const FIELDS = ["reference_id", "target", "request_variables"];
const faultsOf = (error: ApiError) => fieldErrors(error, (path) => FIELDS.includes(path));

/** One more person for a batch, beside or in place of a file. */
export function AddPerson({ batch_id, onClose }: { batch_id: string; onClose(): void }) {
  const client = useQueryClient();
  const form = useForm<CommunicationRequest>({
    initialValues: { reference_id: "", target: "", request_variables: {} },
  });
  const add = useMutation({
    mutationFn: () =>
      call("POST /api/v1/outbound/batches/{batch_id}/requests", {
        path: { batch_id },
        body: form.getValues(),
      }),
    async onSuccess({ accepted }) {
      await Promise.all([["batch"], ["campaign"]].map((queryKey) => client.invalidateQueries({ queryKey })));
      if (accepted === 0) return;
      notifications.show({ message: `${form.getValues().reference_id} was added`, color: "green" });
      onClose();
    },
    onError(error) {
      if (error instanceof ApiError) form.setErrors(faultsOf(error).fields);
    },
  });
  const general = add.error instanceof ApiError ? faultsOf(add.error).general : [];
  return (
    <WindowForm
      title="Add a person"
      verb="Add"
      isSending={add.isPending}
      general={general}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      {add.data && (
        <Alert color="yellow" role="status" title="Nobody is reached for this">
          {add.data.duplicates > 0
            ? "The batch has somebody of this reference already."
            : "This is no number or address that can be reached."}
        </Alert>
      )}
      <TextInput
        label="Reference"
        description="What you call the person."
        required
        data-autofocus
        {...form.getInputProps("reference_id")}
      />
      <TextInput
        label="Number or address"
        description="Where they are reached."
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
