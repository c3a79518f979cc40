import { queryOptions } from "@tanstack/react-query";
import { call } from "../server/api.ts";

/** The current state of a campaign. */
export const boardQuery = (campaign_id: number) =>
  queryOptions({
    queryKey: ["campaign", campaign_id, "board"],
    queryFn: ({ signal }) =>
      call("GET /api/v1/outbound/campaigns/{campaign_id}/board", { path: { campaign_id }, signal }),
  });
