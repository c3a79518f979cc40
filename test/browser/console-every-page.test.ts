import { beforeAll, expect, test } from "vitest";
import {
  axeFindings,
  COLOURS,
  type ConsolePage,
  type ConsoleTest,
  createConsoleTest,
  ROOM,
  SHELL,
  settled,
  standsOut,
  touching,
} from "../harness/console.ts";
import { sendForm } from "../harness/form.ts";
import { insightsOf, type PastSession, pastSession, runInsights } from "../harness/insights.ts";
import { A_DELIVERY, createOutboundPages } from "../harness/outbound-pages.ts";
import { NIGHTLY, SEED } from "../harness/seed.ts";

/** Every page of src/console/pages.tsx, with the numbers of the demo: its heading, and who of the two may see it. */
const ROUTES: [path: string, heading: string | RegExp, viewer: boolean][] = [
  ["/console/", "Home", true],
  ["/console/agents", "Agents", true],
  ["/console/agents/1", "Demo clinic", true],
  ["/console/agents/new", "New agent", true],
  ["/console/boards", "Boards", true],
  ["/console/boards/new", "New board", true],
  ["/console/alerts", "Alerts", true],
  ["/console/alerts/new", "New alert", true],
  ["/console/webhooks", "Webhooks", true],
  ["/console/webhooks/new", "New webhook", true],
  ["/console/services", "Services", true],
  ["/console/services/2", "Demo clinic calendar", true],
  ["/console/services/new", "New service", true],
  ["/console/languages", "Languages and voices", true],
  ["/console/languages/1", "English and Spanish", true],
  ["/console/sources", "Data sources", true],
  ["/console/sources/new", "New data source", true],
  ["/console/messages", "Custom messages", true],
  ["/console/messages/2", "Demo reminder greeting", true],
  ["/console/messages/new", "New message", true],
  ["/console/prompts", "Prompts", true],
  ["/console/prompts/1", "Demo clinic receptionist", true],
  ["/console/prompts/1?view=history", "Demo clinic receptionist", true],
  ["/console/prompts/new", "New prompt", true],
  ["/console/agents/1/versions", "Versions", true],
  ["/console/agents/1/versions/compare", "Compare versions", true],
  ["/console/agents/1/experiments", "Experiments", true],
  ["/console/agents/1/experiments/1", "Shorter <b>answers</b>", true],
  ["/console/tests", "Tests", true],
  ["/console/tests/1", "Clinic receptionist", true],
  ["/console/tests/1?view=tests", "Clinic receptionist", true],
  ["/console/tests/1?view=schedule", "Clinic receptionist", true],
  ["/console/tests/replays", "Replays", true],
  ["/console/tests/judges", "Judges", true],
  ["/console/tests/judges/1", "Is <b>polite</b>", true],
  ["/console/tests/judges/1?view=settings", "Is <b>polite</b>", true],
  ["/console/tests/judges/1/label", "Label sessions", true],
  ["/console/tests/judges/new", "New judge", true],
  ["/console/tests/new", "New suite of tests", true],
  ["/console/tools", "Tools", true],
  ["/console/tools/find_slots", "find_slots", true],
  ["/console/tools/find_slots?view=json", "find_slots", true],
  ["/console/tools/find_slots?view=try", "find_slots", true],
  ["/console/tools/find_slots?view=history", "find_slots", true],
  ["/console/tools/visit_workflow?view=workflow", "visit_workflow", true],
  ["/console/tools/new", "New tool", true],
  ["/console/workflows/new", "New workflow", true],
  ["/console/directory", "Directory", true],
  ["/console/directory/1", "Billing", true],
  ["/console/directory/new", "New member", true],
  ["/console/pronunciations", "Pronunciations", true],
  ["/console/bridges", "Bridge phrases", true],
  ["/console/bridges/1", "Patience", true],
  ["/console/bridges/new", "New phrases", true],
  ["/console/insights", "Insights", true],
  ["/console/insights?view=tools", "Insights", true],
  ["/console/insights?view=results", "Insights", true],
  ["/console/insights?view=recordings", "Insights", true],
  ["/console/insights/workflows/1", "summary-workflow", true],
  ["/console/insights/workflows/2", "Old <b>topics</b>", true],
  ["/console/insights/workflows/2?view=executions", "Old <b>topics</b>", true],
  ["/console/insights/workflows/2?view=settings", "Old <b>topics</b>", true],
  ["/console/insights/workflows/new", "New workflow", true],
  ["/console/insights/tools/1", "summary-tool", true],
  ["/console/insights/tools/new", "New insight tool", true],
  ["/console/insights/folders/1", "Old calls", true],
  ["/console/insights/folders/new", "New folder", true],
  ["/console/reports", "Reports", true],
  ["/console/reports?view=insights", "Reports", true],
  ["/console/export", "Export everything", false],
  ["/console/channels", "Channels", true],
  ["/console/channels?view=addresses", "Channels", true],
  ["/console/channels/1", "Web chat", true],
  ["/console/channels/1?view=settings", "Web chat", true],
  ["/console/channels/new", "New channel", true],
  ["/console/sessions?f_is_test=true", "Sessions", true],
  ["/console/sessions/1?engine=yes", "Session 1", true],
  ["/console/sessions/1/debug?turn=1", "Debug turn 1", false],
  ["/console/campaigns", "Campaigns", true],
  ["/console/campaigns/3", "Recall <b>winter</b>", true],
  ["/console/campaigns/3?view=people", "Recall <b>winter</b>", true],
  ["/console/campaigns/3?view=call-backs", "Recall <b>winter</b>", true],
  ["/console/campaigns/3?view=batches", "Recall <b>winter</b>", true],
  ["/console/campaigns/3?view=forecast", "Recall <b>winter</b>", true],
  ["/console/campaigns/3?view=webhooks", "Recall <b>winter</b>", true],
  ["/console/campaigns/3?view=settings", "Recall <b>winter</b>", true],
  ["/console/number-groups", "Number groups", true],
  ["/console/number-groups/1", "Texas <b>local</b>", true],
  ["/console/number-groups/new", "New number group", true],
  ["/console/contacts", "Contacts", true],
  ["/console/contacts/%2B15125550199", "+15125550199", true],
  ["/console/campaigns/new", "New campaign", true],
  ["/console/batches/20261118.1", "20261118.1", true],
  ["/console/batches/20261119.1", "20261119.1", true],
  ["/console/batches/20261118.1/requests/patient-2", "patient-2", true],
  [`/console/webhook-deliveries/${A_DELIVERY}`, "Delivery", true],
  ["/console/suppressions", "Suppressions", true],
  ["/console/do-not-call-lists", "Do-not-call lists", true],
  ["/console/consents", "Consents", true],
  ["/console/webhook-inboxes", "Webhook inboxes", true],
  ["/console/webhook-inboxes/first", "first", true],
  ["/console/incidents", "Incidents", true],
  ["/console/incidents/1", "Calls <b>drop</b>", true],
  ["/console/incidents/new", "New incident", true],
  ["/console/events", "Events", true],
  ["/console/set-aside", "Set-aside work", false],
  ["/console/account", "Your account", true],
  ["/console/people", "People", true],
  ["/console/people/admin%40example.com", "admin@example.com", true],
  ["/console/people/new", "Invite somebody", true],
  ["/console/roles", "Roles", true],
  ["/console/roles/1", "Admin", true],
  ["/console/roles/new", "New role", true],
  ["/console/api-tokens", "API tokens", true],
  ["/console/audit-log", "Audit log", false],
  ["/console/models", "Model providers", true],
  ["/console/speech-services", "Speech services", true],
  ["/console/organization", "Organization", true],
];
/** What changes something; nobody who may only read sees one of these. */
const CHANGES =
  /^(New|Create\b|Review and save|Delete|Invite|Revoke|Make|Add label|Start conversation|Remove key|Test the key|Run$|Add step|Remove this step|Restore|Pause|Resume|Upload|Send|Enable|Disable|Lift|Import|Copy as curl|Add the date|Add webhook|Add person|Add exception|Connect agent|Change |Release |Disconnect |Rent|Check |Attach |Activate|Deactivate|Retry|Set the rate|Add to queue|Try it|Choose recordings|Restore |Resolve|Rest |End rest|Start$|Stop$|Ramp |Make |Edit$)/;

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
  const message = { service_name: "console", source: "tester", test_id: "t", agent_id: "1" };
  await it.app.send("POST", "/api/v1/agents/test/messages", { ...message, session_start: true });
  await it.app.send("POST", "/api/v1/agents/test/messages", { ...message, text: "a check-up on monday" });
  await it.app.send("POST", "/api/v1/api_tokens/", {
    name: "For the <b>importer</b>",
    permissions: ["agents_read"],
  });
  await it.app.send("POST", "/api/v1/incidents/", {
    description: "Calls <b>drop</b>",
    start_datetime: "2026-11-18T08:00:00Z",
    resolution_datetime: "2099-01-01T00:00:00Z",
    impact_category: "High",
    sessions_impacted: 12,
    markdown: "# What happened\nA carrier hangs up.",
  });
  await createOutboundPages(it.app, it.address);
  await createInsightPages(it);
  await createExperiment(it);
  const judge = { name: "Is <b>polite</b>", question: "Was the agent <b>polite</b>?", insight_tool_id: 1 };
  await it.app.send("POST", "/api/v1/judges/", { ...judge, output: "rating", wanted: "Good" });
  // Sessions that were put straight into the database have no language, which axe objects to where they are read.
  const ended = await it.app.db
    .selectFrom("sessions")
    .select("id")
    .where("ended_at", "is not", null)
    .execute();
  for (const { id } of ended) await it.app.send("PUT", `/api/v1/judges/1/labels/${id}`, { label: "yes" });
});

