import { Button } from "@mantine/core";
import { IconPhone } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

/** Leads to the agent's chat page, whose Call button talks with it by voice; nothing where no page of it takes calls. */
export function CallLink({ agent_id }: { agent_id: number }) {
  const may = useMay();
  const query = { search_fields: ["agent_id" as const], search_field_values: [String(agent_id)], limit: 100 };
  const targets = useQuery({
    queryKey: ["GET /api/v1/channels/targets", query],
    enabled: may("channels_read"),
    queryFn: ({ signal }) => call("GET /api/v1/channels/targets", { query, signal }),
  });
  const page = targets.data?.items.find((target) => target.target_mode === "chat" && target.browser_calls);
  if (!page) return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      component="a"
      href={`/chat/${encodeURIComponent(page.target)}`}
      target="_blank"
      rel="noreferrer"
      leftSection={<IconPhone size={14} />}
      title="Opens the chat page in a new tab; press Call there"
    >
      Call
    </Button>
  );
}
