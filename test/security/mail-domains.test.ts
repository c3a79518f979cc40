import { beforeAll, describe, expect, test } from "vitest";
import type { LookUp } from "../../src/mime/sender-checks.ts";
import { createAgent } from "../harness/agent.ts";
import type { Send, TestApp } from "../harness/app.ts";
import {
  type createMailbox,
  createMailServer,
  createMailWorld,
  type MailApp,
  type MailServer,
  mailsOnce,
  mailsWith,
  somebody,
} from "../harness/mail.ts";

/* A tenant must neither receive nor send another's mail through the operator's servers by naming their domain. */

const texts = new Map<string, string[]>();
const lookUp: LookUp = async (name, type) => {
  const found = type === "TXT" ? texts.get(name) : undefined;
  if (!found) throw Object.assign(new Error(name), { code: "ENOTFOUND" });
  return found.map((text) => [text]);
};

let app: MailApp;
let server: MailServer;
let box: Awaited<ReturnType<typeof createMailbox>>;
let eve: { send: Send };
let eves_agent: number;
beforeAll(async () => {
  server = await createMailServer();
  const script = 'otherwise -> say "How can we help?"';
  ({ app, box } = await createMailWorld(server, { script }, {}, { mailLookUp: lookUp }));
  eve = await app.createNeighbour();
  ({ agent_id: eves_agent } = await createAgent(as(eve.send), { script }));
});

const as = (send: Send): TestApp => ({ ...app, send });

async function mailboxAt(send: Send, domain: string, agent_id = eves_agent) {
  const config = { email: { sending_domain: domain } };
  const channel = await send("POST", "/api/v1/channels/", { name: domain, channel_service: "email", config });
  expect(channel.status).toBe(200);
  const target = `support@${domain}`;
  const { id } = channel.body;
  const linked = { agent_id, channel_id: id, target, target_mode: "email" };
  expect((await send("POST", `/api/v1/channels/${id}/targets`, linked)).status).toBe(200);
  return target;
}
const claimOf = async (send: Send, domain: string) => {
  const answer = await send("POST", "/api/v1/mail_domains/", { domain });
  expect(answer.status).toBe(200);
  return answer.body;
};
const refusalOf = async (to: string) => {
  const error = await app.deliver({ from: somebody(), to, text: "Hello" }).catch((refused) => refused);
  return error.responseCode as number | undefined;
};