/** The demo's second version meets a part of its people. */
async function createExperiment({ app }: ConsoleTest): Promise<void> {
  await app.send("PUT", "/api/v1/agents/1/versioning", { published_version: 1, gates: [] });
  const { body } = await app.send("POST", "/api/v1/experiments/", {
    name: "Shorter <b>answers</b>",
    agent_id: 1,
    variants: [
      { version_number: 1, weight: 95, is_control: true },
      { version_number: 2, weight: 5, is_control: false },
    ],
  });
  await app.send("POST", `/api/v1/experiments/${body.id}/start`);
}

/** Something of each kind that the demo has nothing of. */
async function createInsightPages({ app }: ConsoleTest): Promise<void> {
  const insights = insightsOf(app);
  const agent = { agent_name: "<b>Night desk</b>", said: [["user", "Hello."]] } satisfies PastSession;
  await pastSession(app, app.admin, agent);
  await insights.workflow({
    name: "Old <b>topics</b>",
    insight_tool_ids: [1],
    start_datetime: "2026-11-01T00:00:00Z",
  });
  await insights.activate(2);
  await runInsights(app);
  await insights.folder({ name: "Old calls" });
  const file = { filename: "words.csv", content: "text,replacement\nNguyen,win\n" };
  await sendForm(app, "POST", "/api/v1/pronunciations/csv", { file });
  const rules = [{ days: "mo-fr", start_time: "09:00", end_time: "17:00" }];
  await app.send("POST", "/api/v1/directory_members/", {
    name: "Billing",
    type: "Department",
    extensions: [{ name: "work", numbers: [{ number: "+15125550100", rules }] }],
  });
  await app.send("POST", "/api/v1/bridge_phrases/", {
    name: "Patience",
    config: { phrases: { messages: ["One moment."], localized: { es: { messages: ["Un momento."] } } } },
  });
}

