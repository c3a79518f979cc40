import { expect, test } from "vitest";
import { operationId } from "./operation-id.ts";

test.each([
  ["get", "/api/v1/agents/", true, "list_agents"],
  ["post", "/api/v1/agents/", false, "create_agent"],
  ["put", "/api/v1/agents/", false, "update_agent"],
  ["get", "/api/v1/agents/{agent_id}", false, "get_agent"],
  ["delete", "/api/v1/agents/{agent_id}", false, "delete_agent"],
  ["get", "/api/v1/directory_members/{member_id}", true, "get_directory_member"],
  ["get", "/api/v1/outbound/campaigns", true, "list_campaigns"],
  ["post", "/api/v1/outbound/batches", false, "create_batch"],
  ["get", "/api/v1/outbound/batches/{batch_id}/results", true, "list_batch_results"],
  ["put", "/api/v1/outbound/campaigns/{campaign_id}/reach-rules", false, "update_campaign_reach_rules"],
  ["post", "/api/v1/test_runs/{run_id}/cancel", false, "cancel_test_run"],
  ["post", "/api/v1/mail_domains/{mail_domain_id}/verify", false, "verify_mail_domain"],
  ["post", "/api/v1/agents/{agent_id}/versions", false, "publish_agent"],
])("%s %s is %s: %s", (method, path, answersList, id) => {
  expect(operationId(method, path, answersList as boolean)).toBe(id);
});
