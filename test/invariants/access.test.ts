import { beforeAll, expect, test } from "vitest";
import { OPERATOR_PERMISSIONS, PERMISSIONS } from "../../src/accounts/permission.ts";
import type { Caller } from "../../src/api/caller.ts";
import type { Send, TestApp } from "../harness/app.ts";
import {
  createExampleApp,
  createNeighbourMaker,
  type Example,
  hasId,
  idsOf,
  type Maker,
  request,
} from "../harness/examples/example.ts";
import { EXAMPLES } from "../harness/examples/examples.ts";
import type { Operation } from "../harness/operations.ts";
import { ofThisRun } from "../harness/seed.ts";
import { changedTables, snapshot } from "../harness/snapshot.ts";

/** Operations that need no sign-in: what stands for it is named in their path or query. */
const PUBLIC = [
  "GET /api/v1/sessions/recording/stream",
  "GET /chat/v1/sessions/{}",
  "GET /chat/v1/sessions/{}/client_calls",
  "GET /reports/{}/data",
  "POST /chat/v1/calls",
  "POST /chat/v1/sessions",
  "POST /chat/v1/sessions/{}/client_calls/{}",
  "POST /chat/v1/sessions/{}/end",
  "POST /chat/v1/sessions/{}/messages",
];

/** Their path names no record of anybody's, or they answer 501 whatever it names: there is no mail server. */
const NO_RECORD = new Set([
  // An address is asked about, and may be known to nobody (test/contract/contacts/).
  "GET /api/v1/contacts/{}",
  // A contact is made for the address where there is none.
  "PUT /api/v1/contacts/{}",
  "POST /api/v1/contacts/{}/addresses",
  "GET /api/v1/contacts/{}/export",
  "GET /api/v1/do-not-call-lists/check/{}",
  "PUT /api/v1/llm_providers/{}",
  "DELETE /api/v1/llm_providers/{}",
  "POST /api/v1/llm_providers/{}/test",
  "PUT /api/v1/speech_providers/{}",
  "DELETE /api/v1/speech_providers/{}",
  "POST /api/v1/speech_providers/{}/test",
  "PUT /api/v1/transcription_providers/{}",
  "DELETE /api/v1/transcription_providers/{}",
  "POST /api/v1/users/{}/send_email",
]);

/** For whoever operates the installation, across organizations. */
const isOperators = ({ key }: Operation) =>
  key.includes("/incidents/") ||
  key.includes("/queues/") ||
  key.includes("/mail_domains/claims/") ||
  key.includes("/number_owners/") ||
  key.endsWith("/sip_ip_ranges/{}/verified") ||
  key.endsWith("/organizations/{}/restore");

let app: TestApp;
let all: Operation[];
/** Those that need a sign-in. */
let operations: Operation[];
let maker: Maker;
let neighbour: Maker;
beforeAll(async () => {
  ({ app, operations: all, maker } = await createExampleApp());
  operations = all.filter(({ public: open }) => !open);
  neighbour = await createNeighbourMaker(app);
});

const exampleOf = async (operation: Operation, by = maker): Promise<Example> => {
  const make = EXAMPLES[operation.key];
  if (!make) throw new Error(`${operation.key} has no example`);
  return make(by);
};

/** What `look` finds wrong with each operation. */
async function findings(of: Operation[], look: (operation: Operation) => Promise<string | null>) {
  const found: string[] = [];
  for (const operation of of) {
    const wrong = await look(operation).catch((error: Error) => error.message);
    if (wrong !== null) found.push(`${operation.key}: ${wrong}`);
  }
  return found;
}

/** The tables that change while something is done. */
async function changedBy(act: () => Promise<void>): Promise<string[]> {
  const before = await snapshot(app.db);
  await act();
  return changedTables(before, await snapshot(app.db));
}

const sendExample = (send: Send, operation: Operation, example: Example) => {
  const { method, url, body, headers } = request(operation, example);
  return send(method, url, body, headers);
};

