import { Select, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import type { SuppressionCreateRequest } from "../api-types.ts";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { AddressField } from "./ledger-page.tsx";
import { choices, REASONS, SCOPES, SUPPRESSIONS } from "./suppression-words.ts";

const NEW: Required<SuppressionCreateRequest> = {
  address: "",
  scope: "all",
  reason: "do-not-call",
  comment: "",
};

/** Adds one address by hand. */
export function AddSuppression({ onClose }: { onClose(): void }) {
  const client = useQueryClient();
  const { form, sending } = useWindowForm({
    initial: NEW,
    send: ({ comment, ...values }) =>
      call("POST /api/v1/suppressions/", { body: { ...values, comment: comment || null } }),
    async onSent({ address }) {
      onClose();
      notifications.show({ message: `${address} is suppressed`, color: "green" });
      await client.invalidateQueries({ queryKey: [SUPPRESSIONS] });
    },
  });
  return (
    <WindowForm title="New suppression" verb="Suppress" sending={sending} onClose={onClose}>
      <AddressField {...form.getInputProps("address")} />
      <Select
        label="Blocked for"
        data={choices(SCOPES)}
        allowDeselect={false}
        {...form.getInputProps("scope")}
      />
      <Select
        label="Reason"
        data={choices(REASONS)}
        allowDeselect={false}
        {...form.getInputProps("reason")}
      />
      <TextInput label="Comment" {...form.getInputProps("comment")} />
    </WindowForm>
  );
}
