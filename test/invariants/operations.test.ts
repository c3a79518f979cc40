import { readFileSync } from "node:fs";
import { validate } from "@scalar/openapi-parser";
import { beforeAll, expect, test } from "vitest";
import { documentText } from "../../src/api/openapi/share-common.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { keyOf, operationsOf } from "../harness/operations.ts";

/** The operations of the public API, one a line: what clients written for it count on. */
const LINES = readFileSync(`${import.meta.dirname}/operations.txt`, "utf8")
  .trimEnd()
  .split("\n");
const PUBLIC = LINES.map(keyOf);

/** What the program has beside the public API, and documents too. */
const OWN = [
  "DELETE /api/v1/agents/{}/redaction",
  "DELETE /api/v1/agents/{}/retention",
  "DELETE /api/v1/alerts/{}",
  "DELETE /api/v1/api_tokens/{}",
  "DELETE /api/v1/boards/{}",
  "DELETE /api/v1/channels/twilio/{}/numbers/{}",
  "DELETE /api/v1/channels/{}/targets/{}/identity_key",
  "DELETE /api/v1/consents/{}",
  "DELETE /api/v1/contacts/{}",
  "DELETE /api/v1/contacts/{}/addresses/{}",
  "DELETE /api/v1/data_sources/{}/crawl",
  "DELETE /api/v1/data_sources/{}/documents/{}",
  "DELETE /api/v1/do-not-call-lists/{}",
  "DELETE /api/v1/experiments/{}",
  "DELETE /api/v1/insights/folders/{}/files/{}",
  "DELETE /api/v1/judges/{}",
  "DELETE /api/v1/llm_providers/{}",
  "DELETE /api/v1/mail_domains/claims/{}",
  "DELETE /api/v1/mail_domains/{}",
  "DELETE /api/v1/number_owners/{}",
  "DELETE /api/v1/organizations/single_sign_on",
  "DELETE /api/v1/outbound/call-backs/{}",
  "DELETE /api/v1/outbound/number-groups/{}",
  "DELETE /api/v1/outbound/webhook_inboxes/{}",
  "DELETE /api/v1/queues/set_aside/{}",
  "DELETE /api/v1/session_views/{}",
  "DELETE /api/v1/sessions/{}",
  "DELETE /api/v1/sessions/{}/takeover",
  "DELETE /api/v1/speech_providers/{}",
  "DELETE /api/v1/suppressions/{}",
  "DELETE /api/v1/test_suites/{}",
  "DELETE /api/v1/transcription_providers/{}",
  "DELETE /api/v1/webhooks/{}",
  "GET /api/v1/agents/templates",
  "GET /api/v1/agents/{}/dialing-settings",
  "GET /api/v1/agents/{}/export",
  "GET /api/v1/agents/{}/redaction",
  "GET /api/v1/agents/{}/retention",
  "GET /api/v1/agents/{}/versioning",
  "GET /api/v1/agents/{}/versions",
  "GET /api/v1/agents/{}/versions/{}",
  "GET /api/v1/agents/{}/versions/{}/changes",
  "GET /api/v1/alerts/",
  "GET /api/v1/alerts/changes",
  "GET /api/v1/alerts/{}",
  "GET /api/v1/api_tokens/",
  "GET /api/v1/audit_entries/",
  "GET /api/v1/audit_entries/verification",
  "GET /api/v1/boards/",
  "GET /api/v1/boards/overview",
  "GET /api/v1/boards/{}",
  "GET /api/v1/boards/{}/figures",
  "GET /api/v1/channels/{}/carrier",
  "GET /api/v1/consents/",
  "GET /api/v1/consents/csv",
  "GET /api/v1/consents/{}",
  "GET /api/v1/contacts/",
  "GET /api/v1/contacts/{}",
  "GET /api/v1/contacts/{}/export",
  "GET /api/v1/data_sources/{}/crawl",
  "GET /api/v1/data_sources/{}/crawl/pages/",
  "GET /api/v1/data_sources/{}/documents/",
  "GET /api/v1/data_sources/{}/documents/{}",
  "GET /api/v1/do-not-call-lists/",
  "GET /api/v1/do-not-call-lists/check/{}",
  "GET /api/v1/erasures/",
  "GET /api/v1/erasures/{}",
  "GET /api/v1/experiments/",
  "GET /api/v1/experiments/{}",
  "GET /api/v1/experiments/{}/comparison",
  "GET /api/v1/insights/executions/",
  "GET /api/v1/insights/workflows/{}/backfill",
  "GET /api/v1/insights/workflows/{}/spending",
  "GET /api/v1/judges/",
  "GET /api/v1/judges/{}",
  "GET /api/v1/judges/{}/labels",
  "GET /api/v1/judges/{}/next_session",
  "GET /api/v1/llm_providers/",
  "GET /api/v1/mail_domains/",
  "GET /api/v1/mail_domains/claims",
  "GET /api/v1/number_owners/",
  "GET /api/v1/organizations/access_rules",
  "GET /api/v1/organizations/announcements",
  "GET /api/v1/organizations/contact-sources",
  "GET /api/v1/organizations/limits",
  "GET /api/v1/organizations/privacy",
  "GET /api/v1/organizations/redaction",
  "GET /api/v1/organizations/safety_rules",
  "GET /api/v1/organizations/single_sign_on",
  "GET /api/v1/organizations/storage",
  "GET /api/v1/outbound/batches/{}/confirmation",
  "GET /api/v1/outbound/batches/{}/requests/{}/trace",
  "GET /api/v1/outbound/call-backs/",
  "GET /api/v1/outbound/campaigns/{}/answer-times",
  "GET /api/v1/outbound/campaigns/{}/board",
  "GET /api/v1/outbound/campaigns/{}/cadence",
  "GET /api/v1/outbound/campaigns/{}/dialing-settings",
  "GET /api/v1/outbound/campaigns/{}/goal",
  "GET /api/v1/outbound/campaigns/{}/number-group",
  "GET /api/v1/outbound/campaigns/{}/reach-rules",
  "GET /api/v1/outbound/campaigns/{}/requests",
  "GET /api/v1/outbound/campaigns/{}/retry-hours",
  "GET /api/v1/outbound/campaigns/{}/retry-rules",
  "GET /api/v1/outbound/campaigns/{}/spending",
  "GET /api/v1/outbound/campaigns/{}/tests",
  "GET /api/v1/outbound/confirmation",
  "GET /api/v1/outbound/contact-key",
  "GET /api/v1/outbound/number-groups/",
  "GET /api/v1/outbound/number-groups/{}",
  "GET /api/v1/outbound/number-groups/{}/report",
  "GET /api/v1/outbound/rules",
  "GET /api/v1/outbound/stop",
  "GET /api/v1/outbound/webhook_deliveries",
  "GET /api/v1/outbound/webhook_deliveries/{}",
  "GET /api/v1/outbound/webhook_deliveries/{}/curl",
  "GET /api/v1/outbound/webhook_inboxes",
  "GET /api/v1/outbound/webhook_inboxes/{}/messages",
  "GET /api/v1/outbound/webhooks",
  "GET /api/v1/queues/",
  "GET /api/v1/queues/set_aside",
  "GET /api/v1/replays/",
  "GET /api/v1/replays/{}",
  "GET /api/v1/replays/{}/pairs",
  "GET /api/v1/services/{}/mcp",
  "GET /api/v1/session_views/",
  "GET /api/v1/session_views/{}",
  "GET /api/v1/sessions/live",
  "GET /api/v1/sessions/search",
  "GET /api/v1/sessions/search/export",
  "GET /api/v1/sessions/{}/debug_turn",
  "GET /api/v1/sessions/{}/fork",
  "GET /api/v1/sessions/{}/legal_hold",
  "GET /api/v1/sessions/{}/model_rounds",
  "GET /api/v1/sessions/{}/test_case",
  "GET /api/v1/sessions/{}/tool_requests",
  "GET /api/v1/sessions/{}/trace",
  "GET /api/v1/sessions/{}/waveform",
  "GET /api/v1/speech_providers/",
  "GET /api/v1/suppressions/",
  "GET /api/v1/suppressions/csv",
  "GET /api/v1/suppressions/{}",
  "GET /api/v1/takeouts/",
  "GET /api/v1/test_runs/",
  "GET /api/v1/test_runs/{}",
  "GET /api/v1/test_runs/{}/comparison",
  "GET /api/v1/test_runs/{}/results",
  "GET /api/v1/test_suites/",
  "GET /api/v1/test_suites/{}",
  "GET /api/v1/test_suites/{}/export",
  "GET /api/v1/test_suites/{}/schedule",
  "GET /api/v1/transcription_providers/",
  "GET /api/v1/webhooks/",
  "GET /api/v1/webhooks/deliveries",
  "GET /api/v1/webhooks/deliveries/{}",
  "GET /api/v1/webhooks/{}",
  "GET /chat/v1/sessions/{}",
  "GET /chat/v1/sessions/{}/client_calls",
  "GET /reports/{}/data",
  "POST /api/v1/agents/from_template",
  "POST /api/v1/agents/import",
  "POST /api/v1/agents/{}/duplicate",
  "POST /api/v1/agents/{}/replays",
  "POST /api/v1/agents/{}/test/calls",
  "POST /api/v1/agents/{}/versions",
  "POST /api/v1/alerts/",
  "POST /api/v1/alerts/preview",
  "POST /api/v1/api_tokens/",
  "POST /api/v1/boards/",
  "POST /api/v1/boards/tile_figures",
  "POST /api/v1/channels/{}/carrier/test",
  "POST /api/v1/channels/{}/simulated_contacts",
  "POST /api/v1/channels/{}/targets/{}/identity_key",
  "POST /api/v1/consents/",
  "POST /api/v1/consents/csv",
  "POST /api/v1/contacts/",
  "POST /api/v1/contacts/{}/addresses",
  "POST /api/v1/custom_messages/calendar",
  "POST /api/v1/data_sources/{}/crawl/run",
  "POST /api/v1/data_sources/{}/crawl/stop",
  "POST /api/v1/data_sources/{}/documents/",
  "POST /api/v1/data_sources/{}/search",
  "POST /api/v1/do-not-call-lists/",
  "POST /api/v1/do-not-call-lists/{}/csv",
  "POST /api/v1/erasures/",
  "POST /api/v1/erasures/preview",
  "POST /api/v1/experiments/",
  "POST /api/v1/experiments/{}/adopt",
  "POST /api/v1/experiments/{}/start",
  "POST /api/v1/experiments/{}/stop",
  "POST /api/v1/insights/workflows/{}/backfill/pause",
  "POST /api/v1/insights/workflows/{}/backfill/resume",
  "POST /api/v1/insights/workflows/{}/retry-failed",
  "POST /api/v1/judges/",
  "POST /api/v1/judges/{}/answers",
  "POST /api/v1/llm_providers/{}/test",
  "POST /api/v1/mail_domains/",
  "POST /api/v1/mail_domains/{}/verify",
  "POST /api/v1/organizations/redaction/preview",
  "POST /api/v1/organizations/single_sign_on/test",
  "POST /api/v1/organizations/{}/restore",
  "POST /api/v1/outbound/batches/{}/confirmation",
  "POST /api/v1/outbound/batches/{}/requests/from",
  "POST /api/v1/outbound/batches/{}/requests/from/preview",
  "POST /api/v1/outbound/campaigns/{}/count_matches",
  "POST /api/v1/outbound/campaigns/{}/forecast",
  "POST /api/v1/outbound/campaigns/{}/pause",
  "POST /api/v1/outbound/campaigns/{}/preflight",
  "POST /api/v1/outbound/campaigns/{}/requests/retry",
  "POST /api/v1/outbound/campaigns/{}/requests/retry/preview",
  "POST /api/v1/outbound/campaigns/{}/requests/suppress",
  "POST /api/v1/outbound/campaigns/{}/requests/suppress/preview",
  "POST /api/v1/outbound/campaigns/{}/start",
  "POST /api/v1/outbound/campaigns/{}/tests",
  "POST /api/v1/outbound/number-groups/",
  "POST /api/v1/outbound/resume",
  "POST /api/v1/outbound/stop",
  "POST /api/v1/outbound/webhook_deliveries/replay",
  "POST /api/v1/outbound/webhook_inboxes",
  "POST /api/v1/outbound/webhooks/{}/disable",
  "POST /api/v1/outbound/webhooks/{}/enable",
  "POST /api/v1/outbound/webhooks/{}/test",
  "POST /api/v1/queues/set_aside/{}/retry",
  "POST /api/v1/replays/{}/cancel",
  "POST /api/v1/services/{}/mcp/refresh",
  "POST /api/v1/services/{}/mcp/tools",
  "POST /api/v1/session_views/",
  "POST /api/v1/sessions/{}/continue",
  "POST /api/v1/sessions/{}/end",
  "POST /api/v1/sessions/{}/forks",
  "POST /api/v1/sessions/{}/held_messages/{}/answer",
  "POST /api/v1/sessions/{}/held_messages/{}/release",
  "POST /api/v1/sessions/{}/notes",
  "POST /api/v1/sessions/{}/redacted_values/open",
  "POST /api/v1/sessions/{}/takeover",
  "POST /api/v1/sessions/{}/takeover/messages",
  "POST /api/v1/speech_providers/{}/test",
  "POST /api/v1/suppressions/",
  "POST /api/v1/suppressions/csv",
  "POST /api/v1/test_runs/{}/cancel",
  "POST /api/v1/test_suites/",
  "POST /api/v1/test_suites/import",
  "POST /api/v1/test_suites/{}/runs",
  "POST /api/v1/tools/check",
  "POST /api/v1/tools/play",
  "POST /api/v1/tools/try",
  "POST /api/v1/users/{}/sign_in_link",
  "POST /api/v1/webhooks/",
  "POST /api/v1/webhooks/deliveries/{}/resend",
  "POST /api/v1/webhooks/{}/disable",
  "POST /api/v1/webhooks/{}/enable",
  "POST /api/v1/webhooks/{}/test",
  "POST /chat/v1/calls",
  "POST /chat/v1/sessions",
  "POST /chat/v1/sessions/{}/client_calls/{}",
  "POST /chat/v1/sessions/{}/end",
  "POST /chat/v1/sessions/{}/messages",
  "PUT /api/v1/agents/{}/dialing-settings",
  "PUT /api/v1/agents/{}/redaction",
  "PUT /api/v1/agents/{}/retention",
  "PUT /api/v1/agents/{}/versioning",
  "PUT /api/v1/alerts/",
  "PUT /api/v1/boards/",
  "PUT /api/v1/channels/{}/targets/{}/browser_calls",
  "PUT /api/v1/contacts/{}",
  "PUT /api/v1/data_sources/{}/crawl",
  "PUT /api/v1/do-not-call-lists/{}",
  "PUT /api/v1/experiments/",
  "PUT /api/v1/experiments/{}/weights",
  "PUT /api/v1/insights/workflows/{}/backfill",
  "PUT /api/v1/judges/",
  "PUT /api/v1/judges/{}/labels/{}",
  "PUT /api/v1/llm_providers/{}",
  "PUT /api/v1/mail_domains/claims/{}",
  "PUT /api/v1/number_owners/{}",
  "PUT /api/v1/organizations/access_rules",
  "PUT /api/v1/organizations/announcements",
  "PUT /api/v1/organizations/contact-sources",
  "PUT /api/v1/organizations/limits",
  "PUT /api/v1/organizations/privacy",
  "PUT /api/v1/organizations/redaction",
  "PUT /api/v1/organizations/safety_rules",
  "PUT /api/v1/organizations/single_sign_on",
  "PUT /api/v1/organizations/sip_ip_ranges/{}/verified",
  "PUT /api/v1/outbound/campaigns/{}/cadence",
  "PUT /api/v1/outbound/campaigns/{}/dialing-settings",
  "PUT /api/v1/outbound/campaigns/{}/goal",
  "PUT /api/v1/outbound/campaigns/{}/number-group",
  "PUT /api/v1/outbound/campaigns/{}/reach-rules",
  "PUT /api/v1/outbound/campaigns/{}/retry-hours",
  "PUT /api/v1/outbound/campaigns/{}/retry-rules",
  "PUT /api/v1/outbound/campaigns/{}/spending",
  "PUT /api/v1/outbound/confirmation",
  "PUT /api/v1/outbound/contact-key",
  "PUT /api/v1/outbound/number-groups/",
  "PUT /api/v1/outbound/number-groups/{}/numbers/{}/rest",
  "PUT /api/v1/outbound/rules",
  "PUT /api/v1/outbound/webhook_inboxes/{}",
  "PUT /api/v1/session_views/",
  "PUT /api/v1/sessions/{}/legal_hold",
  "PUT /api/v1/speech_providers/{}",
  "PUT /api/v1/test_suites/",
  "PUT /api/v1/test_suites/{}/schedule",
  "PUT /api/v1/transcription_providers/{}",
  "PUT /api/v1/webhooks/",
];

