import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { CONSENT_CHANNELS, CONSENT_PURPOSES, OPT_OUT_PATHS } from "../../../src/consent/consent.ts";
import { lift, SUPPRESSION_REASONS, SUPPRESSION_SCOPES, suppress } from "../../../src/consent/suppression.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { sendForm } from "../../harness/form.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const LEDGERS = ["suppressions", "consents"] as const;
type Ledger = (typeof LEDGERS)[number];
type Workspace = Awaited<ReturnType<TestApp["createNeighbour"]>>;

let workspaces = 0;
const workspace = () => app.createNeighbour(`ledger-${++workspaces}@example.org`);
const download = async ({ send }: Workspace, ledger: Ledger): Promise<string> =>
  (await send("GET", `/api/v1/${ledger}/csv`)).body;
const upload = async ({ token }: Workspace, ledger: Ledger, content: string) =>
  (
    await sendForm(
      app,
      "POST",
      `/api/v1/${ledger}/csv`,
      { file: { filename: `${ledger}.csv`, content } },
      token,
    )
  ).body;

/** Short codes and names write to us, too, and say STOP. */
const ADDRESSES = ["+15125550123", "+4930901820", "ann@example.com", "72345", "PARLEY"];
const address = fc.constantFrom(...ADDRESSES);
/** What people write, and what would run in a spreadsheet or is taken apart by one. */
const words = fc
  .oneof(
    fc.string({ unit: "grapheme", maxLength: 30 }),
    fc.array(
      fc.constantFrom("=", "+", "-", "@", "'", "1", "a", ",", '"', "\n", "\r\n", "\t", " ", "\uFFFD"),
      {
        maxLength: 8,
      },
    ),
  )
  .map((text) => (typeof text === "string" ? text : text.join("")).trim() || null);
const step = fc.oneof(
  fc.record({
    does: fc.constant("suppress" as const),
    address,
    scope: fc.constantFrom(...SUPPRESSION_SCOPES),
    reason: fc.constantFrom(...SUPPRESSION_REASONS),
    through: fc.constantFrom(...OPT_OUT_PATHS),
    said: words,
    comment: words,
  }),
  fc.record({
    does: fc.constant("agree" as const),
    address,
    purpose: fc.constantFrom(...CONSENT_PURPOSES),
    channel: fc.constantFrom(...CONSENT_CHANNELS),
    days_ago: fc.nat(2),
    wording: words,
    evidence: fc.option(
      fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), fc.string(), { maxKeys: 3 }),
    ),
  }),
  fc.record({ does: fc.constant("start" as const), address, said: words }),
  fc.record({
    does: fc.constant("end" as const),
    ledger: fc.constantFrom(...LEDGERS),
    which: fc.nat(5),
    reason: words.map((text) => text ?? "by letter"),
  }),
);

async function take(
  { caller, send }: Workspace,
  taken: typeof step extends fc.Arbitrary<infer S> ? S : never,
) {
  app.clock.advance(60_000);
  const at = app.clock.now();
  const { sub_organization_id } = caller;
  const proof = { at, session_id: null, message_id: "SM7" };
  if (taken.does === "suppress") {
    const { does, through, said, ...entry } = taken;
    const added = { ...entry, sub_organization_id, proof: { ...proof, through, said }, created_by: null };
    await app.db.transaction().execute((tx) => suppress(tx, [added], at));
  } else if (taken.does === "start") {
    const words = { ...proof, through: "text", said: taken.said } as const;
    await app.db
      .transaction()
      .execute((tx) => lift(tx, { sub_organization_id, address: taken.address, proof: words }, at));
  } else if (taken.does === "agree") {
    const { does, days_ago, ...consent } = taken;
    const valid_from = new Date(at.getTime() - days_ago * 86_400_000).toISOString();
    await send("POST", "/api/v1/consents/", { ...consent, valid_from, given_through: "form" });
  } else {
    const { items } = (await send("GET", `/api/v1/${taken.ledger}/`)).body;
    const id = items[taken.which % Math.max(items.length, 1)]?.id;
    if (id) await send("DELETE", `/api/v1/${taken.ledger}/${id}?reason=${encodeURIComponent(taken.reason)}`);
  }
}

