import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { recordId, textMap } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { type DestinationRules, refusalOf } from "../base/destination.ts";
import { Fault, invalid } from "../base/errors.ts";
import { findCampaign, findSender, lockCampaign } from "../campaigns/campaign-store.ts";
import { targetsOf } from "../channels/address.ts";
import type { Outreach } from "../channels/outreach.ts";
import type { Db, Tx } from "../db/database.ts";
import { readCampaignAsBatch } from "../dialing/due-batches.ts";
import { newOutreach } from "../dialing/start-attempts.ts";
import { enqueue } from "../jobs/define-job.ts";
import { organizationDocuments } from "../redaction/text-sealer.ts";
import { refusalOfTest, sendTestJob } from "./send-test.ts";
import {
  countTestsLocked,
  insertTest,
  listTests,
  MOST_KEPT,
  newTestKey,
  TestOutreach,
} from "./test-outreach.ts";

/** Of one organization; who tries out an opening needs fewer, and a list of people is for batches. */
const MOST = 10;
const WINDOW_ms = 10 * 60_000;

const Input = z
  .object({
    target: z.string().min(1).max(320).describe("A number or an address, as a request has it."),
    request_variables: textMap().default({}).describe("As a request has them."),
  })
  .meta({ id: "TestOutreachRequest" });

type Deps = { db: Db; clock: Clock; vault: Vault; destinations: DestinationRules };

const TESTS = "/api/v1/outbound/campaigns/:campaign_id/tests";

/** A campaign tried out with oneself, before anybody of a list is contacted. */
export function testOutreachRoutes(api: Api, { db, clock, vault, destinations }: Deps): void {
  const tag = "outbound";
  const params = z.object({ campaign_id: recordId() });

  api.get(
    TESTS,
    {
      summary: "List the tests of a campaign",
      description: `The newest first, ${MOST_KEPT} at most; older ones are not kept.`,
      tag,
      permission: "outbound_read",
      params,
      response: z.array(TestOutreach),
    },
    async ({ caller, params }) => listTests(db, (await findCampaign(db, caller, params.campaign_id)).id),
  );

  api.post(
    TESTS,
    {
      summary: "Contact somebody as a test of a campaign",
      description: `Calls the number or writes to the address at once, whatever the campaign's hours, as the campaign's agent would. It is a test session: no batch, cap, retry or figure counts it. A stop of all outreach, suppressions, do-not-call lists, a missing consent and numbers that the operator does not allow refuse it. At most ${MOST} in ten minutes.`,
      tag,
      permission: "outbound_write",
      params,
      body: Input,
      response: TestOutreach,
    },
    ({ caller, params, body }) =>
      db.transaction().execute((tx) => start(tx, caller, params.campaign_id, body)),
  );

  async function start(tx: Tx, caller: Caller, campaign_id: number, body: z.output<typeof Input>) {
    const { id } = await lockCampaign(tx, caller, campaign_id);
    const now = clock.now();
    if ((await countTestsLocked(tx, caller.organization_id, new Date(now.getTime() - WINDOW_ms))) >= MOST)
      throw new Fault("too-many", `At most ${MOST} tests can be started in ten minutes.`, {
        retry_after_s: 60,
      });
    const outreach = await outreachOf(tx, id, body, now);
    const refusal = await refusalOfTest(tx, outreach);
    if (refusal !== null) throw new Fault("refused", refusal);
    const test = await insertTest(tx, {
      organization_id: caller.organization_id,
      outreach,
      seal: await organizationDocuments(tx, vault, caller.sub_organization_id, `test ${outreach.key}`),
      by: caller.email,
      at: now,
    });
    const { key } = test;
    await enqueue(tx, sendTestJob, { key }, { tenant: caller.sub_organization_id });
    await api.audit(tx, caller, {
      action: "test",
      resource: "campaigns",
      resource_id: id,
      after: { key, mode: test.mode, target: test.target },
    });
    return test;
  }

  async function outreachOf(
    tx: Tx,
    campaign_id: number,
    body: z.output<typeof Input>,
    now: Date,
  ): Promise<Outreach> {
    const batch = await readCampaignAsBatch(tx, campaign_id);
    if (batch.sender === null || batch.campaign.agent_id === null)
      throw new Fault(
        "refused",
        "No agent has the number or address that the campaign sends from. Connect it to an agent first.",
      );
    const isMail = batch.campaign.mode === "email";
    const target = targetsOf(await findSender(tx, campaign_id))(body.target);
    if (target === null)
      throw invalid(
        ["body", "target"],
        isMail ? "Write an e-mail address" : "Write a telephone number, such as +15125550199",
      );
    const refusal = isMail ? null : refusalOf(target, destinations);
    if (refusal !== null) throw invalid(["body", "target"], `Not contacted: ${refusal}`);
    const person = { target, request_variables: body.request_variables };
    return { ...newOutreach(batch, person, newTestKey(now)), is_test: true };
  }
}