/**
 * Opens an address; in the suite one in ten is loaded, and the others are reached from the page that is there, as by a
 * link, which takes a quarter of the time. Where the next has the same heading, a page that no route has stands between.
 */
async function visitAt(page: ConsolePage, [path, heading]: Route, n: number): Promise<void> {
  const before = headings.get(page);
  headings.set(page, String(heading));
  if (NIGHTLY || page.url() === "about:blank" || n % 10 === 0) {
    await page.goto(path);
    return;
  }
  const goOn = (to: string) => page.evaluate(`history.pushState({}, "", ${JSON.stringify(to)})`);
  if (before === String(heading)) {
    await goOn("/console/nowhere");
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
  }
  await goOn(path);
}

type Route = (typeof ROUTES)[number];
const NOT_ALLOWED = "This is not allowed";
/** What each page was last sent to. */
const headings = new WeakMap<ConsolePage, string>();

async function settle(page: ConsolePage, route: Route, n: number): Promise<void> {
  const [path, heading] = route;
  await visitAt(page, route, n);
  const wanted = page.getByRole("heading", { level: 1, name: heading, exact: typeof heading === "string" });
  await wanted.waitFor().catch(async (cause) => {
    const drawn = await page.locator("#main").innerText();
    throw new Error([`${path} has no heading "${heading}". It shows: ${drawn}`, ...page.faults].join("\n"), {
      cause,
    });
  });
  await settled(page);
}

