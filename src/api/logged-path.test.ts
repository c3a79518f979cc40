import { expect, test } from "vitest";
import { loggedPath } from "./logged-path.ts";

test.each([
  ["/api/v1/sessions/4711/transcript?token=abc", "/api/v1/sessions/4711/transcript"],
  ["/api/v1/outbound/batches/spring-2026/requests/7d9f1c1e-1111-4222-8333-444455556666/trace", null],
  ["/console/assets/index-B1x_9.js", null],
  ["/openapi.json", null],
  ["/api/v1/contacts/+15125550142", "/api/v1/contacts/…"],
  ["/api/v1/contacts/%2B15125550142/export", "/api/v1/contacts/…/export"],
  ["/api/v1/do-not-call-lists/check/5125550142", "/api/v1/do-not-call-lists/check/…"],
  ["/console/contacts/(512)%20555-0142", "/console/contacts/…"],
  ["/api/v1/users/ann@example.com/sign_in_link", "/api/v1/users/…/sign_in_link"],
  ["/api/v1/users/ann%40example.com", "/api/v1/users/…"],
  [`/unsubscribe/${"a".repeat(64)}`, "/unsubscribe/…"],
])("the log has of %s no address, no token and no query", (url, shown) => {
  expect(loggedPath(url)).toBe(shown ?? url);
});