/** A picture and two WebSockets, which OpenAPI has no words for. Pages and the console's own calls lie elsewhere. */
const UNDOCUMENTED = new Set([
  "GET /api/v1/organizations/logos/{}",
  "GET /chat/v1/calls/socket",
  "GET /chat/v1/sessions/{}/socket",
]);
const API = / \/(api|chat)\/v1\//;

let app: TestApp;
let documented: string[];
let lines: Set<string>;
beforeAll(async () => {
  app = await createTestApp();
  const operations = await operationsOf(app.api.server);
  documented = operations.map(({ key }) => key);
  lines = new Set(operations.map(({ method, path }) => `${method} ${path}`));
});

test("every one of the public API's 176 operations is there, what stands in its path by its name", () => {
  expect(new Set(PUBLIC).size).toBe(176);
  expect(LINES.filter((line) => !lines.has(line))).toEqual([]);
});

test("what the program has beside the public API is listed here", () => {
  const known = new Set(PUBLIC);
  expect(documented.filter((key) => !known.has(key)).toSorted()).toEqual(OWN);
});

test("what the router routes and what openapi.json documents is the same", () => {
  const routed = routesOf(app.api.server.printRoutes({ commonPrefix: false }));
  const api = routed.filter((key) => API.test(key) && !UNDOCUMENTED.has(key));
  // The router takes every path with and without a slash at its end, and prints it without.
  const printed = documented.filter((key) => API.test(key)).map((key) => key.replace(/\/$/, ""));
  expect(api.toSorted()).toEqual(printed.toSorted());
});

