import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../harness/app.ts";
import { createExampleApp, type Maker, request } from "../harness/examples/example.ts";
import { EXAMPLES } from "../harness/examples/examples.ts";
import type { Operation } from "../harness/operations.ts";

/** Operations that are sent like a change and change no record of the organization. */
const NOT_A_CHANGE: Record<string, string> = {
  "POST /api/v1/sessions/recording/{}": "reads: makes links",
  "POST /api/v1/erasures/preview": "reads: counts",
  "POST /api/v1/organizations/redaction/preview": "changes nothing: tries a policy on a text",
  "POST /api/v1/voice_groups/voices/sample": "reads: speaks a sentence",
  "POST /api/v1/language_groups/voices/sample": "reads: speaks a sentence",
  "POST /api/v1/custom_messages/calendar": "reads",
  "POST /api/v1/data_sources/{}/search": "reads",
  "POST /api/v1/tools/check": "reads",
  "POST /api/v1/services/{}/mcp/refresh": "asks the server",
  "POST /api/v1/tools/play": "reads: nothing is kept",
  "POST /api/v1/outbound/batches/{}/requests/from/preview": "reads: counts",
  "POST /api/v1/outbound/campaigns/{}/count_matches": "reads",
  "POST /api/v1/outbound/campaigns/{}/forecast": "reads: calculates",
  "POST /api/v1/outbound/campaigns/{}/preflight": "reads: counts",
  "POST /api/v1/outbound/campaigns/{}/requests/retry/preview": "reads: counts",
  "POST /api/v1/outbound/campaigns/{}/requests/suppress/preview": "reads: counts",
  "POST /api/v1/llm_providers/{}/test": "asks the provider",
  "POST /api/v1/organizations/single_sign_on/test": "asks the provider",
  "POST /api/v1/speech_providers/{}/test": "asks the service",
  "POST /api/v1/channels/{}/carrier/test": "asks the carrier",
  "POST /api/v1/boards/tile_figures": "reads: counts",
  "POST /api/v1/alerts/preview": "reads: counts",
  "POST /api/v1/dashboards/list": "reads",
  "POST /api/v1/dashboards/fetch_info": "reads",
  "POST /api/v1/dashboards/session_events": "reads",
  "POST /api/v1/dashboards/session_summary": "reads",
  "POST /api/v1/dashboards/session_transfers": "reads",
  "POST /api/v1/dashboards/sessions": "reads",
};

/** Changes whose success needs what a test has not: a carrier, a mail server. */
const NO_SUCCESS_HERE: Record<string, string> = {
  "POST /api/v1/channels/twilio/{}/numbers": "needs a carrier",
  "PUT /api/v1/channels/twilio/{}/numbers": "needs a carrier",
  "DELETE /api/v1/channels/twilio/{}/numbers/{}": "needs a carrier",
  "POST /api/v1/channels/twilio/{}/numbers/verify-a2p-compliance": "needs a carrier",
  "POST /api/v1/users/{}/send_email": "needs a mail server",
  "POST /api/v1/agents/{}/test/calls": "needs speech engines (contract/tryout/test-start)",
  "POST /api/v1/channels/{}/simulated_contacts":
    "needs the simulator (contract/simulator/simulated-contacts)",
};

/** Makes several records at once: an entry of each. */
const MAKES_SEVERAL: Record<string, string[]> = {
  "POST /api/v1/agents/from_template": ["custom_messages", "prompts", "agents"],
  "POST /api/v1/agents/import": ["prompts", "agents"],
  "POST /api/v1/agents/{}/duplicate": ["prompts", "agents"],
};

let app: TestApp;
let maker: Maker;
let operations: Operation[];
beforeAll(async () => {
  ({ app, operations, maker } = await createExampleApp());
  operations = operations.filter(({ method, path }) => method !== "GET" && path.startsWith("/api/v1/"));
});

const entries = () =>
  app.db.selectFrom("audit_entries").select(["id", "actor", "action", "resource"]).orderBy("id").execute();

/** What the audit trail holds of one call, the example's preparations apart. */
async function audited(operation: Operation) {
  const example = await EXAMPLES[operation.key]?.(maker);
  if (!example) throw new Error(`${operation.key} has no example`);
  const { method, url, body, headers } = request(operation, example);
  const send = app.sendAs(await app.createToken(null, example.caller));
  const before = (await entries()).length;
  const { status, body: answer } = await send(method, url, body, headers);
  const written = (await entries()).slice(before);
  return { status, answer, written, actor: (example.caller ?? app.admin).email };
}

test("every change that succeeds writes exactly one audit entry of each record, in the name of who called", async () => {
  const wrong: string[] = [];
  for (const operation of operations) {
    if (operation.key in NOT_A_CHANGE || operation.key in NO_SUCCESS_HERE) continue;
    const { status, answer, written, actor } = await audited(operation);
    const seen = `${operation.key}: ${status} ${status >= 300 ? JSON.stringify(answer) : ""}`;
    const several = MAKES_SEVERAL[operation.key];
    const isRight = several
      ? written.map(({ resource }) => resource).join() === several.join()
      : written.length === 1;
    if (status >= 300 || !isRight || written.some((entry) => entry.actor !== actor))
      wrong.push(`${seen} ${JSON.stringify(written)}`);
  }
  expect(wrong).toEqual([]);
});

test("what changes nothing, or does not succeed, writes none", async () => {
  const wrong: string[] = [];
  for (const operation of operations) {
    if (!(operation.key in NOT_A_CHANGE || operation.key in NO_SUCCESS_HERE)) continue;
    const { status, written } = await audited(operation);
    if (written.length > 0 || (operation.key in NO_SUCCESS_HERE && status < 300))
      wrong.push(`${operation.key}: ${status} ${JSON.stringify(written)}`);
  }
  expect(wrong).toEqual([]);
});

test("the lists of exceptions name only operations that there are", () => {
  const known = new Set(operations.map(({ key }) => key));
  expect(Object.keys({ ...NOT_A_CHANGE, ...NO_SUCCESS_HERE }).filter((key) => !known.has(key))).toEqual([]);
});