/** What a page is looked at in; in the long form by the rules that apply there, all where none are named. */
const LOOKS = [
  { colorScheme: "light", width: 1280, rules: undefined },
  { colorScheme: "dark", width: 1280, rules: NIGHTLY ? COLOURS : undefined },
  { colorScheme: "light", width: 360, rules: NIGHTLY ? ROOM : undefined },
] as const;
type Look = (typeof LOOKS)[number];
const ROLES = ["Admin", "Viewer"] as const;
type Role = (typeof ROLES)[number];
/** In the suite each page is looked at once, by one of the two in one of the looks: the seed says in which. */
const WAYS = ROLES.flatMap((role) => LOOKS.map((look) => ({ role, look })));
const wayOf = (n: number) => WAYS[(n + SEED) % WAYS.length] as (typeof WAYS)[number];

/** What stands around every page, a fifth of what axe looks at, is looked at on the first of each way; in the long form on all. */
const isShellLookedAt = (n: number): boolean => NIGHTLY || n < WAYS.length;

/** What somebody of this role looks at, and in which looks. */
const visitsOf = (role: Role): { route: Route; n: number; looks: readonly Look[] }[] =>
  ROUTES.map((route, n) => {
    const way = wayOf(n);
    if (NIGHTLY) return { route, n, looks: role === "Admin" ? LOOKS : LOOKS.slice(0, 1) };
    return { route, n, looks: way.role === role ? [way.look] : [] };
  }).filter(({ looks }) => looks.length > 0);

/** Pages that are open beside each other, each with every so-manieth address. */
const BESIDE = 3;

/** Does something at every address, in a few pages of one browser; what goes wrong in a page fails the test. */
async function inPages(
  role: Role,
  visit: (page: ConsolePage, one: ReturnType<typeof visitsOf>[number]) => Promise<void>,
): Promise<void> {
  const who = await it.person(role);
  const left = visitsOf(role).values();
  await Promise.all(
    Array.from({ length: BESIDE }, async () => {
      const page = await it.open(who);
      for (const one of left) await visit(page, one);
      expect(page.faults).toEqual([]);
    }),
  );
}

async function dress(page: ConsolePage, { colorScheme, width }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
}

async function look(page: ConsolePage, one: Look): Promise<void> {
  await dress(page, one);
  await page.locator(`html[data-mantine-color-scheme=${one.colorScheme}]`).waitFor();
  // What follows the width in script has drawn by the second frame.
  await page.evaluate(
    "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn())))",
  );
  await settled(page);
}

/** What is wrong with a page that is open, in each look. */
async function faultsIn(
  page: ConsolePage,
  { route: [path], n, looks }: ReturnType<typeof visitsOf>[number],
): Promise<string[]> {
  const found: string[] = [];
  const leftOut = isShellLookedAt(n) ? [] : SHELL;
  for (const each of looks) {
    await look(page, each);
    const findings = [
      ...(await axeFindings(page, each.rules, leftOut)),
      ...(await standsOut(page)),
      ...(await touching(page)),
    ];
    found.push(
      ...findings.map((finding) => `${path}, ${each.colorScheme}, ${each.width} px wide: ${finding}`),
    );
  }
  return found;
}

test("every page is drawn without a fault, fits, and has nothing that axe objects to", async () => {
  const found: string[] = [];
  await inPages("Admin", async (page, { route, n, looks }) => {
    await dress(page, looks[0] ?? LOOKS[0]);
    await settle(page, route, n);
    found.push(...(await faultsIn(page, { route, n, looks })));
  });
  expect(found).toEqual([]);
}, 1_200_000);

test("a viewer's pages are so, too, with no button that changes anything, and none that the API would refuse", async () => {
  const [offered, found]: [string[], string[]] = [[], []];
  await inPages("Viewer", async (page, { route, n, looks }) => {
    const [path, , mayLook] = route;
    await dress(page, looks[0] ?? LOOKS[0]);
    if (!mayLook) {
      await visitAt(page, [path, NOT_ALLOWED, false], n);
      await page.getByText(NOT_ALLOWED).waitFor();
      return;
    }
    await settle(page, route, n + 1);
    for (const role of ["button", "link"] as const) {
      const names = await page.locator("#main").getByRole(role, { name: CHANGES }).allInnerTexts();
      offered.push(...names.map((name) => `${path}: ${name}`));
    }
    // Narrow, the navigation is behind a button.
    expect(await page.getByRole("link", { name: "Audit log", includeHidden: true }).count()).toBe(0);
    if (!NIGHTLY) found.push(...(await faultsIn(page, { route, n, looks })));
  });
  expect(offered).toEqual([]);
  expect(found).toEqual([]);
}, 1_200_000);

if (!NIGHTLY)
  test("over the pages each of the two looks at them in each look", () => {
    const ways = new Set(ROUTES.map((_, n) => wayOf(n)));
    expect([...ways]).toHaveLength(WAYS.length);
  });
