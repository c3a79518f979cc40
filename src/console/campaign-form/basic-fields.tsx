import { Autocomplete, Grid, NumberInput, Select, TagsInput, Textarea, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { KeyValues } from "../editors/key-values.tsx";
import type { FieldsForm } from "../records/record-form.tsx";
import type { CampaignValues } from "./campaign-values.ts";
import { MODES } from "./campaign-words.ts";
import { numberOrNull } from "./opening-fields.tsx";
import type { CampaignFieldsProps } from "./pace-fields.tsx";
import { useSenders } from "./senders.ts";

/** What a campaign is called, and how and from where it contacts people. */
export function BasicFields({
  values,
  set,
  errorOf,
  form,
  noSender,
}: CampaignFieldsProps & { form: FieldsForm<CampaignValues>; noSender: ReactNode }) {
  const mode = values.mode ?? "voice";
  const addresses = useSenders(mode);
  return (
    <>
      <TextInput label="Name" required {...form.getInputProps("campaign_name")} />
      <Textarea label="Description" autosize minRows={1} {...form.getInputProps("description")} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, sm: 4 }}>
          <Select
            label="Contact people by"
            description="The same for everyone."
            data={MODES}
            allowDeselect={false}
            value={mode}
            onChange={(chosen) => set("mode", chosen as CampaignValues["mode"])}
            error={errorOf("mode")}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 4 }}>
          <Autocomplete
            label="From"
            description="An agent's number or address."
            data={addresses}
            {...form.getInputProps("source")}
            error={form.getInputProps("source").error ?? noSender}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 4 }}>
          <Autocomplete
            label="Caller ID"
            description="Shown to the person."
            data={addresses}
            {...form.getInputProps("caller_id")}
          />
        </Grid.Col>
        {mode === "sms" && (
          <Grid.Col span={{ base: 12, sm: 6 }}>
            <NumberInput
              label="Reply window"
              suffix=" min"
              min={0}
              placeholder="default"
              value={values.sms_session_ttl ?? ""}
              onChange={(minutes) => set("sms_session_ttl", numberOrNull(minutes))}
              error={errorOf("sms_session_ttl")}
            />
          </Grid.Col>
        )}
        <Grid.Col span={12}>
          <TagsInput
            label="Labels"
            description="For filtering. Press Enter to add one."
            value={values.labels ?? []}
            onChange={(labels) => set("labels", labels)}
            error={errorOf("labels")}
          />
        </Grid.Col>
      </Grid>
      <KeyValues
        label="Variables"
        description="For everyone in the campaign. A person's own variables override them."
        value={values.campaign_variables}
        onChange={(variables) => set("campaign_variables", variables)}
        error={errorOf("campaign_variables")}
      />
    </>
  );
}
