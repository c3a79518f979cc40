import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { enrich, type ToEnrich } from "../../../src/batches/enrichment.ts";
import { hostsAt } from "../../../src/carriers/twilio/twilio-api.ts";
import { createTwilio } from "../../../src/carriers/twilio/twilio-carrier.ts";
import type { Carriers } from "../../../src/channels/carrier.ts";
import { createTestApp, START, type TestApp } from "../../harness/app.ts";
import { createOutbound, request } from "../../harness/batch.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";

type Filters = ToEnrich["filters"];
type Rule = NonNullable<Filters["target_filters"]>["rules"][number];

const rule = (field: string, op: Rule["op"], ...values: string[]): Rule => ({ field, op, values });
const filters = (...rules: Rule[]): Filters => ({
  target_filters: { match: "all", on_unknown: "include", rules },
  allowed_line_types: null,
  include_unknown_line_types: true,
});
const MOBILES = filters(rule("line_type", "in", "mobile"));

let app: TestApp;
let lookup: Peer;
let carriers: Carriers;
let outbound: Awaited<ReturnType<typeof createOutbound>>;
beforeAll(async () => {
  app = await createTestApp();
  lookup = await createPeer();
  outbound = await createOutbound(app);
  const twilio = createTwilio({
    egress: app.egress,
    publicUrl: "https://parley.example",
    hosts: hostsAt(lookup.url),
    name: "twilio",
    simulated: false,
  });
  carriers = { of: async ({ id }) => ({ carrier: twilio, account: { channel_id: id, credentials: {} } }) };
});

/** As Twilio's documentation of Lookup v2 shows it: https://www.twilio.com/docs/lookup/v2-api/line-type-intelligence */
const answer = (path: string) => {
  const url = new URL(path, "http://x");
  const number = decodeURIComponent(url.pathname.split("/").at(-1) ?? "");
  const fields = url.searchParams.get("Fields")?.split(",") ?? [];
  return {
    calling_country_code: "1",
    country_code: "US",
    phone_number: number,
    national_format: "(415) 701-2311",
    valid: true,
    validation_errors: null,
    caller_name: fields.includes("caller_name")
      ? { caller_name: "Sergio Suarez", caller_type: "CONSUMER", error_code: null }
      : null,
    line_type_intelligence: fields.includes("line_type_intelligence")
      ? {
          error_code: null,
          mobile_country_code: "310",
          mobile_network_code: "456",
          carrier_name: "verizon",
          type: number.endsWith("1") ? "mobile" : "landline",
        }
      : null,
    url: `https://lookups.twilio.com/v2/PhoneNumbers/${number}`,
  };
};

beforeEach(async () => {
  app.clock.set(START);
  await app.db.deleteFrom("number_lookups").execute();
  lookup.requests.length = 0;
  lookup.respond(({ path }, response) => json(response, 200, answer(path)));
});

let people = 0;
/** Requests to numbers that end so; a batch each. */
async function waiting(...endings: number[]) {
  const { batch_id } = await outbound.createBatch();
  await outbound.add(
    batch_id,
    endings.map((ending) => request(`p-${++people}`, `+1415701${String(ending).padStart(4, "0")}`)),
  );
  const rows = () =>
    app.db
      .selectFrom("requests as r")
      .innerJoin("batches as b", "b.key", "r.batch_key")
      .select(["r.batch_key", "r.id as request_id", "r.target", "r.enrichment", "r.line_type"])
      .where("b.batch_id", "=", batch_id)
      .orderBy("r.id")
      .$castTo<ToEnrich["requests"][number] & { line_type: string | null }>()
      .execute();
  return { batch_id: batch_id as string, rows };
}
const run = async (requests: ToEnrich["requests"], given: Filters = MOBILES, by: Carriers = carriers) =>
  enrich(
    { ...app, carriers: by },
    { organization_id: app.admin.organization_id, channel_id: null, filters: given, requests },
  );
const asked = () => lookup.requests.map(({ path }) => new URL(path, "http://x").searchParams.get("Fields"));