/** A path that can be routed; who may not call learns nothing of what stands in it. */
const anywhere = (operation: Operation): Example => ({ at: operation.path.match(/\{/g)?.map(() => 1) ?? [] });

test("the operations that need no sign-in are these", async () => {
  const open = all.filter((operation) => operation.public).map(({ key }) => key);
  expect(open.toSorted()).toEqual(PUBLIC);
});

test("without a token, or with an unknown, expired or revoked one, every operation answers 401 and changes nothing", async () => {
  const [expired, revoked] = [await app.createToken(null), await app.createToken(null)];
  const past = new Date(app.clock.now().getTime() - 1).toISOString();
  const set = (token: string, values: object) =>
    app.db.updateTable("api_tokens").set(values).where("name", "=", token.slice(-6)).execute();
  await set(expired, { expires_at: past });
  await set(revoked, { revoked_at: past });

  let wrong: string[] = [];
  const changed = await changedBy(async () => {
    wrong = await findings(operations, async (operation) => {
      for (const token of ofThisRun([null, "nonsense", expired, revoked], operations.indexOf(operation))) {
        const { status, body } = await sendExample(app.sendAs(token), operation, anywhere(operation));
        const detail = token === null ? "Not authenticated" : "Invalid API key";
        if (status !== 401 || body.detail !== detail) return `${status} ${JSON.stringify(body)}`;
      }
      return null;
    });
  });
  expect(wrong).toEqual([]);
  expect(changed).toEqual([]);
});

const PARTS_WRITE = [
  "prompts",
  "custom_messages",
  "language_groups",
  "bridge_phrases",
  "tools",
  "services",
].map((part) => `${part}_write`);
/** What operations need beside their permission. */
const MORE: Record<string, string[]> = {
  // Whoever makes an agent with its parts needs the permission for each part (contract/agent-files).
  "POST /api/v1/agents/from_template": PARTS_WRITE,
  "POST /api/v1/agents/import": PARTS_WRITE,
  "POST /api/v1/agents/{}/duplicate": PARTS_WRITE,
  // Whoever sets it may do all that anybody may, since it says who people are (security/single-sign-on).
  "PUT /api/v1/organizations/single_sign_on": [...PERMISSIONS, ...OPERATOR_PERMISSIONS],
  // A schedule runs tests (contract/evaluations/test-schedule).
  "PUT /api/v1/test_suites/{}/schedule": ["tests_run"],
};

/** One of each kind for all operations: making a token costs as much as asking three times. */
const tokens = new Map<string, Promise<string>>();
function tokenOf(permissions: string[], caller: Caller): Promise<string> {
  const kind = JSON.stringify([caller.user_id, ...permissions]);
  const known = tokens.get(kind) ?? app.createToken(permissions, caller);
  tokens.set(kind, known);
  return known;
}

test("every operation needs one permission: with all others it answers 403 and changes nothing, with it alone it answers", async () => {
  const nothing = app.sendAs(await app.createToken([]));
  const calls = new Map<string, { permission: string; caller: Caller; example: Example; others: string }>();
  const unknown = await findings(operations, async (operation) => {
    const { body } = await sendExample(nothing, operation, anywhere(operation));
    const permission = /^Missing permission: (\w+)$/.exec(body.detail)?.[1];
    if (!permission) return "needs no permission";
    const example = await exampleOf(operation);
    const caller = example.caller ?? app.admin;
    const rest = [...app.admin.permissions].filter((name) => name !== permission);
    const others = await tokenOf(rest, caller);
    calls.set(operation.key, { permission, caller, example, others });
    return null;
  });
  expect(unknown).toEqual([]);

  let wrong: string[] = [];
  const changed = await changedBy(async () => {
    wrong = await findings(operations, async (operation) => {
      const { permission, example, others } = calls.get(operation.key)!;
      const { status, body } = await sendExample(app.sendAs(others), operation, example);
      const refused = status === 403 && body.detail === `Missing permission: ${permission}`;
      return refused ? null : `without ${permission}: ${status} ${JSON.stringify(body)}`;
    });
  });
  expect(wrong).toEqual([]);
  expect(changed).toEqual([]);

  const locked = await findings(operations, async (operation) => {
    const { permission, caller, example } = calls.get(operation.key)!;
    const alone = await tokenOf([permission, ...(MORE[operation.key] ?? [])], caller);
    const { status, body } = await sendExample(app.sendAs(alone), operation, example);
    return status === 401 || status === 403 ? `with ${permission}: ${status} ${JSON.stringify(body)}` : null;
  });
  expect(locked).toEqual([]);
});

test("another organization's record answers 404 like one that never was, and stays as it is", async () => {
  const theirs = new Map<Operation, Example>();
  const unmade = await findings(operations, async (operation) => {
    if (NO_RECORD.has(operation.key) || isOperators(operation)) return null;
    const example = await exampleOf(operation, neighbour);
    if (!example.caller && idsOf(example).length > 0) theirs.set(operation, example);
    return null;
  });
  expect(unmade).toEqual([]);
  expect(theirs.size).toBeGreaterThanOrEqual(90);

  let wrong: string[] = [];
  const changed = await changedBy(async () => {
    wrong = await findings([...theirs.keys()], async (operation) => {
      const [example, never] = [theirs.get(operation)!, neverWas(theirs.get(operation)!)];
      const refused = await sendExample(app.send, operation, example);
      const unknown = await sendExample(app.send, operation, never);
      const [seen, expected] = [withoutIds(refused.body, example), withoutIds(unknown.body, never)];
      if (refused.status === 404 && unknown.status === 404 && seen === expected) return null;
      return `${refused.status} ${seen} is not 404, or not ${unknown.status} ${expected}`;
    });
  });
  expect(wrong).toEqual([]);
  expect(changed).toEqual([]);
});

test("a body that names another organization's record is refused, and changes nothing", async () => {
  const calls = new Map<Operation, Example>();
  await findings(operations, async (operation) => {
    if (NO_RECORD.has(operation.key) || isOperators(operation) || !operation.body) return null;
    const theirs = await exampleOf(operation, neighbour);
    if (!refers(theirs.body)) return null;
    // The path is ours, where there is one; what the body refers to is theirs.
    const ours = await exampleOf(operation);
    const at = ours.at ? { at: ours.at } : {};
    const id = hasId(ours.body) ? { id: ours.body.id } : {};
    calls.set(operation, { ...theirs, ...at, body: { ...theirs.body, ...id } });
    return null;
  });
  expect(calls.size).toBeGreaterThanOrEqual(15);

  let wrong: string[] = [];
  const changed = await changedBy(async () => {
    wrong = await findings([...calls.keys()], async (operation) => {
      const { status, body } = await sendExample(app.send, operation, calls.get(operation)!);
      return status >= 400 && status < 500 ? null : `${status} ${JSON.stringify(body)}`;
    });
  });
  expect(wrong).toEqual([]);
  expect(changed).toEqual([]);
});

const isRecord = (body: unknown): body is Record<string, Id> =>
  typeof body === "object" && body !== null && !Array.isArray(body);

/** By number: `prompt_id`, `insight_tool_ids`, `session_id_list`; definitions are everybody's. */
const refers = (body: unknown): body is object =>
  isRecord(body) &&
  Object.entries(body).some(
    ([name, value]) =>
      /(?<!_definition)_id(s|_list)?$/.test(name) && [value].flat().every((id) => Number.isInteger(id)),
  );

type Id = string | number;

/** The same call for records that nobody ever made. */
function neverWas(example: Example): Example {
  const never = <T extends Id>(id: T): T => (typeof id === "number" ? 2_000_000_001 : unknownText(id)) as T;
  const unknownText = (id: string) => {
    if (/^\+\d+$/.test(id)) return "+19995550100";
    return /^\d+$/.test(id) ? "2000000001" : `never${id}`;
  };
  const { at, query, body } = example;
  return {
    ...example,
    ...(at && { at: at.map(never) }),
    ...(query && {
      query: Object.fromEntries(
        Object.entries(query).map(([name, value]) => [name, name.endsWith("_id") ? never(value) : value]),
      ),
    }),
    // A body may say again what the path says.
    ...(isRecord(body) && {
      body: Object.fromEntries(
        Object.entries(body).map(([name, value]) => [
          name,
          name === "id" || at?.includes(value) ? never(value) : value,
        ]),
      ),
    }),
  };
}

const withoutIds = (answer: unknown, example: Example): string =>
  idsOf(example).reduce<string>((text, id) => text.replaceAll(String(id), "…"), JSON.stringify(answer));
