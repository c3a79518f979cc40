import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { StopOutreach } from "../outbound/outreach-stop.tsx";
import { useAction } from "../parts/action.ts";
import { counted } from "../parts/counted.ts";
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
  const hold = useAction({
    mutationFn: (does: "pause" | "start") =>
      does === "pause"
        ? call("POST /api/v1/outbound/campaigns/{campaign_id}/pause", { path: { campaign_id } })
        : call("POST /api/v1/outbound/campaigns/{campaign_id}/start", { path: { campaign_id } }),
    async onSuccess({ batch_ids }, does) {
      const done = does === "pause" ? "Paused" : "Started";
      notifications.show({ message: `${done} ${batches(batch_ids.length)}`, color: "green" });
      await Promise.all(CHANGED.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
    onError: showFailure,
  });
  if (!mayWrite || !data) return null;
  return (
    <>
      {data.paused_batches > 0 && (
        <Button
          size="xs"
          leftSection={<IconPlayerPlay size={14} />}
          loading={hold.isPending && hold.variables === "start"}
          onClick={() => hold.mutate("start")}
        >
          Start {batches(data.paused_batches)}
        </Button>
      )}
      {data.active_batches > 0 && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlayerPause size={14} />}
          loading={hold.isPending && hold.variables === "pause"}
          onClick={() => hold.mutate("pause")}
        >
          Pause campaign
        </Button>
      )}
      <StopOutreach />
    </>
  );
}