describe("numbers are looked up", () => {
  test("for what the filters ask, and the answers are stored on the requests", async () => {
    const { rows } = await waiting(1, 2);
    const found = await run(await rows());
    expect(asked()).toEqual(["line_type_intelligence", "line_type_intelligence"]);
    const [mobile, landline] = await rows();
    expect(mobile).toMatchObject({
      line_type: "mobile",
      enrichment: { line_type: "mobile", carrier_name: "verizon", mcc: "310", mnc: "456", error_code: null },
    });
    expect(landline!.line_type).toBe("landline");
    expect([...found.values()]).toEqual([mobile!.enrichment, landline!.enrichment]);
  });

  test("not at all when no rule needs it", async () => {
    const { rows } = await waiting(1);
    expect((await run(await rows(), filters())).size).toBe(0);
    await run(await rows(), filters(rule("something_else", "exists")));
    expect(asked()).toEqual([]);
  });

  test("once in 30 days for each organization, whoever asks", async () => {
    const { rows } = await waiting(1);
    const again = await waiting(1);
    await run(await rows());
    await run(await rows());
    await run(await again.rows());
    expect(asked()).toHaveLength(1);
    expect((await again.rows())[0]!.line_type).toBe("mobile");

    app.clock.advance(30 * 86_400_000);
    const later = await waiting(1);
    await run(await later.rows());
    expect(asked()).toHaveLength(2);
    const { cost } = await app.db.selectFrom("number_lookups").select("cost").executeTakeFirstOrThrow();
    expect(cost).toBeCloseTo(0.016);
  });

  test("only once for a number that several requests have", async () => {
    const [one, two] = [await waiting(7), await waiting(7)];
    await run([...(await one.rows()), ...(await two.rows())]);
    expect(asked()).toHaveLength(1);
  });

  test("again only for the packages that an edited filter adds", async () => {
    const { rows } = await waiting(1);
    await run(await rows());
    const more = filters(rule("line_type", "in", "mobile"), rule("caller_type", "eq", "CONSUMER"));
    await run(await rows(), more);
    expect(asked()).toEqual(["line_type_intelligence", "caller_name"]);
    expect((await rows())[0]!.enrichment).toMatchObject({ line_type: "mobile", caller_type: "CONSUMER" });
    await run(await rows(), more);
    expect(asked()).toHaveLength(2);
  });
});

describe("a lookup that fails leaves its fields unresolved", () => {
  test("on the request, and is asked again for the next one", async () => {
    lookup.respond((_, response) => json(response, 503, {}));
    const { rows } = await waiting(1);
    await run(await rows());
    expect((await rows())[0]).toMatchObject({
      line_type: null,
      enrichment: { line_type: null, error_code: null },
    });
    await run(await rows());
    expect(asked()).toHaveLength(1);

    lookup.respond(({ path }, response) => json(response, 200, answer(path)));
    const next = await waiting(1);
    await run(await next.rows());
    expect((await next.rows())[0]!.line_type).toBe("mobile");
  });

  test("so does an installation without a carrier", async () => {
    const { rows } = await waiting(1);
    const found = await run(await rows(), MOBILES, { of: async () => null });
    expect([...found.values()]).toEqual([{ line_type: null, error_code: null }]);
  });

  test("and a carrier that fails every time is left alone; who wasn't asked about may come again", async () => {
    lookup.respond((_, response) => json(response, 503, {}));
    const { rows } = await waiting(...Array.from({ length: 100 }, (_, n) => n));
    const found = await run(await rows());
    expect(asked().length).toBeLessThan(60);
    expect(found.size).toBe(asked().length);
    const untouched = (await rows()).filter(({ enrichment }) => enrichment === null);
    expect(untouched).toHaveLength(100 - found.size);
  });
});

describe("how many pass is counted", () => {
  const count = (body: object, campaign_id = outbound.campaign_id) =>
    app.send("POST", `/api/v1/outbound/campaigns/${campaign_id}/count_matches`, body);

  test("with the campaign's filters or others, for a batch or all, by what is known", async () => {
    const { batch_id, rows } = await waiting(1, 2, 3);
    await run((await rows()).slice(0, 2));
    expect((await count({ batch_id })).body).toEqual({
      counted: 3,
      is_complete: true,
      passing: 3,
      skipped: 0,
      not_looked_up: 0,
      reasons: [],
    });
    expect((await count({ batch_id, target_filters: MOBILES.target_filters })).body).toEqual({
      counted: 3,
      is_complete: true,
      passing: 2,
      skipped: 1,
      not_looked_up: 1,
      reasons: [{ reason: "line_type landline fails rule 1 (line_type in mobile)", count: 1 }],
    });
    const strict = { allowed_line_types: ["mobile"], include_unknown_line_types: false };
    expect((await count({ batch_id, ...strict })).body).toMatchObject({ passing: 1, skipped: 2 });
    expect((await count({})).body.counted).toBeGreaterThan(3);
  });

  test("of what the organization knows already, before its requests were looked up", async () => {
    const first = await waiting(2);
    await run(await first.rows());
    const { batch_id } = await waiting(2);
    const { body } = await count({ batch_id, target_filters: MOBILES.target_filters });
    expect(body).toMatchObject({ skipped: 1, not_looked_up: 0 });
  });

  test("but not of a batch of somebody else or of another campaign", async () => {
    const neighbour = await app.createNeighbour();
    const path = `/api/v1/outbound/campaigns/${outbound.campaign_id}/count_matches`;
    expect((await neighbour.send("POST", path, {})).status).toBe(404);
    const other = await outbound.createCampaign();
    const { batch_id } = await waiting(1);
    expect((await count({ batch_id }, other.id)).status).toBe(404);
    expect((await count({ target_filters: { rules: [{ field: "x", op: "like" }] } })).status).toBe(422);
  });
});
