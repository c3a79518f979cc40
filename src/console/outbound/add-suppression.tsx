import { Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { SuppressionCreateRequest } from "../api-types.ts";
import { ApiError, call } from "../ground/api.ts";
import { fieldErrors } from "../ground/field-errors.ts";
import { WindowForm } from "../ground/window-form.tsx";
import { choices, REASONS, SCOPES, SUPPRESSIONS } from "./suppression-words.ts";

const FIELDS = ["address", "scope", "reason", "comment"];

/** One address by hand. */
export function AddSuppression({ onClose }: { onClose(): void }) {
  const client = useQueryClient();
  const form = useForm<Required<SuppressionCreateRequest>>({
    initialValues: { address: "", scope: "all", reason: "do-not-call", comment: "" },
  });
  const add = useMutation({
    mutationFn: () => {
      const { comment, ...values } = form.getValues();
      return call("POST /api/v1/suppressions/", { body: { ...values, comment: comment || null } });
    },
    async onSuccess({ address }) {
      onClose();
      notifications.show({ message: `${address} is not reached any more`, color: "green" });
      await client.invalidateQueries({ queryKey: [SUPPRESSIONS] });
    },
    onError(error) {
      if (error instanceof ApiError)
        form.setErrors(fieldErrors(error, (path) => FIELDS.includes(path)).fields);
    },
  });
  const general =
    add.error instanceof ApiError ? fieldErrors(add.error, (path) => FIELDS.includes(path)).general : [];
  return (
    <WindowForm
      title="New suppression"
      verb="Suppress"
      isSending={add.isPending}
      general={general}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <TextInput
        label="Number or e-mail address"
        description="Numbers with their country: +1 512 555 0123."
        required
        data-autofocus
        {...form.getInputProps("address")}
      />
      <Select
        label="Kept from"
        data={choices(SCOPES)}
        allowDeselect={false}
        {...form.getInputProps("scope")}
      />
      <Select label="Why" data={choices(REASONS)} allowDeselect={false} {...form.getInputProps("reason")} />
      <TextInput label="Comment" dir="auto" {...form.getInputProps("comment")} />
    </WindowForm>
  );
}
