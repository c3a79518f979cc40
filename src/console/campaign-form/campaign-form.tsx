import { Grid, Title } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { OutboundCampaignResponse } from "../api-types.ts";
import classes from "../outbound/outbound.module.css";
import { asLeft } from "../parts/as-left.ts";
import { Findings } from "../parts/findings.tsx";
import { Panel } from "../parts/parts.tsx";
import { useRecordForm } from "../records/record-form.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { RemoveRecord } from "../records/remove-record.tsx";
import { Steady } from "../records/steady.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { BasicFields } from "./basic-fields.tsx";
import {
  atSecrets,
  CAMPAIGN_LABELS,
  type CampaignValues,
  NEW_CAMPAIGN,
  remainingErrors,
  secretPaths,
  sent,
  valuesOf,
} from "./campaign-values.ts";
import { FilterFields, FilterMatches } from "./filter-fields.tsx";
import { OpeningCalendar } from "./opening-calendar.tsx";
import { DayChoice, ExceptionFields, TimeOfDay } from "./opening-fields.tsx";
import { LineTypeFields, PaceFields, VoicemailFields } from "./pace-fields.tsx";
import { useClockOf } from "./senders.ts";
import { WebhookFields } from "./webhook-fields.tsx";

/** The id of a finding that is shown at its field instead of above the form. */
const NO_SENDER = "no-sender";

export const readCampaign = (campaign_id: number) =>
  call("GET /api/v1/outbound/campaigns/{campaign_id}", { path: { campaign_id } });

