import fc from "fast-check";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { suppress } from "../../src/consent/suppression.ts";
import type { FaultPoint } from "../../src/dialing/dialer.ts";
import { runErasure } from "../../src/erasure/erase-people.ts";
import { contactChannelOf } from "../../src/planning/contact-hours.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { createOutbound, request } from "../harness/batch.ts";
import { contactAt } from "../harness/contacts.ts";
import { createTestDialer } from "../harness/dialer.ts";
import { placesOf } from "../harness/everywhere.ts";
import { type Plan, word } from "../harness/planned-sender.ts";
import { insertSession } from "../harness/rows.ts";
import { rounds } from "../harness/seed.ts";
import { createSender } from "../harness/sender.ts";
import { Book } from "./book.ts";
import { isLegalBy, openBy } from "./by-the-book.ts";
import { createOwners } from "./database-owners.ts";
import {
  addressOf,
  cadenceHistory,
  contactHistory,
  type Fate,
  type Happening,
  type History,
  history,
  mailOf,
  ownersHistory,
  PEOPLE,
} from "./history.ts";
import { beforeHistory } from "./model.ts";
import { checkOneAtATime, checkPersonCaps, forbids, type Suppression } from "./people-promises.ts";

/** Fewer than in memory (histories.test.ts), but through every statement, index and trigger there is. */
const RUNS = Number(process.env.DATABASE_HISTORIES ?? rounds(15));

/** As the steps of histories name it. */
const STEPS_FROM = "+15125550100";

let app: TestApp;
let outbound: Awaited<ReturnType<typeof createOutbound>>;
let owners: Awaited<ReturnType<typeof createOwners>>;
beforeAll(async () => {
  app = await createTestApp();
  owners = await createOwners(app);
  outbound = await createOutbound(app);
  for (const mode of ["voice", "sms"] as const)
    await createSender(app, app.admin, { target: STEPS_FROM, mode });
  const keyed = await app.send("PUT", "/api/v1/outbound/contact-key", { variable: "person_key" });
  expect(keyed.status).toBe(200);
  // Histories reach into years by which the test's token would have run out.
  await app.db.updateTable("api_tokens").set({ expires_at: "2099-01-01T00:00:00Z" }).execute();
});

test.each([
  ["", history(30)],
  [" of campaigns with steps", cadenceHistory(8)],
  [" of people with several addresses", contactHistory(8)],
  [" of numbers that change hands", ownersHistory(8)],
])(`what the engine promises holds in ${RUNS} random histories on the database%s`, async (_, histories) => {
  await fc.assert(
    fc.asyncProperty(histories, (told) => play(told)),
    { numRuns: RUNS },
  );
});

test("the histories were worth something: steps were tried, skipped and stopped", async () => {
  const { rows } = await sql<{ steps: number; skipped: number }>`
    select (select count(*) from attempts where step > 0) as steps,
      (select count(*) from requests where step_log is not null) as skipped`.execute(app.db);
  // By night the seed changes, and with it how many: one had 23 in 150 histories.
  expect(rows[0]?.steps).toBeGreaterThan(RUNS / (process.env.NIGHTLY === "1" ? 15 : 5));
  expect(rows[0]?.skipped).toBeGreaterThan(0);
});

const PLANS: Record<Fate, Plan> = {
  taken: {},
  refused: { send: "refused", refused_as: "SIP_NOT_FOUND" },
  "not-sent": { send: "not-sent" },
  lost: { send: "lost" },
  "never-got-it": { send: "unknown" },
  "dies-before": {},
  "dies-after": {},
  "held-up": {},
};

let histories = 0;
/** Each history has its own people; a reference that two batches share is one of them. */
const personOf = (reference: string) => PEOPLE[addressOf(reference)] as (typeof PEOPLE)[string];
/** In the area of theirs. */
const numberOf = (reference: string): string =>
  `${personOf(reference).number.slice(0, 5)}${5_000_000 + histories * 10 + addressOf(reference).charCodeAt(0) - "a".charCodeAt(0)}`;
