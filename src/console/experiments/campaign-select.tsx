import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { SearchedSelect } from "../lists/searched-select.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

const CAMPAIGNS = "GET /api/v1/outbound/campaigns";
/** More than that are found by their names. */
const OFFERED = 50;

type Props = {
  agent_id: number;
  value: number | null;
  onChange(id: number | null): void;
  error: ReactNode;
};

/** A campaign of the agent. Who may not read campaigns sees at least that one was chosen. */
export function CampaignSelect({ agent_id, ...rest }: Props) {
  const mayRead = useMay()("outbound_read");
  const chosen = useQuery({
    queryKey: ["campaign", String(rest.value)],
    enabled: mayRead && rest.value !== null,
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/campaigns/{campaign_id}", {
        path: { campaign_id: rest.value as number },
        signal,
      }),
  });
  const find = async (text: string, signal: AbortSignal) => {
    const search_fields = ["agent_id" as const, ...(text ? ["campaign_name" as const] : [])];
    const search_field_values = [String(agent_id), ...(text ? [text] : [])];
    const query = {
      search_fields,
      search_field_values,
      limit: OFFERED,
      order_by: "campaign_name" as const,
    };
    const { items } = await call(CAMPAIGNS, { query, signal });
    return items.map(({ id, campaign_name }) => ({ id, name: campaign_name }));
  };
  return (
    <SearchedSelect
      {...rest}
      label="Campaign"
      description="Only sessions of this campaign take part. Empty: all."
      chosenName={chosen.data?.campaign_name}
      of={[CAMPAIGNS, "of agent", agent_id]}
      find={find}
    />
  );
}
