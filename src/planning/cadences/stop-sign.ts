/** Why no further step of a request is tried: its person has answered, or opted out on any channel. */
export type StopSign = { kind: "opted-out" | "answered"; text: string };

/** Whose request it is asked of. */
export type StopQuestion = {
  batch_key: number;
  request_id: number;
  campaign_id: number;
  sub_organization_id: number;
  reference_id: string;
  /** All of the person's. */
  addresses: string[];
};
