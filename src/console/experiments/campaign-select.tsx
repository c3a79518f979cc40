import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

const CAMPAIGNS = "GET /api/v1/outbound/campaigns";
const TYPING_MS = 250;
/** More than that are found by their names. */
const OFFERED = 50;

type Props = {
  agent_id: number;
  value: number | null;
  onChange(id: number | null): void;
  error: ReactNode;
};

/** A campaign of the agent, searched by name on the server. */
export function CampaignSelect({ agent_id, value, onChange, error }: Props) {
  const enabled = useMay()("outbound_read");
  const [text, setText] = useState("");
  const chosen = useQuery({
    queryKey: ["campaign", String(value)],
    enabled: enabled && value !== null,
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/campaigns/{campaign_id}", {
        path: { campaign_id: value as number },
        signal,
      }),
  });
  const name = chosen.data?.campaign_name;
  const wanted = text === name ? "" : text.trim();
  const [searched] = useDebouncedValue(wanted, TYPING_MS);
  const list = useQuery({
    queryKey: [CAMPAIGNS, "of agent", agent_id, searched],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const search_fields = ["agent_id" as const, ...(searched ? ["campaign_name" as const] : [])];
      const search_field_values = [String(agent_id), ...(searched ? [searched] : [])];
      const query = {
        search_fields,
        search_field_values,
        limit: OFFERED,
        order_by: "campaign_name" as const,
      };
      return call(CAMPAIGNS, { query, signal });
    },
  });
  const found = (list.data?.items ?? []).map(({ id, campaign_name }) => ({
    value: String(id),
    label: campaign_name,
  }));
  const isKnown = value === null || found.some((option) => option.value === String(value));
  // Who may not read campaigns sees at least that one was chosen.
  const kept = isKnown ? [] : [{ value: String(value), label: name ?? `Number ${value}` }];
  return (
    <Select
      label="Campaign"
      description="Only sessions of this campaign take part. Empty: all."
      data={[...kept, ...found]}
      searchable
      clearable
      // The server has looked already.
      filter={({ options }) => options}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      onSearchChange={setText}
      nothingFoundMessage={
        list.isFetching || searched !== wanted ? "Looking…" : (list.error?.message ?? "No results")
      }
      error={error}
    />
  );
}
