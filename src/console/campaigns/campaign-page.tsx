import { Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { OutboundCampaignResponse } from "../api-types.ts";
import { BatchesPanel } from "../batches/batches-panel.tsx";
import { CampaignForm, readCampaign } from "../campaign-form/campaign-form.tsx";
import { Fetched, PageHead } from "../parts/parts.tsx";
import { Time } from "../time/time.tsx";
import { DisabledWebhooks } from "../webhooks/disabled-webhooks.tsx";
import { WebhooksPanel } from "../webhooks/webhooks-panel.tsx";
import { BoardPanel } from "./board-panel.tsx";
import { ForecastPanel } from "./forecast-panel.tsx";

const VIEWS = {
  board: "Board",
  batches: "Batches",
  forecast: "Forecast",
  webhooks: "Webhooks",
  settings: "Settings",
};

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
      />
      {isNew ? (
        <CampaignForm campaign={null} />
      ) : (
        <Fetched query={campaign} lines={14}>
          {(found) => (
            <Stack gap="md">
              <DisabledWebhooks campaign_id={found.id} />
              <Views key={id} campaign={found} />
            </Stack>
          )}
        </Fetched>
      )}
    </>
  );
}

function Views({ campaign }: { campaign: OutboundCampaignResponse }) {
  const navigate = useNavigate();
  const { view = "board" } = useSearch({ strict: false }) as { view?: string };
  const shown = view in VIEWS ? view : "board";
  return (
    <Tabs
      value={shown}
      onChange={(chosen) =>
        void navigate({
          to: ".",
          search: chosen === "board" || chosen === null ? {} : { view: chosen },
          resetScroll: false,
        })
      }
      keepMounted={false}
    >
      <Tabs.List mb="md" aria-label="Views of the campaign">
        {Object.entries(VIEWS).map(([name, label]) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="board">
        <BoardPanel campaign_id={campaign.id} />
      </Tabs.Panel>
      <Tabs.Panel value="batches">
        <BatchesPanel campaign_id={campaign.id} />
      </Tabs.Panel>
      <Tabs.Panel value="forecast">
        <ForecastPanel campaign_id={campaign.id} />
      </Tabs.Panel>
      <Tabs.Panel value="webhooks">
        <WebhooksPanel campaign_id={campaign.id} />
      </Tabs.Panel>
      <Tabs.Panel value="settings">
        <CampaignForm campaign={campaign} />
      </Tabs.Panel>
    </Tabs>
  );
}
