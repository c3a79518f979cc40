import { beforeAll, expect, test } from "vitest";
import { API_KEY_HEADER } from "../../src/api/server.ts";
import { createDeliverer } from "../../src/webhooks/delivery-loop.ts";
import { converse } from "../harness/agent.ts";
import { placesOf } from "../harness/everywhere.ts";
import { insightsOf, runInsights } from "../harness/insights.ts";
import { createMailWorld, settledMails, somebody } from "../harness/mail.ts";
import { createPeer, json, type Peer } from "../harness/peer.ts";
import { createNumber, eventually, type SimulatedApp, textsWith } from "../harness/simulated.ts";
import { routesTo } from "../harness/webhooks.ts";
import { unzip } from "../harness/zip.ts";

/*
 * One word goes through every door: chat, SMS, a mail with a file, an upload, what an insight finds, webhooks out and in, a
 * label and an export. Then every column of every table and every file is searched for it.
 */

type World = Awaited<ReturnType<typeof createMailWorld>>;
let world: World;
let app: World["app"];
let line: Awaited<ReturnType<typeof createNumber>>;
let make: ReturnType<typeof insightsOf>;
let peer: Peer;

beforeAll(async () => {
  world = await createMailWorld(null, { script: 'otherwise -> say "You said {user.text}."' });
  app = world.app;
  line = await createNumber(app as unknown as SimulatedApp, world.agent_id);
  make = insightsOf(app);
  peer = await createPeer();
  // A receiver that repeats what it is sent.
  peer.respond(({ body }, response) => json(response, 200, { got: body }));
  const hook = { name: "hook", url: "https://good.example/hook", events: ["insight.found"] };
  expect((await app.send("POST", "/api/v1/webhooks/", hook)).status).toBe(200);
});

const ok = async (method: string, url: string, body?: object) => {
  const answer = await app.send(method, url, body);
  expect(answer.status, `${url}: ${JSON.stringify(answer.body)}`).toBe(200);
  return answer.body;
};

async function upload(folder_id: number, call_id: string, text: string): Promise<void> {
  const form = new FormData();
  form.set("file", new Blob([text], { type: "text/plain" }), "talk.txt");
  const request = new Request("http://x", { method: "POST", body: form });
  const response = await app.api.server.inject({
    method: "POST",
    url: `/api/v1/insights/folders/${folder_id}/upload-file?call_id=${call_id}`,
    payload: Buffer.from(await request.arrayBuffer()),
    headers: { "content-type": request.headers.get("content-type") ?? "", [API_KEY_HEADER]: app.token },
  });
  expect(response.statusCode, response.body).toBe(200);
}

const found = (query: string) =>
  eventually(
    () => ok("GET", `/api/v1/insights/?${query}`),
    ({ items }) => items.length > 0,
  );

