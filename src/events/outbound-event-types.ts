export type EventDescription = {
  category: string | readonly string[];
  /** Ends the sentence "Recorded when …". */
  when: string;
  attributes: readonly string[];
};

const OF_REQUEST = ["campaign_id", "batch_id", "reference_id"] as const;
const OF_BATCH = ["batch_id", "campaign_id"] as const;
const OF_CAMPAIGN = ["campaign_id", "campaign_name"] as const;

/** What campaigns tell of; a part of the catalogue (event-types.ts). */
export const OUTBOUND_EVENT_TYPES = {
  "request-status": {
    category: "outbound",
    when: "an attempt gives a request of a batch a new status, or the request is skipped (without `attempt_count`). What it has as it comes, such as `DUPLICATE`, and `CANCELED` have no event; webhooks tell of them",
    attributes: [...OF_REQUEST, "attempt_count", "status", "request_status"],
  },
  "request-reopened": {
    category: "outbound",
    when: "somebody has a finished request tried again",
    attributes: [...OF_REQUEST, "by"],
  },
  "request-step": {
    category: "outbound",
    when: "the next step of a cadence is planned for a request; `step` of `steps`",
    attributes: [...OF_REQUEST, "steps", "step", "mode", "due_at"],
  },
  "request-step-skipped": {
    category: "outbound",
    when: "a step of a cadence is left out",
    attributes: [...OF_REQUEST, "steps", "step", "reason"],
  },
  "request-steps-stopped": {
    category: "outbound",
    when: "a cadence ends early, because the person answered or opted out",
    attributes: [...OF_REQUEST, "steps", "reason"],
  },
  "step-paused": {
    category: "outbound",
    when: "a step of a batch has no words to send and waits",
    attributes: ["batch_id", "step", "until", "reason"],
  },
  "call-back-booked": {
    category: "outbound",
    when: "a person asked the agent to be called at another time",
    attributes: [...OF_REQUEST, "due_at"],
  },
  "call-back-canceled": {
    category: "outbound",
    when: "somebody cancels the call that a person asked for",
    attributes: ["campaign_id"],
  },
  "batch-created": { category: "outbound", when: "a batch is created", attributes: OF_BATCH },
  "batch-uploaded": {
    category: "outbound",
    when: "the file of a batch has been read",
    attributes: [...OF_BATCH, "accepted", "duplicates", "invalid"],
  },
  "batch-updated": {
    category: "outbound",
    when: "a batch is changed, held or started; also when a restored backup holds it",
    attributes: OF_BATCH,
  },
  "batch-expired": {
    category: "outbound",
    when: "a batch reaches its end; `canceled`: how many requests were left",
    attributes: [...OF_BATCH, "canceled"],
  },
  "batch-deleted": { category: "outbound", when: "a batch is deleted", attributes: OF_BATCH },
  "campaign-created": {
    category: "outbound",
    when: "a campaign is created",
    attributes: OF_CAMPAIGN,
  },
  "campaign-updated": {
    category: "outbound",
    when: "a campaign is changed",
    attributes: OF_CAMPAIGN,
  },
  "campaign-deleted": {
    category: "outbound",
    when: "a campaign is deleted",
    attributes: OF_CAMPAIGN,
  },
  "campaign-spend-cap": {
    category: "outbound",
    when: "a campaign has spent what its cap allows; `source_id` is the campaign",
    attributes: [],
  },
  "contact-conflict": {
    category: "outbound",
    when: "an address of a batch could not be linked to a contact by the batch's key (`reason`: `taken` or `too-many`). After a hundred of one batch, a last event has their number in `conflicts`",
    attributes: ["batch_id", "variable", "key", "reason", "conflicts"],
  },
  "source-paused": {
    category: "outbound",
    when: "nothing more is sent from a number or address for a while, because the carrier refuses it or nearly all attempts fail",
    attributes: ["source", "until", "trips", "reason"],
  },
  "country-paused": {
    category: "outbound",
    when: "a carrier does not let one of your numbers reach a country",
    attributes: ["source", "mode", "country", "until", "trips", "reason"],
  },
  "number-resting": {
    category: "outbound",
    when: "a number of a number group rests, because too few people answer it",
    attributes: ["number_group_id", "number", "until", "attempts", "answered"],
  },
  "outreach-stopped": {
    category: "outbound",
    when: "somebody stops all outreach of the organization",
    attributes: ["by"],
  },
  "outreach-resumed": { category: "outbound", when: "somebody resumes all outreach", attributes: ["by"] },
  "webhook-disabled": {
    category: "outbound",
    when: "a webhook is disabled, by the program (with a `reason`) or by a person",
    attributes: ["webhook_id", "campaign_id", "url", "reason"],
  },
  "webhook-enabled": {
    category: "outbound",
    when: "somebody enables a webhook again",
    attributes: ["webhook_id", "campaign_id", "url"],
  },
} as const satisfies Record<string, EventDescription>;
