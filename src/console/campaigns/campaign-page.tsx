import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { OutboundCampaignResponse } from "../api-types.ts";
import { BatchesPanel } from "../batches/batches-panel.tsx";
import { CampaignForm, readCampaign } from "../campaign-form/campaign-form.tsx";
import { OutreachStopped } from "../outbound/outreach-stop.tsx";
import { Fetched, PageHead } from "../parts/parts.tsx";
import { ViewTabs } from "../parts/view-tabs.tsx";
import { Time } from "../time/time.tsx";
import { TroubledWebhooks } from "../webhooks/troubled-webhooks.tsx";
import { WebhooksPanel } from "../webhooks/webhooks-panel.tsx";
import { AnswerTimesPanel } from "./answer-times-panel.tsx";
import { BoardPanel } from "./board-panel.tsx";
import type { StepMode } from "./cadence-outcomes.ts";
import { CadencePanel } from "./cadence-panel.tsx";
import { CallBacksPanel } from "./call-backs-panel.tsx";
import { CampaignActions } from "./campaign-actions.tsx";
import { DialingPanel } from "./dialing-panel.tsx";
import { ForecastPanel } from "./forecast-panel.tsx";
import { GoalPanel } from "./goal-panel.tsx";
import { NumberGroupPanel } from "./number-group-panel.tsx";
import { PeoplePanel } from "./people-panel.tsx";
import { PreflightPanel } from "./preflight-panel.tsx";
import { PurposePanel } from "./purpose-panel.tsx";
import { RetryHoursPanel } from "./retry-hours-panel.tsx";
import { RetryRulesPanel } from "./retry-rules-panel.tsx";
import { SpendingPanel } from "./spending-panel.tsx";
import { TestPanel } from "./test-panel.tsx";

const VIEWS = {
  board: "Board",
  people: "People",
  "call-backs": "Call-backs",
  batches: "Batches",
  forecast: "Forecast",
  webhooks: "Webhooks",
  settings: "Settings",
};

/** By hand: which of its secrets the review hides depends on what is typed. */
export default function CampaignPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const isNew = id === "new";
  const campaign = useQuery({
    queryKey: ["campaign", Number(id)],
    queryFn: () => readCampaign(Number(id)),
    enabled: !isNew,
  });
  return (
    <>
      <PageHead
        title={isNew ? "New campaign" : <bdi>{campaign.data?.campaign_name ?? "Campaign"}</bdi>}
        back={{ to: "/campaigns", label: "Campaigns" }}
        about={
          campaign.data && (
            <>
              Updated <Time at={campaign.data.updated_at} /> by {campaign.data.last_updated_by}
            </>
          )
        }
        actions={!isNew && <CampaignActions campaign_id={Number(id)} />}
      />
      {!isNew && <OutreachStopped />}
      {isNew ? (
        <CampaignForm campaign={null} />
      ) : (
        <Fetched query={campaign} lines={14}>
          {(found) => (
            <Stack gap="md">
              <TroubledWebhooks campaign_id={found.id} />
              <Views key={id} campaign={found} />
            </Stack>
          )}
        </Fetched>
      )}
    </>
  );
}

const Views = ({ campaign }: { campaign: OutboundCampaignResponse }) => (
  <ViewTabs label="Views of the campaign" views={VIEWS}>
    {(view) =>
      view === "people" ? (
        <PeoplePanel campaign_id={campaign.id} />
      ) : view === "call-backs" ? (
        <CallBacksPanel campaign_id={campaign.id} />
      ) : view === "batches" ? (
        <Stack gap="md">
          <PreflightPanel campaign_id={campaign.id} />
          <TestPanel campaign={campaign} />
          <BatchesPanel campaign_id={campaign.id} />
        </Stack>
      ) : view === "forecast" ? (
        <Stack gap="md">
          <ForecastPanel campaign_id={campaign.id} />
          <AnswerTimesPanel campaign_id={campaign.id} />
        </Stack>
      ) : view === "webhooks" ? (
        <WebhooksPanel campaign_id={campaign.id} />
      ) : view === "settings" ? (
        <Stack gap="md">
          <GoalPanel campaign_id={campaign.id} />
          <PurposePanel campaign_id={campaign.id} />
          <SpendingPanel campaign_id={campaign.id} />
          <DialingPanel campaign_id={campaign.id} />
          {campaign.mode !== "email" && (
            <NumberGroupPanel campaign_id={campaign.id} mode={campaign.mode ?? "voice"} />
          )}
          <RetryRulesPanel campaign_id={campaign.id} />
          {(campaign.mode ?? "voice") === "voice" && <RetryHoursPanel campaign_id={campaign.id} />}
          <CadencePanel campaign_id={campaign.id} mode={(campaign.mode ?? "voice") as StepMode} />
          <CampaignForm campaign={campaign} />
        </Stack>
      ) : (
        <BoardPanel campaign_id={campaign.id} />
      )
    }
  </ViewTabs>
);