const mailAddress = (mail: string): string => `${histories}-${mail}`;
const addressNamed = (name: string): string => (name.includes("@") ? mailAddress(name) : numberOf(name));
/** For a history without rules of its own. */
const NO_RULES = { person_clock: false, contact_hours: [], caps: [] };
const LIMITS = { per_source: 20, per_organization: 100, kept_for_callers: 0.3 };

async function play(told: History): Promise<void> {
  await app.db.updateTable("batches").set({ status: "CANCELED" }).execute();
  await app.db.updateTable("attempts").set({ state: "ENDED", holds_slot: false, check_at: null }).execute();
  await app.db.deleteFrom("dial_sources").execute();
  await app.db.updateTable("agents").set({ timezone: told.zone }).execute();
  app.clock.set(told.from);
  histories++;
  const saved = await app.send("PUT", "/api/v1/outbound/rules", told.rules ?? NO_RULES);
  expect(saved.status).toBe(200);
  const limits = { ...LIMITS, per_person: told.per_person };
  const statuses = ["QUEUED", "BUSY", "NO-ANSWER", "COMPLETED", "HUMAN", "NO_OUTCOME", "CANCELED"];
  const { id } = await outbound.createCampaign({
    ...told.campaign,
    webhooks: [{ url: "https://hooks.example/", request_method: "POST", trigger_statuses: statuses }],
  });
  const rules = told.campaign.retry_rules ?? [];
  const { cadence } = told.campaign;
  if (cadence.length > 0) {
    const set = await app.send("PUT", `/api/v1/outbound/campaigns/${id}/cadence`, { steps: cadence });
    expect(set.status, JSON.stringify(set.body)).toBe(200);
  }
  const ruled = await app.send("PUT", `/api/v1/outbound/campaigns/${id}/retry-rules`, { rules });
  expect(ruled.status).toBe(200);
  const { purpose, check_reassigned } = told.campaign;
  const reached = { purpose, check_reassigned };
  const reach = await app.send("PUT", `/api/v1/outbound/campaigns/${id}/reach-rules`, reached);
  expect(reach.status).toBe(200);
  const people = Object.keys(PEOPLE).map((name) => ({ name, number: numberOf(name), mail: mailOf(name) }));
  await owners.begin(
    people.flatMap(({ number, mail }) => [number, ...(mail === null ? [] : [mailAddress(mail)])]),
  );
  for (const name of told.given_away) owners.books.give(numberOf(name), beforeHistory(told));
  // In every fourth history, so that the others keep their attempts beside each other.
  const most = histories % 4 === 0 ? 1 : null;
  const dialing = await app.send("PUT", `/api/v1/outbound/campaigns/${id}/dialing-settings`, {
    max_concurrent: most,
  });
  expect(dialing.status).toBe(200);
  const optedOut = new Map<string, Date>();
  const stopped: { number: string; at: Date }[] = [];
  const contacts = new ContactsOf(told, id);
  const batches: string[] = [];
  for (const { people: references, call_rate, expires_h } of told.batches) {
    const expires_on =
      expires_h === null ? null : new Date(told.from.getTime() + expires_h * 3_600_000).toISOString();
    const { batch_id } = await outbound.createBatch({ campaign_id: id, call_rate, expires_on });
    await outbound.add(
      batch_id,
      references.map((reference) => {
        const { timezone } = personOf(reference);
        const mail = mailOf(addressOf(reference));
        return request(reference, numberOf(reference), {
          ...(timezone !== undefined && { timezone }),
          ...(mail !== null && { email: mailAddress(mail) }),
        });
      }),
    );
    batches.push(batch_id);
  }

  let fates: Fate[] = ["taken"];
  let placed = 0;
  const fateOf = (): Fate => fates[placed++ % fates.length] as Fate;
  let next: Fate = "taken";
  const { carriers } = owners;
  const world = createTestDialer(app, () => PLANS[next], { carriers }).world;
  const dieIf = (name: FaultPoint) => {
    if (name === "before-send") next = fateOf();
    if (name === "before-send" && (next === "dies-before" || next === "held-up")) throw new Error("died");
    if (name === "after-send" && next === "dies-after") throw new Error("died");
  };
  const [first, ...others] = [0, 1, 2].map(() =>
    createTestDialer(app, () => PLANS[next], { senders: world.senders, carriers, faultPoint: dieIf, limits }),
  ) as [ReturnType<typeof createTestDialer>, ...ReturnType<typeof createTestDialer>[]];
  const dialers = [first, ...others];

  const happen = async (happening: Happening): Promise<void> => {
    await contacts.erase();
    await contacts.happen(happening);
    if (happening.kind === "pass") app.clock.advance(happening.ms);
    else if (happening.kind === "tick") {
      fates = happening.fates;
      const before = await underWay(id);
      await dialers[happening.process]?.tick();
      await contacts.checkStarts();
      const after = await underWay(id);
      if (most !== null && after > before)
        expect(after, "attempts of a campaign at once").toBeLessThanOrEqual(most);
    } else if (happening.kind === "ask") {
      fates = ["taken"];
      world.setDown(happening.answers[0] === "unreachable");
      await first.tick();
      await contacts.checkStarts();
      world.setDown(false);
    } else if (happening.kind === "told") {
      const key = [...world.taken.keys()].at(-1 - happening.back);
      if (key === undefined) return;
      const signal = word(key, happening.status, app.clock.now(), { is_transient: happening.is_transient });
      await first.attempts.signal(Array.from({ length: happening.times }, () => signal));
    } else if (happening.kind === "delete") {
      const batch_id = batches[happening.batch];
      if (batch_id) await outbound.remove(batch_id);
    } else if (happening.kind === "asked") {
      const key = [...world.taken.keys()].at(-1 - happening.back);
      if (key !== undefined) await askToBeCalled(key, happening.wait_ms);
    } else if (happening.kind === "opt-out-by-mail") {
      const mail = mailOf(happening.person);
      if (mail === null) return;
      await app.send("POST", "/api/v1/suppressions/", { address: mailAddress(mail) });
      contacts.optOut(mailAddress(mail));
      stopped.push({ number: numberOf(happening.person), at: app.clock.now() });
    } else if (happening.kind === "withdraw") {
      const mail = mailOf(happening.person);
      const number = numberOf(happening.person);
      await owners.withdraw([number, ...(mail === null ? [] : [mailAddress(mail)])]);
      contacts.withdraw(number);
    } else if (happening.kind === "agrees") {
      // Who was opted out, or has withdrawn, stays so: what comes after is another history.
      if (!contacts.hasSaidNo(numberOf(happening.person))) await owners.agree(numberOf(happening.person));
    } else if (happening.kind === "given-away") {
      owners.books.give(numberOf(happening.person), app.clock.now());
    } else if (happening.kind === "look-ahead") {
      owners.answerWith(happening.answers);
    } else if (happening.kind === "answers") {
      await insertSession(app, { source: numberOf(happening.person), channel: "voice" });
      stopped.push({ number: numberOf(happening.person), at: app.clock.now() });
    } else if (happening.kind === "opt-out") {
      const address = numberOf(happening.person);
      await app.send("POST", "/api/v1/suppressions/", { address });
      contacts.optOut(address);
      optedOut.set(address, app.clock.now());
    } else if (happening.kind === "pause" || happening.kind === "resume") {
      const batch = told.batches[happening.batch];
      const expires_on =
        batch?.expires_h == null
          ? null
          : new Date(told.from.getTime() + batch.expires_h * 3_600_000).toISOString();
      const body = { paused: happening.kind === "pause", expires_on, call_rate: batch?.call_rate ?? null };
      await outbound.put(batches[happening.batch] ?? "none", body);
    }
  };
  for (const happening of told.happenings) await happen(happening);
  await contacts.erase();
  await check(told, id);
  if (told.happenings.some((h) => h.kind === "pass" && h.ms < 0)) return;
  for (const { number, at } of stopped)
    await nothing(
      "a step after the person answered or opted out",
      sql`select a.key from attempts a join requests r on r.batch_key = a.batch_key and r.id = a.request_id
        where a.campaign_id = ${id} and r.target = ${number} and a.step > 0 and a.started_at > ${at.toISOString()}
          and r.call_back_after is null
          and exists (select from attempts f where f.batch_key = a.batch_key and f.request_id = a.request_id
            and f.started_at <= ${at.toISOString()}::timestamptz)`,
    );
  for (const [address, at] of optedOut)
    await nothing(
      "an attempt after the opt-out",
      sql`select key from attempts where campaign_id = ${id} and target = ${address} and started_at > ${at.toISOString()}`,
    );
}

