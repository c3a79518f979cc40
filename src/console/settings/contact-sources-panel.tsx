import { Switch } from "@mantine/core";
import type { ContactSources } from "../api-types.ts";
import { SettingsPanel } from "../records/settings-panel.tsx";
import { call } from "../server/api.ts";

type Values = Pick<ContactSources, "inbound_sessions">;

/** Who gets a contact without anybody's doing. */
export const ContactSourcesPanel = () => (
  <SettingsPanel<ContactSources, Values>
    title="Contacts from conversations"
    noun="Contact sources"
    queryKey={["contact-sources"]}
    read={() => call("GET /api/v1/organizations/contact-sources", {})}
    save={(body) => call("PUT /api/v1/organizations/contact-sources", { body })}
    values={({ inbound_sessions }) => ({ inbound_sessions })}
    labels={{ inbound_sessions: "Make contacts of callers" }}
    permission="organizations_write"
  >
    {(form) => (
      <Switch
        label="Make contacts of callers"
        description="Everybody who calls, texts or e-mails from now on is listed in Contacts. Visitors of chat pages are not."
        {...form.getInputProps("inbound_sessions", { type: "checkbox" })}
      />
    )}
  </SettingsPanel>
);
