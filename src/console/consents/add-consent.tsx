import { Select, Textarea } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import type { ConsentCreateRequest } from "../api-types.ts";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { AddressField } from "../suppressions/ledger-page.tsx";
import { choices } from "../suppressions/suppression-words.ts";
import { CHANNELS, CONSENTS, GIVEN, PURPOSES } from "./consent-words.ts";

const NEW: Required<Omit<ConsentCreateRequest, "evidence" | "valid_from">> = {
  address: "",
  purpose: "marketing",
  channel: "call",
  given_through: "form",
  wording: "",
};

/** Records one consent by hand, as of now. */
export function AddConsent({ onClose }: { onClose(): void }) {
  const client = useQueryClient();
  const { form, sending } = useWindowForm({
    initial: NEW,
    send: ({ wording, ...values }) =>
      call("POST /api/v1/consents/", { body: { ...values, wording: wording || null } }),
    async onSent({ address }) {
      onClose();
      notifications.show({ message: `The consent of ${address} is recorded`, color: "green" });
      await client.invalidateQueries({ queryKey: [CONSENTS] });
    },
  });
  return (
    <WindowForm title="New consent" verb="Record" sending={sending} onClose={onClose}>
      <AddressField {...form.getInputProps("address")} />
      <Select
        label="Channel"
        data={choices(CHANNELS)}
        allowDeselect={false}
        {...form.getInputProps("channel")}
      />
      <Select
        label="Purpose"
        data={choices(PURPOSES)}
        allowDeselect={false}
        {...form.getInputProps("purpose")}
      />
      <Select
        label="Given"
        data={choices(GIVEN)}
        allowDeselect={false}
        {...form.getInputProps("given_through")}
      />
      <Textarea
        label="Wording"
        description="What the person agreed to, word for word. It proves the consent."
        autosize
        minRows={2}
        {...form.getInputProps("wording")}
      />
    </WindowForm>
  );
}
