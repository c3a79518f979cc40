import { beforeAll, describe, expect, test } from "vitest";
import { type ErasureDeps, runErasure } from "../../../src/erasure/erase-people.ts";
import { createMailWorld } from "../../harness/mail.ts";
import { insertSession } from "../../harness/rows.ts";
import { createNumber, type SimulatedApp } from "../../harness/simulated.ts";
import { type Somebody, talkEverywhere } from "../../harness/talked-with.ts";

type World = Parameters<typeof talkEverywhere>[0];
let world: World;
let app: World["app"];
const person: Somebody = { number: "+15126670099", email: "kept@example.com", word: "hydrangea" };
beforeAll(async () => {
  const made = await createMailWorld(null, { script: 'otherwise -> say "Noted."' });
  app = made.app;
  const line = await createNumber(app as unknown as SimulatedApp, made.agent_id);
  world = { ...made, line, simulator: (app as unknown as SimulatedApp).simulator };
  await talkEverywhere(world, person);
  await app.send("POST", "/api/v1/consents/", {
    address: person.number,
    purpose: "informational",
    channels: ["call"],
    given_through: "paper",
    wording: "May call me",
  });
  await app.send("POST", "/api/v1/suppressions/", { address: person.number, comment: "asked to stop" });
});

const CONTACTS = "/api/v1/contacts/";
const show = (address: string, query = "", token?: string) =>
  app.send(
    "GET",
    `${CONTACTS}${encodeURIComponent(address)}${query}`,
    undefined,
    token ? { "service-api-key": token } : undefined,
  );
type Entry = { kind: string; at: string; id: string; text: string };
const kindsOf = (entries: Entry[]) => [...new Set(entries.map(({ kind }) => kind))].toSorted();

describe("everything about one address", () => {
  test("has its conversations, texts, requests, attempts and opt-outs, newest first, by any spelling", async () => {
    const { status, body } = await show(person.number, "?limit=200");
    expect(status).toBe(200);
    expect(kindsOf(body.entries)).toEqual(
      expect.arrayContaining(["attempt", "request", "session", "suppression", "text"]),
    );
    expect(body.entries.map(({ at }: Entry) => at)).toEqual(
      body.entries
        .map(({ at }: Entry) => at)
        .toSorted()
        .toReversed(),
    );
    expect(body.suppressed).toEqual(["all"]);
    expect(body.entries.some(({ text }: Entry) => text.includes(person.word))).toBe(true);
    expect((await show("+1 (512) 667-0099", "?limit=200")).body.entries).toHaveLength(body.entries.length);
    expect(kindsOf((await show(person.email)).body.entries)).toEqual(expect.arrayContaining(["mail"]));
  });

  test("is read page by page without a gap or a repetition", async () => {
    const { body } = await show(person.number, "?limit=200");
    const seen: Entry[] = [];
    let before = "";
    do {
      const page = (await show(person.number, `?limit=2${before}`)).body;
      seen.push(...page.entries);
      before = page.next === null ? "" : `&before=${encodeURIComponent(page.next)}`;
    } while (before !== "");
    const names = (entries: Entry[]) => entries.map(({ kind, id }) => `${kind} ${id}`);
    expect(names(seen)).toEqual(names(body.entries));
    for (const wrong of ["soon", "2026-01-01~session~1", "2026-99-99T00:00:00.000Z~session~1"])
      expect((await show(person.number, `?before=${wrong}`)).status).toBe(422);
    expect((await show("+1512")).status).toBe(422);
  });

  test("is exported as one file with the transcripts", async () => {
    const { status, body } = await app.send("GET", `${CONTACTS}${encodeURIComponent(person.number)}/export`);
    expect(status).toBe(200);
    const file = typeof body === "string" ? JSON.parse(body) : body;
    expect(file.address).toBe(person.number);
    const spoken = file.entries.flatMap(({ messages = [] }: { messages?: { text: string }[] }) => messages);
    expect(spoken.some(({ text }: { text: string }) => text.includes(person.word))).toBe(true);
  });

  test("of another sub-organization is not shown, and an unknown address has nothing", async () => {
    const neighbour = await app.createNeighbour();
    const { body } = await neighbour.send("GET", `${CONTACTS}${encodeURIComponent(person.number)}`);
    expect(body).toMatchObject({ entries: [], suppressed: [], consents: [], next: null });
    expect((await show("+15129999999")).body.entries).toEqual([]);
  });

  test("is gone after an erasure, but for the opt-out that protects the person", async () => {
    const other: Somebody = { number: "+15126670098", email: "gone@example.com", word: "magnolia" };
    await talkEverywhere(world, other);
    await insertSession(app, { source: other.number, ended_at: "2026-11-18T12:00:00Z" });
    await app.send("POST", "/api/v1/suppressions/", { address: other.number, comment: other.word });
    expect((await show(other.number)).body.entries.length).toBeGreaterThan(3);
    const { id } = (await app.send("POST", "/api/v1/erasures/", { address: other.number })).body;
    await runErasure({ ...app, dataDir: app.config.data_dir } as ErasureDeps, id);
    const { body } = await show(other.number);
    expect(body.entries).toMatchObject([
      { kind: "suppression", text: "Suppressed: do-not-call, by operator" },
    ]);
    expect(JSON.stringify(body)).not.toContain(other.word);
  });
});
