/** What the list of a campaign's people can be narrowed by; the names that stand in the page's address. */
export type PeopleFilter = {
  batch_id?: string;
  request_status?: string;
  channel_manager_status?: string;
  outcome?: string;
  stage?: string;
  skip_reason?: string;
};

export const PEOPLE_FILTERS = [
  "batch_id",
  "request_status",
  "channel_manager_status",
  "outcome",
  "stage",
  "skip_reason",
] as const satisfies (keyof PeopleFilter)[];

/** The list of a campaign's people behind a figure. */
export const peoplePath = (campaign_id: number, filter: PeopleFilter): string =>
  `/campaigns/${campaign_id}?${new URLSearchParams({ view: "people", ...filter })}`;
