import { Anchor, Autocomplete, Grid, Group, NumberInput, Stack, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { IncidentResponse } from "../api-types.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Empty, Facts, Panel, Status } from "../parts/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../records/record-form.tsx";
import { RecordPage } from "../records/record-page.tsx";
import { RemoveRecord } from "../records/remove-record.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";
import { WhenField } from "../time/when-field.tsx";
import { AudienceFields } from "./audience-fields.tsx";
import { courseOf, IMPACTS, impactTone, withAddresses } from "./incident-words.ts";
import { Course } from "./incidents-page.tsx";

const LIST = ["GET /api/v1/incidents/"];
const ONE = ["incident"];

const read = async (id: string) => {
  const incident = await call("GET /api/v1/incidents/{incident_id}", { path: { incident_id: Number(id) } });
  return { ...incident, name: incident.description || `Incident ${id}` };
};

export default function IncidentPage() {
  const may = useMay();
  return (
    <RecordPage
      queryKey="incident"
      newTitle="New incident"
      title="Incident"
      back={{ to: "/incidents", label: "Incidents" }}
      read={read}
    >
      {(id, found) => (
        <Stack gap="md">
          {found && <Account incident={found} />}
          {may("sa_incidents_write") ? (
            <IncidentForm key={id} id={id} incident={found} />
          ) : (
            !found && (
              <Empty title="Only operators can write incidents">
                Your role reads them: they stand under Incidents and, while they last, on the home page.
              </Empty>
            )
          )}
        </Stack>
      )}
    </RecordPage>
  );
}

/** What everybody reads whom it is for. */
function Account({ incident }: { incident: IncidentResponse }) {
  const may = useMay();
  const { start_datetime, resolution_datetime, impact_category, sessions_impacted, markdown } = incident;
  const course = courseOf(incident, Date.now());
  return (
    <Panel
      title={
        <Group gap="xs">
          What happens
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
              course === "over" ? "Over since" : "Expected to be over",
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
      verb="Over now"
      question="Is this incident over?"
      act={async () => {
        // As it is stored now: a PUT replaces everything.
        const { name: _, ...stored } = await read(String(incident.id));
        await call("PUT /api/v1/incidents/", {
          body: { ...stored, resolution_datetime: new Date().toISOString() },
        });
      }}
      invalidates={[LIST, ONE]}
      done="The incident is over"
    >
      Its end becomes this moment, and it leaves everybody's home page. The account of it stays to be read,
      and to be completed.
    </ConfirmButton>
  );
}

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

const valuesOf = (found: IncidentResponse | null): Values => ({
  description: found?.description ?? "",
  impact_category: found?.impact_category ?? "",
  start_datetime: found?.start_datetime ?? "",
  resolution_datetime: found?.resolution_datetime ?? "",
  sessions_impacted: found?.sessions_impacted ?? 0,
  markdown: found?.markdown ?? "",
  organization_id: found?.organization_id ?? null,
  sub_organization_id: found?.sub_organization_id ?? null,
});

function IncidentForm({ id, incident }: { id: string; incident: IncidentResponse | null }) {
  const may = useMay();
  const navigate = useNavigate();
  const record = useRecordForm<IncidentResponse, Values>({
    noun: "Incident",
    together: [["organization_id", "sub_organization_id"]],
    labels: {
      description: "What happens",
      impact_category: "Impact",
      start_datetime: "From",
      resolution_datetime: "Until",
      sessions_impacted: "Affected sessions",
      markdown: "Account",
      organization_id: "For",
      sub_organization_id: "Sub-organization",
    },
    record: incident,
    values: valuesOf,
    save(values) {
      const body = { ...values, sessions_impacted: Number(values.sessions_impacted) };
      return incident
        ? call("PUT /api/v1/incidents/", { body: { ...body, id: incident.id } })
        : call("POST /api/v1/incidents/", { body });
    },
    reread: () => read(id),
    invalidates: [LIST, ONE],
    onSaved: (stored) => {
      if (incident === null) void navigate({ to: `/incidents/${stored.id}` });
    },
  });
  const { form } = record;
  const values = form.getValues();
  return (
    <Panel title={incident ? "Change it" : undefined}>
      <RecordFormFrame
        form={record}
        extra={
          incident &&
          may("sa_incidents_delete") && (
            <RemoveRecord
              noun="incident"
              name={incident.description}
              remove={(reason) =>
                call("DELETE /api/v1/incidents/{incident_id}", {
                  path: { incident_id: incident.id },
                  query: { reason },
                })
              }
              invalidates={[LIST]}
              onRemoved={() => void navigate({ to: "/incidents", ignoreBlocker: true })}
            />
          )
        }
      >
        <TextInput
          label="What happens"
          description="One sentence, shown in the list and on home pages."
          required
          dir="auto"
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
          label="Account"
          description="What happened, what was done, what comes next. Plain text; links are clickable."
          dir="auto"
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
}