async function throughEveryDoor(word: string, nth: number) {
  const number = `+1512667200${nth}`;
  const said = await converse(app, world.agent_id)(`my ${word} limps`);
  const session_id = Number(said.content.session_id);
  await app.simulator?.text(line.account_sid, { from: number, to: line.number, body: `text ${word}` });
  await eventually(
    () => textsWith(app as unknown as SimulatedApp, number),
    (texts) => texts.length === 2 && texts.every(({ status }) => status !== "RECEIVED"),
  );
  const from = somebody();
  const attachments = [{ filename: "note.txt", content: `attached ${word}` }];
  await app.deliver({ from, to: world.box.address, subject: word, text: `mail ${word}`, attachments });
  await settledMails(app, from);

  const label = { session_id, type: "human-rating", code: "BAD", user_email: app.admin.email };
  await ok("POST", "/api/v1/session_labels/", { ...label, comments: `about the ${word}` });

  // Of a test no webhook would be told.
  const ended = { ended_at: app.clock.now().toISOString(), end_reason: "user", is_test: false };
  await app.db.updateTable("sessions").set(ended).where("id", "=", session_id).execute();

  // An insight of the session, and one of an upload, told to a receiver that repeats it.
  const tool = await make.tool({
    insight_tool_definition_id: 5,
    tool_arguments: { pattern: `${word}[a-z ]*` },
  });
  const manual = await make.workflow({ source: "manual", insight_tool_ids: [tool.id] });
  const queued = await ok("POST", "/api/v1/insights/workflows/queue-work", {
    workflow_name: manual.name,
    session_id_list: [session_id],
  });
  expect(JSON.stringify(queued)).toContain("1");
  const folder = await make.folder();
  const uploads = await make.workflow({
    source: "upload",
    insight_tool_ids: [tool.id],
    conditions: { folder_list: [folder.id] },
  });
  expect((await make.activate(uploads.id)).status).toBe(200);
  await upload(folder.id, `call-${nth}`, `Ann: the ${word} is here\nBob: good`);
  await runInsights(app);
  const ofSession = await found(`search_fields=session_id&search_field_values=${session_id}`);
  const ofUpload = await found(`search_fields=workflow_id&search_field_values=${uploads.id}`);
  const egress = routesTo({ "good.example": peer });
  peer.requests.length = 0;
  await createDeliverer({ ...app, egress, random: () => 0.5 }).drain();
  await egress.close();
  const told = peer.requests.map(({ body }) => body);

  const inbox = await ok("POST", "/api/v1/outbound/webhook_inboxes", { name: `inbox-${nth}` });
  const kept = await app.api.server.inject({
    method: "POST",
    url: new URL(inbox.url).pathname,
    payload: { said: word },
  });
  expect(kept.statusCode).toBe(200);
  const takeout = await exported();
  return { session_id, ofSession, ofUpload, told, inbox, takeout };
}

async function exported() {
  const { job_id } = await ok("POST", "/api/v1/takeouts/create");
  const { file_names } = await eventually(
    () => ok("GET", `/api/v1/takeouts/get/${job_id}`),
    ({ status }) => status === "completed",
  );
  const archives = await Promise.all(
    file_names.map((name: string) =>
      app.api.server.inject({
        url: `/api/v1/takeouts/get/${job_id}/file/${name}`,
        headers: { [API_KEY_HEADER]: app.token },
      }),
    ),
  );
  return archives.flatMap(({ rawPayload }) =>
    [...unzip(rawPayload).values()].map((bytes) => bytes.toString("utf8")),
  );
}

test("without the switch the word lies in each of the places, so that finding none proves something", async () => {
  await throughEveryDoor("giraffe", 1);
  const places = await placesOf(app, "giraffe");
  expect(places).toEqual(
    expect.arrayContaining([
      "file: insights",
      "file: mail",
      "file: takeouts",
      "insight_outputs.json_value",
      "insight_outputs.string_value",
      "mail_messages.subject",
      "mail_messages.text",
      "session_labels.comments",
      "session_messages.text",
      "text_messages.text",
      "webhook_deliveries.body",
      "webhook_inbox_messages.body",
      "webhook_tries.response_body",
    ]),
  );
});

test("sealed, it lies in no column of no table and in no file, and everybody who may read it reads it", async () => {
  await ok("PUT", "/api/v1/organizations/privacy", { seal_texts: true });
  const word = "zebra";
  const { session_id, ofSession, ofUpload, told, inbox, takeout } = await throughEveryDoor(word, 2);
  // The patterns of the tools are what an author wrote.
  const authored = ["insight_tools.tool_arguments", "audit_entries.after"];
  expect((await placesOf(app, word)).filter((place) => !authored.includes(place))).toEqual([]);

  expect(ofSession.items[0]).toMatchObject({ string_value: "zebra limps" });
  expect(ofUpload.items[0]).toMatchObject({ string_value: "zebra is here" });
  expect(told.some((body) => JSON.parse(body).data.values.value === "zebra limps")).toBe(true);
  const { items } = await ok("GET", `/api/v1/outbound/webhook_inboxes/${inbox.name}/messages`);
  expect(items[0].body).toBe('{"said":"zebra"}');
  const label = await ok(
    "GET",
    `/api/v1/session_labels/?search_fields=session_id&search_field_values=${session_id}`,
  );
  expect(label.items[0].comments).toBe("about the zebra");
  const export_ = takeout.join("\n");
  for (const words of ["my zebra limps", "zebra is here", "about the zebra", "Ann: the zebra is here"])
    expect(export_).toContain(words);
  expect(export_).not.toContain("parley-sealed:1:");
});
