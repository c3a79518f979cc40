import type { DueBatch } from "../due-batches.ts";

/** What one attempt takes while it runs: a line of its number, and of the organization where it is a call. */
export type AttemptPlace = {
  organization_id: number;
  campaign_id: number;
  /** Of the step that sends. */
  agent_id: number | null;
  is_call: boolean;
  /** The number or address it comes from. */
  source: string;
  /** The campaign's and the agent's own limits; null: none. */
  campaign_most: number | null;
  agent_most: number | null;
};

export const placeOf = ({ organization_id, campaign, sender, agent_most }: DueBatch): AttemptPlace => ({
  organization_id,
  campaign_id: campaign.id,
  agent_id: campaign.agent_id,
  is_call: campaign.mode === "voice",
  source: sender?.address ?? "",
  campaign_most: campaign.max_concurrent,
  agent_most,
});