describe("another's domain", () => {
  test("can't be received for, by naming it or an address of it", async () => {
    await mailboxAt(eve.send, box.domain);
    const ann = somebody();
    await app.deliver({ from: ann, to: box.address, text: "My file, please" });
    const mails = await mailsOnce(app, ann, (found) => found.at(-1)?.state === "sent");
    const target = await app.db
      .selectFrom("channel_targets")
      .select("id")
      .where("target", "=", box.address)
      .orderBy("id")
      .executeTakeFirstOrThrow();
    expect(mails.map(({ channel_target_id }) => channel_target_id)).toEqual([target.id, target.id]);

    // Of one that nobody has proven, nobody gets a mail.
    expect(await refusalOf(await mailboxAt(eve.send, "victim.example"))).toBe(550);
  });

  test("can't be sent as, and a domain that is proven can", async () => {
    const domain = "sender.example";
    const address = await mailboxAt(eve.send, domain);
    const claim = await claimOf(eve.send, domain);
    texts.set(claim.record_name, [claim.record_value]);
    expect((await eve.send("POST", `/api/v1/mail_domains/${claim.id}/verify`)).body).toMatchObject({
      proven_by: "dns",
    });
    const ann = somebody();
    await app.deliver({ from: ann, to: address, text: "Hello" });
    await mailsOnce(app, ann, (found) => found.at(-1)?.state === "sent");

    // The mail is read, and by the time it is answered the domain is somebody else's.
    const release = () => eve.send("DELETE", `/api/v1/mail_domains/${claim.id}`);
    expect((await release()).status).toBe(200);
    expect(await refusalOf(address)).toBe(550);
    const answers = server.mails.filter(({ envelope }) => envelope.to.includes(ann)).length;
    await app.db
      .updateTable("mail_messages")
      .set({ state: "queued", carrier_sid: null })
      .where("to_address", "=", ann)
      .execute();
    const { enqueueGoOn } = await import("../../src/dialogues/mail-dialogue.ts");
    const [mail] = await mailsWith(app, ann);
    await app.db
      .transaction()
      .execute((tx) =>
        enqueueGoOn(tx, { channel_target_id: mail?.channel_target_id as number, source: ann }),
      );
    const mails = await mailsOnce(app, ann, (found) => found.at(-1)?.note != null);
    expect(mails.at(-1)).toMatchObject({
      state: "queued",
      note: expect.stringContaining("is not proven to be yours"),
    });
    expect(server.mails.filter(({ envelope }) => envelope.to.includes(ann))).toHaveLength(answers);
  });

  test("can't be proven by another record, another's record or a guess", async () => {
    const claim = await claimOf(eve.send, "guessed.example");
    const verify = () => eve.send("POST", `/api/v1/mail_domains/${claim.id}/verify`);
    expect((await verify()).body.detail).toContain("there is no such record yet");
    texts.set(claim.record_name, ["v=spf1 -all", "parley-domain=", `${claim.record_value}x`]);
    expect(await verify()).toMatchObject({ status: 400 });
    const mine = await claimOf(app.send, "guessed.example");
    expect(mine.record_value).not.toBe(claim.record_value);
    texts.set(claim.record_name, [mine.record_value]);
    expect(await verify()).toMatchObject({ status: 400 });
  });

  test("stays its owner's, also where the TXT record says another's word, until the operator moves it", async () => {
    const domain = "moved.example";
    await claimOf(app.send, domain);
    const claim = await claimOf(eve.send, domain);
    texts.set(claim.record_name, [claim.record_value]);
    const verify = () => eve.send("POST", `/api/v1/mail_domains/${claim.id}/verify`);
    expect((await verify()).body.detail).toContain("belongs to another organization");
    expect((await app.send("PUT", `/api/v1/mail_domains/claims/${claim.id}`)).body).toMatchObject({
      proven_by: "operator",
    });
    const owned = await app.send(
      "GET",
      `/api/v1/mail_domains/?search_fields=domain&search_field_values=${domain}`,
    );
    expect(owned.body.items).toMatchObject([{ domain, proven_at: null }]);
    const { items } = (
      await eve.send("GET", "/api/v1/events/?search_fields=type&search_field_values=mail-domain-proven")
    ).body;
    expect(items[0]).toMatchObject({ category: "mail", attributes: { domain } });
  });

  test("is of its subdomains' owner only where nobody has proven those", async () => {
    await claimOf(app.send, "parent.example");
    const claim = await claimOf(eve.send, "eve.parent.example");
    texts.set(claim.record_name, [claim.record_value]);
    await eve.send("POST", `/api/v1/mail_domains/${claim.id}/verify`);
    expect(await refusalOf(await mailboxAt(eve.send, "other.parent.example"))).toBe(550);
    const address = await mailboxAt(eve.send, "eve.parent.example");
    expect(await refusalOf(address)).toBeUndefined();
  });
});

test("a tenant sees and touches its own claims only, and is no operator", async () => {
  const mine = await claimOf(app.send, "private.example");
  expect((await eve.send("POST", `/api/v1/mail_domains/${mine.id}/verify`)).status).toBe(404);
  expect((await eve.send("DELETE", `/api/v1/mail_domains/${mine.id}`)).status).toBe(404);
  const { items } = (await eve.send("GET", "/api/v1/mail_domains/")).body;
  expect(items.some(({ domain }: { domain: string }) => domain === "private.example")).toBe(false);
  const own = await claimOf(eve.send, "own.example");
  expect(own.proven_at).toBeNull();
  for (const [method, path] of [
    ["GET", "claims"],
    ["PUT", `claims/${own.id}`],
    ["DELETE", `claims/${own.id}`],
  ] as const) {
    expect((await eve.send(method, `/api/v1/mail_domains/${path}`)).status).toBe(403);
  }
  expect((await eve.send("POST", "/api/v1/mail_domains/", { domain: "no domain" })).status).toBe(422);
});

test("a tenant's address keeps nobody else from being answered", async () => {
  const ann = somebody();
  const config = { email: { sending_domain: "example.com" } };
  const { body } = await eve.send("POST", "/api/v1/channels/", {
    name: "x",
    channel_service: "email",
    config,
  });
  const target = { agent_id: eves_agent, channel_id: body.id, target: ann, target_mode: "email" };
  expect((await eve.send("POST", `/api/v1/channels/${body.id}/targets`, target)).status).toBe(200);
  await app.deliver({ from: ann, to: box.address, text: "Hello" });
  await mailsOnce(app, ann, (found) => found.at(-1)?.state === "sent");
});
