import { expect } from "vitest";
import type { TestApp } from "./app.ts";

export const CAMPAIGNS = "/api/v1/outbound/campaigns";
/** Who calls; a test makes the sender. */
export const NUMBER = "+19032900844";

let made = 0;

/** The least a campaign needs, with a name of its own. */
export const least = () => ({
  campaign_name: `Campaign ${++made}`,
  campaign_variables: {},
  caller_id: NUMBER,
  active_days: ["mon"],
});

export const hook = (more: object = {}) => ({
  trigger_statuses: ["COMPLETED"],
  url: "https://example.com/hook",
  request_method: "POST",
  ...more,
});

export function campaignCalls(app: () => TestApp) {
  const create = async (more: object = {}) => {
    const { status, body } = await app().send("POST", CAMPAIGNS, { ...least(), ...more });
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const put = (id: number, body: object) => app().send("PUT", `${CAMPAIGNS}/${id}`, body);
  return { create, put };
}
