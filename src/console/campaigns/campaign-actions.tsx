import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { StopOutreach } from "../outbound/outreach-stop.tsx";
import { useAction } from "../parts/action.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { counted } from "../parts/counted.ts";
import { Names } from "../parts/names.tsx";
import { Fetched } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { boardQuery } from "./board-query.ts";

const CHANGED = [["campaign"], ["batch"], ["GET /api/v1/outbound/batches"]] as const;

const batches = (count: number): string => counted(count, "batch", "batches");

/** Pauses and starts all batches of the campaign, and stops everything. */
export function CampaignActions({ campaign_id }: { campaign_id: number }) {
  const mayWrite = useMay()("outbound_write");
  const client = useQueryClient();
  const { data } = useQuery(boardQuery(campaign_id));
  const pause = useAction({
    mutationFn: () => call("POST /api/v1/outbound/campaigns/{campaign_id}/pause", { path: { campaign_id } }),
    async onSuccess({ batch_ids }) {
      notifications.show({ message: `Paused ${batches(batch_ids.length)}`, color: "green" });
      await Promise.all(CHANGED.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
    onError: showFailure,
  });
  if (!mayWrite || !data) return null;
  return (
    <>
      {data.paused_batches > 0 && (
        <ConfirmButton
          size="xs"
          variant="filled"
          leftSection={<IconPlayerPlay size={14} />}
          verb={`Start ${batches(data.paused_batches)}`}
          question={`Start ${batches(data.paused_batches)}?`}
          act={() => call("POST /api/v1/outbound/campaigns/{campaign_id}/start", { path: { campaign_id } })}
          invalidates={CHANGED}
          done={`Started ${batches(data.paused_batches)}`}
        >
          <PausedBatches campaign_id={campaign_id} />
        </ConfirmButton>
      )}
      {data.active_batches > 0 && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlayerPause size={14} />}
          loading={pause.isPending}
          onClick={() => pause.mutate()}
        >
          Pause campaign
        </Button>
      )}
      <StopOutreach />
    </>
  );
}

/** The batches that would start, by name: somebody may have paused one of them on purpose. */
function PausedBatches({ campaign_id }: { campaign_id: number }) {
  const found = useQuery({
    queryKey: ["GET /api/v1/outbound/batches", "paused", campaign_id],
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/batches", {
        query: {
          search_fields: ["campaign_id"],
          search_field_values: [String(campaign_id)],
          order_by: "last_updated_at",
          order_by_direction: "desc",
          limit: 1000,
        },
        signal,
      }),
  });
  return (
    <Fetched query={found} lines={2}>
      {({ items }) => {
        const names = items
          .filter(({ paused, status }) => paused && status !== "CANCELED" && status !== "EXPIRED")
          .map(({ batch_id }) => batch_id);
        return (
          <>
            <Names of={names} />. This includes any batch that was paused individually. To keep one paused,
            start the others on their own pages.
          </>
        );
      }}
    </Fetched>
  );
}