test.each(["/api/v1/services", "/api/v1/services/"])("%s is answered without a redirect", async (path) => {
  const input = { name: `With ${path}`, description: "" };
  expect((await app.send("POST", path, input)).status).toBe(200);
  expect((await app.send("GET", path)).status).toBe(200);
});

/** Reads the tree that the router prints: a line is a part of a path, indented below the part it follows. */
function routesOf(tree: string): string[] {
  const parts: string[] = [];
  return tree.split("\n").flatMap((line) => {
    const found = /^([│\s]*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line);
    if (!found) return [];
    const [, indent = "", part = "", methods = ""] = found;
    const depth = indent.length / 4;
    parts.splice(depth, Infinity, part);
    const path = parts.join("").replace(/:\w+(\|:\w+)*/g, "{}");
    return methods
      .split(", ")
      .filter((method) => method !== "" && method !== "HEAD")
      .map((method) => `${method} ${path}`);
  });
}

test("every operation has a name of its own, verb first, and a described tag", async () => {
  const { paths, tags } = app.api.server.swagger() as unknown as {
    paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
    tags: { name: string; description: string }[];
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const ids = operations.map(({ operationId }) => operationId);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  expect(ids.filter((id) => !/^[a-z]+(_[a-z0-9]+)+$/.test(id))).toEqual([]);
  const described = tags.map(({ name }) => name).toSorted();
  expect([...new Set(operations.flatMap(({ tags }) => tags))].toSorted()).toEqual(described);
});

test("what the public API keeps for earlier clients alone is marked as deprecated, and nothing else is", async () => {
  const { paths } = app.api.server.swagger() as unknown as {
    paths: Record<string, Record<string, { deprecated?: boolean }>>;
  };
  const deprecated = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.deprecated)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  expect(deprecated.toSorted()).toEqual([
    "DELETE /api/v1/language_groups/{language_group_id}",
    "GET /api/v1/language_groups/",
    "GET /api/v1/language_groups/{language_group_id}",
    "POST /api/v1/channels/twilio/",
    "POST /api/v1/dashboards/session_events",
    "POST /api/v1/dashboards/session_summary",
    "POST /api/v1/dashboards/session_transfers",
    "POST /api/v1/dashboards/sessions",
    "POST /api/v1/language_groups/",
    "POST /api/v1/language_groups/voices/sample",
    "PUT /api/v1/channels/twilio/",
    "PUT /api/v1/language_groups/",
  ]);
});

test("the document stays small: below 1,550 bytes an operation with all that only it needs, served and in the repository, and 35 more for the examples of bodies", () => {
  const document = app.api.server.swagger();
  const operations = Object.values(document.paths ?? {}).flatMap((methods) => Object.keys(methods ?? {}));
  const bytes = (text: string) => Buffer.byteLength(text) / operations.length;
  const served = JSON.stringify(document);
  const without = JSON.stringify(document, (key, value) => (key === "example" ? undefined : value));
  expect(bytes(without)).toBeLessThan(1550);
  expect(bytes(documentText(JSON.parse(without)))).toBeLessThan(1560);
  expect(bytes(served) - bytes(without)).toBeLessThan(35);
});

test("the document is an OpenAPI 3.1 document, by a validator that is not ours", async () => {
  expect(await validate(JSON.parse(JSON.stringify(app.api.server.swagger())))).toMatchObject({
    valid: true,
    version: "3.1",
    errors: [],
  });
});