/** Opt-outs protect a person who was erased; consents, without their words, prove that earlier calls were allowed. */
const KEPT = ["suppressions.address", "consents.address"];

/** The contacts of one history, kept beside the database: what is promised of people is checked by these. */
class ContactsOf {
  #told: History;
  #campaign_id: number;
  #book = new Book();
  #suppressions: Suppression[] = [];
  #erasures: { id: number; addresses: string[] }[] = [];
  #keyed: string | null = null;
  #seen = new Set<string>();

  constructor(told: History, campaign_id: number) {
    this.#told = told;
    this.#campaign_id = campaign_id;
  }

  #withdrew = new Set<string>();

  withdraw(number: string): void {
    this.#withdrew.add(number);
  }

  /** On any channel: an opt-out revokes consents. */
  hasSaidNo = (number: string): boolean =>
    this.#withdrew.has(number) || this.#suppressions.some(({ address }) => address === number);

  optOut(address: string): void {
    this.#suppressions.push({ address, scope: "all", how: "noted" });
  }

  async happen(happening: Happening): Promise<void> {
    if (happening.kind === "link") {
      const [one, other] = [addressNamed(happening.address), addressNamed(happening.other)];
      const { status } = await app.send("POST", `${contactAt(one)}/addresses`, { address: other });
      expect(status, "a link").toBe(this.#book.link(one, other) ? 200 : 409);
    } else if (happening.kind === "unlink") {
      const address = addressNamed(happening.address);
      const path = `${contactAt(address)}/addresses/${encodeURIComponent(address)}`;
      const { status } = await app.send("DELETE", path);
      expect(status === 200, "an address unlinked").toBe(this.#book.unlink(address));
    } else if (happening.kind === "zone") {
      const { timezone } = happening;
      const address = addressNamed(happening.address);
      expect((await app.send("PUT", contactAt(address), { timezone })).status).toBe(200);
      this.#book.note(address, timezone);
    } else if (happening.kind === "keyed") await this.#takeKeys(happening.incoming);
    else if (happening.kind === "suppress") await this.#suppress(happening);
    else if (happening.kind === "erase") {
      const address = addressNamed(happening.address);
      const asked = await app.send("POST", "/api/v1/erasures/", { address });
      expect(asked.status).toBe(200);
      this.#erasures.push({ id: asked.body.id, addresses: this.#book.peersOf(address) });
    }
  }

  /** Requests of a batch on hold, which nobody is called for. */
  async #takeKeys(incoming: Extract<Happening, { kind: "keyed" }>["incoming"]): Promise<void> {
    if (this.#keyed === null) {
      this.#keyed = (await outbound.createBatch()).batch_id as string;
      await outbound.put(this.#keyed, { paused: true });
    }
    const named = incoming.map(({ key, address }) => ({
      key: `${histories} ${key}`,
      address: addressNamed(address),
    }));
    const added = await outbound.add(
      this.#keyed,
      named.map(({ key, address }) => request(`keyed-${++references}`, address, { person_key: key })),
    );
    expect(added.status).toBe(200);
    this.#book.takeKeys(named);
  }

  async #suppress({ address: name, scope, how }: Suppression): Promise<void> {
    const at = app.clock.now();
    const [address, { sub_organization_id }] = [addressNamed(name), app.admin];
    const through = ({ said: "speech", noted: "operator", bounced: "carrier" } as const)[how];
    const reason = ({ said: "unsubscribed", noted: "do-not-call", bounced: "bounced" } as const)[how];
    const proof = { at, through, said: null, session_id: null, message_id: null };
    const entry = { sub_organization_id, address, scope, reason, proof };
    await app.db.transaction().execute((tx) => suppress(tx, [entry], at));
    this.#suppressions.push({ address, scope, how });
  }

  /** Goes on with erasures; of one that is over, nothing may be left anywhere but what protects the person. */
  async erase(): Promise<void> {
    for (const erasure of this.#erasures.splice(0)) {
      const { id, addresses } = erasure;
      await runErasure({ ...app, dataDir: app.config.data_dir }, id);
      const { status } = (await app.send("GET", `/api/v1/erasures/${id}`)).body;
      if (status !== "COMPLETED") {
        this.#erasures.push(erasure);
        continue;
      }
      this.#book.remove(addresses);
      // A mail stands in the column of somebody's request, who is another person as long as nothing links the two.
      for (const number of addresses.filter((address) => !address.includes("@")))
        expect(
          (await placesOf(app, number)).filter((place) => !KEPT.includes(place)),
          "something of a person who was erased",
        ).toEqual([]);
    }
  }

  /** Who was started since the last look, by the links of now, which nothing changed meanwhile. */
  async checkStarts(): Promise<void> {
    const wasSetBack = this.#told.happenings.some((h) => h.kind === "pass" && h.ms < 0);
    const { rows: attempts } = await sql<Attempted>`
      select a.key::text as key, a.target, a.mode, a.started_at, a.attempt_number, r.target as request_target, r.request_variables ->> 'email' as mail,
        a.state = 'ENDED' and a.channel_status = 'PENDING' as is_untried, a.holds_slot
      from attempts a join requests r on r.batch_key = a.batch_key and r.id = a.request_id
      where a.campaign_id = ${this.#campaign_id} order by a.key`.execute(app.db);
    const byMail = this.#told.campaign.cadence.some(
      ({ mode, address }) => mode === "email" && address === null,
    );
    for (const [nth, start] of attempts.entries()) {
      if (this.#seen.has(start.key)) continue;
      this.#seen.add(start.key);
      expect(forbids(this.#suppressions, start, this.#book), "an attempt after the opt-out").toBe(false);
      const live = attempts.filter((other) => other !== start && other.holds_slot);
      if (start.holds_slot) checkOneAtATime(start, live, this.#book);
      const before = attempts.slice(0, nth).filter(({ is_untried }) => !is_untried);
      const own = [
        start.target,
        start.request_target,
        ...(byMail && start.mail !== null ? [start.mail] : []),
      ];
      if (!wasSetBack) checkPersonCaps(start, { own, before, book: this.#book }, this.#told);
      const { purpose, check_reassigned } = this.#told.campaign;
      const lacksConsent = purpose === "marketing" && this.#withdrew.has(start.request_target);
      expect(lacksConsent, "an attempt without a consent").toBe(false);
      // Without a consent there is no day to ask about; Twilio knows of North American numbers alone.
      const isChecked = check_reassigned && start.target.startsWith("+1") && !wasSetBack;
      if (isChecked && !this.hasSaidNo(start.target))
        owners.books.checkStart(start.target, new Date(start.started_at), start.attempt_number === 1);
    }
  }
}
type Attempted = {
  key: string;
  target: string;
  mode: "voice" | "sms" | "email";
  started_at: string;
  attempt_number: number;
  request_target: string;
  mail: string | null;
  is_untried: boolean;
  holds_slot: boolean;
};
let references = 0;

async function underWay(campaign_id: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from attempts where campaign_id = ${campaign_id} and holds_slot`.execute(app.db);
  return rows[0]?.n ?? 0;
}

let sessions = 1_000_000;
/** The person of an attempt, in a conversation of it, wants to be called again after so long. */
async function askToBeCalled(key: string, wait_ms: number): Promise<void> {
  const { sub_organization_id } = app.admin;
  const id = ++sessions;
  const at = new Date(app.clock.now().getTime() + wait_ms);
  await app.db.transaction().execute(async (tx) => {
    await sql`update attempts set session_id = ${id} where key = ${key}`.execute(tx);
    const booked = { at, timezone: "UTC" };
    await app.engine.callBacks.book(tx, { id, sub_organization_id }, booked, app.clock.now());
  });
}

async function check(told: History, campaign_id: number): Promise<void> {
  const attempts = await app.db
    .selectFrom("attempts")
    .selectAll()
    .where("campaign_id", "=", campaign_id)
    .orderBy("key")
    .execute();
  const firsts = new Map<string, Set<string>>();
  for (const { started_at, counted_on, reference_id, mode } of attempts) {
    const days = openBy(told.campaign, told.zone, new Date(started_at));
    expect(days.length, "an attempt started outside the window").toBeGreaterThan(0);
    if (told.rules?.person_clock)
      expect(
        isLegalBy(told.rules, personOf(reference_id), new Date(started_at), {
          channel: contactChannelOf(mode),
          purpose: told.campaign.purpose,
        }),
        "contacted outside the person's own hours",
      ).toBe(true);
    if (counted_on === null) continue;
    const date = String(counted_on).slice(0, 10);
    firsts.set(date, (firsts.get(date) ?? new Set()).add(reference_id));
  }
  if (told.campaign.max_daily_calls !== null && told.campaign.outreach_override_rules === null) {
    for (const reached of firsts.values())
      expect(reached.size, "more first attempts than the cap").toBeLessThanOrEqual(
        told.campaign.max_daily_calls,
      );
  }
  if (!told.happenings.some((h) => h.kind === "pass" && h.ms < 0)) {
    for (const some of Map.groupBy(attempts, ({ batch_key }) => batch_key).values()) {
      const rates = told.batches.map(({ call_rate }) => call_rate ?? told.campaign.hourly_rate);
      const gaps = some
        .slice(1)
        .map((a, i) => Date.parse(a.started_at) - Date.parse(some[i]?.started_at ?? ""));
      for (const gap of gaps) expect(gap, "too close").toBeGreaterThanOrEqual(3_600_000 / Math.max(...rates));
    }
  }
  if (told.per_person !== null && !told.happenings.some((h) => h.kind === "pass" && h.ms < 0)) {
    const { attempts: most, window_ms } = told.per_person;
    await nothing(
      "a person was tried too often",
      sql`
      select target from (
        select target, started_at - lag(started_at, ${most}::integer) over (partition by target order by started_at) as gap
        from attempts where campaign_id = ${campaign_id} and channel_status <> 'PENDING'
      ) gaps where gap < ${window_ms} * interval '1 millisecond'`,
    );
  }
  for (const { attempts: most, days, channel } of told.happenings.some((h) => h.kind === "pass" && h.ms < 0)
    ? []
    : (told.rules?.caps ?? [])) {
    await nothing(
      "a person was contacted more often than a cap allows",
      sql`
      select target from (
        select target, started_at - lag(started_at, ${most}::integer) over (partition by target order by started_at) as gap
        from attempts where campaign_id = ${campaign_id} and channel_status <> 'PENDING'
          and mode = any(${channel === "any" ? ["voice", "sms", "email"] : channel === "text" ? ["sms"] : ["voice"]}::text[])
      ) gaps where gap < ${days} * interval '24 hours'`,
    );
  }
  const most_attempts = (told.campaign.retry_rules ?? []).reduce(
    (sum, { max_retries }) => sum + max_retries,
    told.campaign.retry_count + 1,
  );
  await nothing(
    "more attempts than the campaign allows",
    sql`
    select request_id from attempts where campaign_id = ${campaign_id} and channel_status <> 'PENDING'
    group by batch_key, request_id
    having count(*) > ${told.campaign.cadence.length}::integer + ${most_attempts}::integer * (1 + (select count(*) from call_backs c
      where c.batch_key = attempts.batch_key and c.request_id = attempts.request_id))`,
  );
  await nothing(
    "a step was tried twice",
    sql`
    select request_id from attempts where campaign_id = ${campaign_id} and channel_status <> 'PENDING' and step > 0
      and not exists (select from call_backs c
        where c.batch_key = attempts.batch_key and c.request_id = attempts.request_id)
    group by batch_key, request_id, step having count(*) > 1`,
  );
  await nothing(
    "a status the webhook asked for was told twice, or never",
    sql`
    with changed as (
      select e.attributes ->> 'batch_id' as batch_id, e.attributes ->> 'reference_id' as reference_id,
        (e.attributes ->> 'attempt_count')::integer as attempt_count, e.attributes ->> 'status' as status, count(*) as n
      from events e
      where e.type = 'request-status' and (e.attributes ->> 'campaign_id')::bigint = ${campaign_id}
        and e.attributes ->> 'status' in ('QUEUED', 'BUSY', 'NO-ANSWER', 'COMPLETED', 'HUMAN', 'NO_OUTCOME')
      group by 1, 2, 3, 4
    ),
    told as (
      select b.batch_id, r.reference_id, d.attempt_count, d.channel_manager_status as status, count(*) as n,
        -- That steps came to their end without an attempt has an event of its own.
        d.channel_manager_status = 'COMPLETED' and exists (select from events e where e.type = 'request-steps-stopped'
          and e.attributes ->> 'batch_id' = b.batch_id and e.attributes ->> 'reference_id' = r.reference_id) as is_end
      from webhook_deliveries d
      join requests r on r.batch_key = d.batch_key and r.id = d.request_id
      join batches b on b.key = d.batch_key
      where d.campaign_id = ${campaign_id} and d.channel_manager_status <> 'CANCELED'
      group by 1, 2, 3, 4
    )
    select * from changed full join told using (batch_id, reference_id, attempt_count, status)
    where (changed.n is distinct from 1 or told.n is distinct from 1)
      and not (changed.n is null and told.n = 1 and told.is_end)`,
  );
  await nothing(
    "how an attempt ended was not told",
    sql`
    select a.request_id, a.attempt_number, a.decision ->> 'status' as status from attempts a
    where a.campaign_id = ${campaign_id} and a.decision ->> 'kind' in ('retry', 'given-up')
      and a.decision ->> 'status' in ('BUSY', 'NO-ANSWER', 'NO_OUTCOME')
      and not exists (
        select from webhook_deliveries d
        where d.request_id = a.request_id and d.attempt_count = a.attempt_number
          and d.channel_manager_status = a.decision ->> 'status'
      )`,
  );
  await nothing(
    "two calls to one number at once",
    sql`
    select a.target from attempts a join attempts b on b.target = a.target and b.key > a.key
    where a.campaign_id = ${campaign_id} and a.state <> 'ENDED' and b.state <> 'ENDED'`,
  );
  await nothing(
    "a line is held by an attempt that is over",
    sql`
    select key from attempts where campaign_id = ${campaign_id} and state = 'ENDED' and holds_slot`,
  );
  await nothing(
    "a request waits, or is over, while it is being reached",
    sql`
    select r.id from requests r join attempts a on a.batch_key = r.batch_key and a.request_id = r.id
    where a.campaign_id = ${campaign_id} and a.state <> 'ENDED' and r.request_status in ('PENDING', 'FAILED')`,
  );
  await nothing(
    "the counts differ from the requests",
    sql`
    select * from (
      select batch_key, request_status, count(*) as n from requests group by 1, 2
    ) is_so full join (
      select batch_key, request_status, sum(n) as n from request_counts group by 1, 2 having sum(n) <> 0
    ) counted using (batch_key, request_status)
    where is_so.n is distinct from counted.n`,
  );
}

async function nothing(promise: string, query: ReturnType<typeof sql<object>>): Promise<void> {
  const { rows } = await query.execute(app.db);
  expect(rows, promise).toEqual([]);
}
