import { FileInput, Group, Image, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { OrganizationResponse } from "../api-types.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Fetched, PageHead, Panel } from "../parts/parts.tsx";
import { useRecordForm } from "../records/record-form.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { AccessRulesPanel } from "./access-rules-panel.tsx";
import { AnnouncementsPanel } from "./announcements-panel.tsx";
import { ConfirmationPanel } from "./confirmation-panel.tsx";
import { ContactKeyPanel } from "./contact-key-panel.tsx";
import { ContactSourcesPanel } from "./contact-sources-panel.tsx";
import { ErasuresPanel } from "./erasures-panel.tsx";
import { LimitsPanel } from "./limits-panel.tsx";
import { OutreachRulesPanel } from "./outreach-rules-panel.tsx";
import { PrivacyPanel } from "./privacy-panel.tsx";
import { RedactionPanel } from "./redaction-panel.tsx";
import { SafetyRulesPanel } from "./safety-rules-panel.tsx";
import { SingleSignOnPanel } from "./single-sign-on-panel.tsx";

const KEY = ["organization"];
type Values = { display_name: string; description: string; domains: string; logo: string };

const read = () => call("GET /api/v1/organizations/", {});

/** By hand: there is one, which belongs to no list and is sent as a form with a file. */
export default function OrganizationPage() {
  const may = useMay();
  const organization = useQuery({ queryKey: KEY, queryFn: read });
  return (
    <>
      <PageHead
        title="Organization"
        about={
          organization.data && (
            <>
              Updated <Time at={organization.data.last_updated} /> by {organization.data.last_updated_by}
            </>
          )
        }
      />
      <Stack gap="md">
        <Fetched query={organization}>{(found) => <Form organization={found} />}</Fetched>
        {may("outbound_read") && <OutreachRulesPanel />}
        <AnnouncementsPanel />
        {may("outbound_read") && <ContactKeyPanel />}
        {may("sessions_read") && <ContactSourcesPanel />}
        {may("outbound_read") && <ConfirmationPanel />}
        <LimitsPanel />
        <AccessRulesPanel />
        <SingleSignOnPanel />
        <SafetyRulesPanel />
        <PrivacyPanel />
        <RedactionPanel />
        {may("sessions_delete") && <ErasuresPanel />}
        {organization.data && may("organizations_delete") && (
          <DeleteOrganization name={organization.data.display_name} />
        )}
      </Stack>
    </>
  );
}

function Form({ organization }: { organization: OrganizationResponse }) {
  const may = useMay();
  const [logo, setLogo] = useState<File | null>(null);
  const record = useRecordForm<OrganizationResponse, Values>({
    noun: "Organization",
    labels: { display_name: "Name" },
    record: organization,
    values: (found) => ({
      display_name: found?.display_name ?? "",
      description: found?.description ?? "",
      domains: found?.domains ?? "",
      logo: "",
    }),
    save(values) {
      const form = new FormData();
      form.set("display_name", values.display_name);
      form.set("description", values.description);
      form.set("domains", values.domains);
      if (logo && values.logo) form.set("logo", logo);
      return call("PUT /api/v1/organizations/", { form });
    },
    reread: read,
    invalidates: [KEY],
    onSaved: () => setLogo(null),
  });
  const { form } = record;
  return (
    <Panel>
      <RecordFormFrame form={record} readOnly={!may("organizations_write")}>
        <TextInput label="Name" required {...form.getInputProps("display_name")} />
        <TextInput label="Description" {...form.getInputProps("description")} />
        <TextInput
          label="Domains"
          description="E-mail domains, separated by commas."
          {...form.getInputProps("domains")}
        />
        <Group align="flex-end" gap="md">
          {organization.logo_url && <Image src={organization.logo_url} w={48} h={48} alt="Current logo" />}
          <FileInput
            style={{ flex: 1 }}
            label="Logo"
            description="PNG, 120 × 120 pixels"
            placeholder="Choose a file"
            accept="image/png"
            clearable
            disabled={!may("organizations_write")}
            // A discard takes it back, too.
            value={form.getValues().logo ? logo : null}
            onChange={(file) => {
              setLogo(file);
              form.setFieldValue("logo", file ? file.name : "");
            }}
            error={form.errors.logo}
          />
        </Group>
      </RecordFormFrame>
    </Panel>
  );
}

function remove() {
  const form = new FormData();
  form.set("delete_comments", "Deleted in the console");
  return call("DELETE /api/v1/organizations/", { form });
}

/** Asks twice: the name is typed first, and the deletion confirmed then. */
function DeleteOrganization({ name }: { name: string }) {
  const [typed, setTyped] = useState("");
  return (
    <Panel>
      <Group align="flex-end" gap="md">
        <TextInput
          style={{ flex: 1 }}
          label="Delete organization"
          description={`Type the name "${name}" to delete it.`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <ConfirmButton
          verb="Delete"
          question="Delete this organization?"
          color="red"
          disabled={typed.trim() !== name.trim()}
          act={remove}
          invalidates={[]}
          done="Organization deleted"
          onDone={() => window.location.assign("/sign-in")}
        >
          Everybody is signed out, numbers and addresses are released, and campaigns stop. The operator can
          bring it back for 30 days.
        </ConfirmButton>
      </Group>
    </Panel>
  );
}
