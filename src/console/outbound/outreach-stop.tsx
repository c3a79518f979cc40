import { Alert, Group, Text } from "@mantine/core";
import { IconHandStop } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { counted } from "../parts/counted.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

const KEY = ["GET /api/v1/outbound/stop"];
const REFRESH_MS = 5000;

const useOutreachState = () => {
  const may = useMay();
  return useQuery({
    queryKey: KEY,
    enabled: may("outbound_read"),
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) => call("GET /api/v1/outbound/stop", { signal }),
  });
};

/** Boards and batches say what they wait for, and that changes with it. */
const CHANGED = [KEY, ["GET /api/v1/outbound/batches"], ["campaign"], ["batch"]];

/** The button that stops all outreach, while it is not stopped. */
export function StopOutreach() {
  const may = useMay();
  const { data } = useOutreachState();
  if (!data || data.is_stopped || !may("outbound_write")) return null;
  return (
    <ConfirmButton
      size="xs"
      color="red"
      variant="light"
      leftSection={<IconHandStop size={14} />}
      verb="Stop all outreach"
      question="Stop all outreach?"
      act={() => call("POST /api/v1/outbound/stop", {})}
      invalidates={CHANGED}
      done="All outreach stopped"
    >
      No campaign of the organization starts another call, text or e-mail. Calls that still ring are hung up;
      conversations under way go on. Batches keep their place until you resume.
    </ConfirmButton>
  );
}

/** Says that all outreach is stopped, by whom, and resumes it. */
export function OutreachStopped() {
  const may = useMay();
  const { data } = useOutreachState();
  if (!data?.is_stopped) return null;
  return (
    <Alert color="red" title="All outreach is stopped" icon={<IconHandStop />} role="status" mb="md">
      <Group justify="space-between" gap="md">
        <Text size="sm">
          Stopped by <bdi>{data.stopped_by}</bdi> <Time at={data.stopped_at ?? ""} />.{" "}
          {data.ringing_calls > 0 &&
            `${counted(data.ringing_calls, "ringing call is", "ringing calls are")} being hung up. `}
          Batches that were paused before stay paused when you resume.
        </Text>
        {may("outbound_write") && (
          <ConfirmButton
            size="xs"
            verb="Resume outreach"
            question="Resume all outreach?"
            act={() => call("POST /api/v1/outbound/resume", {})}
            invalidates={CHANGED}
            done="Outreach resumed"
          >
            {counted(data.active_batches, "batch goes", "batches go")} on from where they stopped.
          </ConfirmButton>
        )}
      </Group>
    </Alert>
  );
}
