import { TextInput } from "@mantine/core";
import type { ContactKey } from "../api-types.ts";
import { SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";

type Values = { variable: string };

/** By which variable of requests a person's addresses are joined. */
export const ContactKeyPanel = () => (
  <SettingsPanel<ContactKey, Values>
    title="One person, several addresses"
    noun="Contact key"
    queryKey={["contact-key"]}
    read={() => call("GET /api/v1/outbound/contact-key", {})}
    save={({ variable }) =>
      call("PUT /api/v1/outbound/contact-key", { body: { variable: variable.trim() || null } })
    }
    values={(found) => ({ variable: found.variable ?? "" })}
    labels={{ variable: "Variable with the person's key" }}
    permission="organizations_write"
  >
    {(form) => (
      <TextInput
        maw={360}
        label="Variable with the person's key"
        description="Addresses of requests with the same value in it become one contact, from now on. Caps and opt-outs then hold for all of them. Empty: none."
        placeholder="patient_id"
        {...form.getInputProps("variable")}
      />
    )}
  </SettingsPanel>
);
