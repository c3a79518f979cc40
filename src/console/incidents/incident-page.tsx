import { Anchor, Autocomplete, Grid, Group, NumberInput, Stack, Textarea, TextInput } from "@mantine/core";
import type { IncidentResponse } from "../api-types.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Empty, Facts, Panel, Status } from "../parts/parts.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { WhenField } from "../time/when-field.tsx";
import { AudienceFields } from "./audience-fields.tsx";
import { courseOf, IMPACTS, impactTone, withAddresses } from "./incident-words.ts";
import { Course } from "./incidents-page.tsx";

const LIST = "GET /api/v1/incidents/";

type Values = {
  description: string;
  impact_category: string;
  start_datetime: string;
  resolution_datetime: string;
  sessions_impacted: number | string;
  markdown: string;
  organization_id: number | null;
  sub_organization_id: number | null;
};

export default recordPage({
  operations: {
    list: LIST,
    read: "GET /api/v1/incidents/{incident_id}",
    create: "POST /api/v1/incidents/",
    update: "PUT /api/v1/incidents/",
    remove: "DELETE /api/v1/incidents/{incident_id}",
  },
  permission: "sa_incidents",
  noun: "Incident",
  queryKey: "incident",
  list: { to: "/incidents", label: "Incidents" },
  newTitle: "New incident",
  title: "Incident",
  nameOf: ({ description, id }) => description || `Incident ${id}`,
  together: [["organization_id", "sub_organization_id"]],
  labels: {
    description: "Description",
    impact_category: "Impact",
    start_datetime: "From",
    resolution_datetime: "Until",
    sessions_impacted: "Affected sessions",
    markdown: "Report",
    organization_id: "Audience",
    sub_organization_id: "Sub-organization",
  },
  values: (found): Values => ({
    description: found?.description ?? "",
    impact_category: found?.impact_category ?? "",
    start_datetime: found?.start_datetime ?? "",
    resolution_datetime: found?.resolution_datetime ?? "",
    sessions_impacted: found?.sessions_impacted ?? 0,
    markdown: found?.markdown ?? "",
    organization_id: found?.organization_id ?? null,
    sub_organization_id: found?.sub_organization_id ?? null,
  }),
  body: (values) => ({ ...values, sessions_impacted: Number(values.sessions_impacted) }),
  Form({ form, record, readOnly, frame }) {
    const values = form.getValues();
    const fields = (
      <Panel title={record ? "Edit" : undefined}>
        <RecordFormFrame {...frame}>
          <TextInput
            label="Description"
            description="One sentence, shown in the list and on home pages."
            required
            {...form.getInputProps("description")}
          />
          <Grid gap="md">
            <Grid.Col span={{ base: 12, sm: 6 }}>
              <WhenField
                label="From"
                required
                value={values.start_datetime}
                onChange={(at) => form.setFieldValue("start_datetime", at ?? "")}
                error={form.errors.start_datetime}
              />
            </Grid.Col>
            <Grid.Col span={{ base: 12, sm: 6 }}>
              <WhenField
                label="Until"
                required
                value={values.resolution_datetime}
                onChange={(at) => form.setFieldValue("resolution_datetime", at ?? "")}
                error={form.errors.resolution_datetime}
              />
            </Grid.Col>
            <Grid.Col span={{ base: 12, sm: 6 }}>
              <Autocomplete
                label="Impact"
                required
                data={[...IMPACTS]}
                {...form.getInputProps("impact_category")}
              />
            </Grid.Col>
            <Grid.Col span={{ base: 12, sm: 6 }}>
              <NumberInput
                label="Affected sessions"
                required
                min={0}
                allowDecimal={false}
                thousandSeparator=","
                {...form.getInputProps("sessions_impacted")}
              />
            </Grid.Col>
          </Grid>
          <Textarea
            label="Report"
            description="What happened, what was done and what comes next. Plain text; links are clickable."
            autosize
            minRows={5}
            maxRows={24}
            {...form.getInputProps("markdown")}
          />
          <AudienceFields
            organization_id={values.organization_id}
            sub_organization_id={values.sub_organization_id}
            onChange={(audience) => form.setValues(audience)}
            errorOf={(field) => form.errors[field]}
          />
        </RecordFormFrame>
      </Panel>
    );
    return (
      <Stack gap="md">
        {record && <Account incident={record} />}
        {!readOnly && fields}
        {readOnly && !record && (
          <Empty title="Only operators can write incidents">
            You can read incidents in the list and, while they last, on the home page.
          </Empty>
        )}
      </Stack>
    );
  },
});

/** The incident as its audience reads it. */
function Account({ incident }: { incident: IncidentResponse }) {
  const may = useMay();
  const { start_datetime, resolution_datetime, impact_category, sessions_impacted, markdown } = incident;
  const course = courseOf(incident, Date.now());
  return (
    <Panel
      title={
        <Group gap="xs">
          Description
          <Course incident={incident} />
        </Group>
      }
      actions={may("sa_incidents_write") && course !== "over" && <EndNow incident={incident} />}
    >
      <Stack gap="md">
        <Facts
          items={[
            [
              "Impact",
              <Status key="impact" tone={impactTone(impact_category)}>
                <bdi>{impact_category}</bdi>
              </Status>,
            ],
            ["From", <Time key="from" at={start_datetime} kind="minute" />],
            [
              course === "over" ? "Resolved" : "Expected end",
              <Time key="until" at={resolution_datetime} kind="minute" />,
            ],
            ["Affected sessions", sessions_impacted.toLocaleString("en")],
          ]}
        />
        {markdown !== "" && (
          <div dir="auto" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere", maxWidth: "46rem" }}>
            {withAddresses(markdown).map((piece, index) =>
              index % 2 === 0 ? (
                piece
              ) : (
                // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place in the text
                <Anchor key={index} href={piece} target="_blank" rel="noreferrer" inherit underline="always">
                  {piece}
                </Anchor>
              ),
            )}
          </div>
        )}
      </Stack>
    </Panel>
  );
}

function EndNow({ incident }: { incident: IncidentResponse }) {
  return (
    <ConfirmButton
      size="xs"
      verb="Resolve"
      question="Resolve this incident?"
      act={async () => {
        // Read again first, because a PUT replaces the whole record.
        const stored = await call("GET /api/v1/incidents/{incident_id}", {
          path: { incident_id: incident.id },
        });
        await call("PUT /api/v1/incidents/", {
          body: { ...stored, resolution_datetime: new Date().toISOString() },
        });
      }}
      invalidates={[[LIST], ["incident"]]}
      done="Incident resolved"
    >
      It ends now and leaves everyone's home page. You can still edit its text.
    </ConfirmButton>
  );
}