/** All that a file says of who may be reached, without what is about the workspace it came from. */
async function standing({ caller: { sub_organization_id } }: Workspace) {
  const suppressions = await app.db
    .selectFrom("suppressions")
    .selectAll()
    .where("sub_organization_id", "=", sub_organization_id)
    .execute();
  const consents = await app.db
    .selectFrom("consents")
    .selectAll()
    .where("sub_organization_id", "=", sub_organization_id)
    .execute();
  const told = [
    ...suppressions.map(({ lifted_message_id, session_id, ...entry }) => entry),
    // A consent without a proof is proved by the file that it came in.
    ...consents.map(({ evidence, ...entry }) => ({
      ...entry,
      evidence: evidence !== null && "file" in (evidence as object) ? null : evidence,
    })),
  ].map(({ id, sub_organization_id, created_at, created_by, ...entry }) => JSON.stringify(entry));
  return told.toSorted();
}

test("exports imported into an empty workspace in any order give the same standing, and imported again change nothing", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 14 }),
      fc.shuffledSubarray([...LEDGERS], { minLength: 2 }),
      async (steps, order) => {
        const [from, to] = [await workspace(), await workspace()];
        for (const each of steps) await take(from, each);
        const before = await standing(from);
        const files = { suppressions: "", consents: "" };
        for (const ledger of order) {
          files[ledger] = await download(from, ledger);
          expect(await upload(to, ledger, files[ledger])).toHaveProperty("added");
        }
        expect(await standing(to)).toEqual(before);
        for (const [ledger, target] of order.flatMap(
          (each) =>
            [
              [each, to],
              [each, from],
            ] as const,
        )) {
          const again = await upload(target, ledger, files[ledger]);
          expect(Object.values(again).reduce((sum: number, count) => sum + Number(count), 0)).toBe(
            again.known,
          );
        }
        expect(await standing(to)).toEqual(before);
        expect(await standing(from)).toEqual(before);
      },
    ),
    { numRuns: rounds(25) },
  );
});

test("a short code that said STOP comes back from an export as it was, under any calling code, and is a fault in other lists", async () => {
  const [from, to] = [await workspace(), await workspace()];
  const { sub_organization_id } = from.caller;
  const at = app.clock.now();
  const proof = { at, through: "text", said: "STOP", session_id: null, message_id: "SM8" } as const;
  const entry = {
    sub_organization_id,
    address: "72345",
    scope: "all",
    reason: "unsubscribed",
    proof,
  } as const;
  await app.db.transaction().execute((tx) => suppress(tx, [entry], at));
  const content = await download(from, "suppressions");
  const form = { file: { filename: "s.csv", content } };
  const imported = await sendForm(app, "POST", "/api/v1/suppressions/csv?calling_code=49", form, to.token);
  expect(imported).toMatchObject({ status: 200, body: { added: 1 } });
  expect(await standing(to)).toEqual(await standing(from));
  expect(await upload(to, "suppressions", "address\n72345\n")).toMatchObject({
    detail: [{ loc: ["file", 2, "address"] }],
  });
});

test("a lifted row lifts nothing that holds, and a revoked row ends what was given here before", async () => {
  const there = await workspace();
  const [address] = ADDRESSES;
  await there.send("POST", "/api/v1/suppressions/", { address });
  await there.send("POST", "/api/v1/consents/", {
    address: "ann@example.com",
    channel: "email",
    given_through: "form",
    valid_from: "2026-01-05T00:00:00Z",
  });
  const lifted = `address,occurred_at,lifted_at\n${address},2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n`;
  expect(await upload(there, "suppressions", lifted)).toEqual({ added: 0, lifted: 1, known: 0 });
  const revoked =
    "address,purpose,channel,given_through,valid_from,revoked_at,revoked_through\nann@example.com,marketing,email,form,2026-01-01,2026-02-01T00:00:00Z,mail\n";
  expect(await upload(there, "consents", revoked)).toMatchObject({ added: 0, revoked: 1 });
  const held = async (ledger: Ledger) => (await there.send("GET", `/api/v1/${ledger}/`)).body.items;
  expect(await held("suppressions")).toMatchObject([{ address }]);
  expect(await held("consents")).toEqual([]);
});

test("how an entry ended is refused without when, in the future, or through what nothing comes", async () => {
  const there = await workspace();
  const [address] = ADDRESSES;
  const refused = async (columns: string, cells: string) =>
    (await upload(there, "suppressions", `address,${columns}\n${address},${cells}\n`)).detail;
  const at = (column: string) => [{ loc: ["file", 2, column] }];
  expect(await refused("lifted_said", "START")).toMatchObject(at("lifted_at"));
  expect(await refused("lifted_at", "2099-01-01")).toMatchObject(at("lifted_at"));
  expect(await refused("lifted_at", "yesterday")).toMatchObject(at("lifted_at"));
  expect(await refused("lifted_at,lifted_through", "2026-01-01,fax")).toMatchObject(at("lifted_through"));
  expect(await refused("through", "fax")).toMatchObject(at("through"));
});