/** A campaign's settings, and beside them a calendar of the hours in the form. */
export function CampaignForm({ campaign }: { campaign: OutboundCampaignResponse | null }) {
  const may = useMay();
  const navigate = useNavigate();
  const [hides, setHides] = useState<string[]>([]);
  const [sought, setSought] = useState<string | null>(null);
  const record = useRecordForm<OutboundCampaignResponse, CampaignValues>({
    noun: "Campaign",
    labels: CAMPAIGN_LABELS,
    together: [
      ["webhooks", "secrets"],
      ["mode", "source", "caller_id"],
    ],
    record: campaign,
    values: (found) => (found ? valuesOf(found) : NEW_CAMPAIGN),
    save: (values, stored) => save(stored, values),
    ...(campaign && { reread: () => readCampaign(campaign.id) }),
    invalidates: [["campaign"], ["GET /api/v1/outbound/campaigns"], ["GET /api/v1/outbound/webhooks"]],
    onSaved: (stored) => {
      if (campaign === null) void navigate({ to: `/campaigns/${stored.id}`, replace: true });
    },
    hides,
  });
  const { form } = record;
  const values = form.getValues();
  const mayWrite = may("outbound_write");
  const set = <Name extends keyof CampaignValues>(name: Name, value: CampaignValues[Name]) => {
    const before = form.getValues();
    form.setFieldValue(name as never, value as never);
    form.setErrors((found) => remainingErrors(found, before, { ...before, [name]: value }));
  };
  const errorOf = (path: string): ReactNode => (form.errors as Record<string, ReactNode>)[path];
  const fields = { values, set, errorOf };
  const mode = values.mode ?? "voice";
  const hasNoSender = campaign?.validation_issues?.some(({ id }) => id === NO_SENDER) ?? false;
  const noSender =
    hasNoSender && !record.isDirty
      ? "Choose an agent\u2019s address here or under Caller ID. Without one, no one is contacted."
      : undefined;
  const zone = useClockOf(values.source ?? "", mode);
  const stored =
    campaign?.webhooks?.filter(({ auth_value_keys }) => auth_value_keys?.length).map(({ id }) => id) ?? [];
  const { errors } = form;
  const { hourly_rate, max_daily_calls, retry_count, retry_interval } = values;
  const { target_filters, allowed_line_types, include_unknown_line_types, voicemail_detection } = values;
  const { active_days, daily_start_time, daily_end_time, outreach_override_rules } = values;
  const hours = { active_days, daily_start_time, daily_end_time, outreach_override_rules };

  return (
    <Grid gap="md" align="flex-start">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Panel>
          <RecordFormFrame
            form={record}
            readOnly={!mayWrite}
            extra={
              campaign &&
              may("outbound_delete") && (
                <RemoveRecord
                  noun="campaign"
                  name={campaign.campaign_name}
                  withoutReason
                  remove={() =>
                    call("DELETE /api/v1/outbound/campaigns/{campaign_id}", {
                      path: { campaign_id: campaign.id },
                    })
                  }
                  invalidates={[["GET /api/v1/outbound/campaigns"]]}
                  onRemoved={() =>
                    void navigate({ to: asLeft("/campaigns"), ignoreBlocker: true, replace: true })
                  }
                >
                  Its batches are deleted, too. People waiting in them are not contacted.
                </RemoveRecord>
              )
            }
          >
            {!record.isDirty && (
              <Findings issues={campaign?.validation_issues?.filter(({ id }) => id !== NO_SENDER)} />
            )}
            <Section title="Campaign">
              <BasicFields {...fields} form={record.fields} noSender={noSender} />
            </Section>
            <Steady of={{ ...hours, errors, sought }}>
              {(shown) => (
                <Section title="Hours">
                  <DayChoice
                    value={shown.active_days}
                    onChange={(days) => set("active_days", days)}
                    error={errorOf("active_days")}
                  />
                  <Grid gap="md">
                    <Grid.Col span={6}>
                      <TimeOfDay
                        label="From"
                        description="Empty: from midnight."
                        value={shown.daily_start_time}
                        onChange={(time) => set("daily_start_time", time)}
                        error={errorOf("daily_start_time")}
                      />
                    </Grid.Col>
                    <Grid.Col span={6}>
                      <TimeOfDay
                        label="Until"
                        description="Earlier than “From”: continues past midnight."
                        value={shown.daily_end_time}
                        onChange={(time) => set("daily_end_time", time)}
                        error={errorOf("daily_end_time")}
                      />
                    </Grid.Col>
                  </Grid>
                  <ExceptionFields
                    value={shown.outreach_override_rules}
                    onChange={(rules) => set("outreach_override_rules", rules)}
                    errorOf={errorOf}
                    readOnly={!mayWrite}
                    sought={sought}
                  />
                </Section>
              )}
            </Steady>
            <Section title="Pace and retries">
              <Steady of={{ hourly_rate, max_daily_calls, retry_count, retry_interval, errors }}>
                {(shown) => <PaceFields values={shown} set={set} errorOf={errorOf} />}
              </Steady>
            </Section>
            <Section title="Audience">
              <Steady of={{ target_filters, allowed_line_types, include_unknown_line_types, errors }}>
                {(shown) => (
                  <>
                    <FilterFields
                      value={shown.target_filters}
                      onChange={(filters) => set("target_filters", filters)}
                      errorOf={errorOf}
                    />
                    {shown.target_filters === null && (
                      <LineTypeFields values={shown} set={set} errorOf={errorOf} />
                    )}
                  </>
                )}
              </Steady>
              {campaign && (
                <FilterMatches
                  campaign_id={campaign.id}
                  target_filters={target_filters}
                  allowed_line_types={allowed_line_types}
                  include_unknown_line_types={include_unknown_line_types}
                />
              )}
            </Section>
            {mode === "voice" && (
              <Section title="Mailboxes">
                <Steady of={{ voicemail_detection, errors }}>
                  {(shown) => <VoicemailFields values={shown} set={set} errorOf={errorOf} />}
                </Steady>
              </Section>
            )}
            <Section title="Webhooks">
              <Steady of={{ webhooks: values.webhooks, secrets: values.secrets, stored, errors }}>
                {(shown) => (
                  <WebhookFields
                    webhooks={shown.webhooks}
                    secrets={shown.secrets}
                    hasSecret={(id) => id !== null && id !== undefined && shown.stored.includes(id)}
                    onChange={(webhooks, secrets) => {
                      set("webhooks", webhooks);
                      set("secrets", secrets);
                      setHides(secretPaths(secrets));
                    }}
                    errorOf={errorOf}
                    readOnly={!mayWrite}
                  />
                )}
              </Steady>
            </Section>
          </RecordFormFrame>
        </Panel>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }} className={classes.sticky}>
        <Steady of={{ opening: { ...hours, max_daily_calls }, zone: values.source ? zone : undefined }}>
          {({ opening, zone }) => (
            <OpeningCalendar
              opening={opening}
              zone={zone}
              onChoose={
                mayWrite
                  ? (date) => {
                      const { days, dates } = opening.outreach_override_rules;
                      if (!(date in dates))
                        set("outreach_override_rules", { days, dates: { ...dates, [date]: {} } });
                      setSought(date);
                      goToException(date);
                    }
                  : null
              }
            />
          )}
        </Steady>
      </Grid.Col>
    </Grid>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.section}>
      <Title order={2} size="h3">
        {title}
      </Title>
      {children}
    </section>
  );
}

async function save(
  stored: OutboundCampaignResponse | null,
  values: CampaignValues,
): Promise<OutboundCampaignResponse> {
  const body = sent(values);
  try {
    return stored === null
      ? await call("POST /api/v1/outbound/campaigns", { body })
      : await call("PUT /api/v1/outbound/campaigns/{campaign_id}", {
          path: { campaign_id: stored.id },
          body: { ...body, label: stored.label ?? null },
        });
  } catch (error) {
    throw atSecrets(error);
  }
}

/** Runs after the next paint. */
function goToException(date: string): void {
  requestAnimationFrame(() => {
    const row = document.querySelector<HTMLElement>(`fieldset[aria-label="${CSS.escape(date)}"]`);
    row?.scrollIntoView({ block: "center" });
    row?.querySelector<HTMLElement>("input")?.focus();
  });
}
