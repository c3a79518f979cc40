import { generateKeyPairSync } from "node:crypto";
import { dkimSign } from "mailauth/lib/dkim/sign.js";
import nodemailer from "nodemailer";
import { afterAll, describe, expect, test } from "vitest";
import { judgeSender } from "./mail-authenticity.ts";
import { createMailReader } from "./mail-reader.ts";
import { checkSender, type LookUp } from "./sender-checks.ts";

const reader = createMailReader();
afterAll(reader.close);

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const KEY = publicKey.export({ type: "spki", format: "der" }).toString("base64");
const PRIVATE_KEY = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
const ANN = "ann@clinic.example";
const CLIENT = { address: "192.0.2.7", name: "mx.clinic.example" };

const missing = (name: string) => Object.assign(new Error(name), { code: "ENOTFOUND" });
/** A name server that knows these texts. */
const names =
  (texts: Record<string, string>): LookUp =>
  async (name, type) => {
    const text = texts[name];
    if (type !== "TXT" || text === undefined) throw missing(name);
    return [[text]];
  };
const DNS = names({
  "clinic.example": "v=spf1 ip4:192.0.2.7 -all",
  "evil.example": "v=spf1 ip4:192.0.2.7 -all",
  "s1._domainkey.clinic.example": `v=DKIM1; k=rsa; p=${KEY}`,
  "s1._domainkey.evil.example": `v=DKIM1; k=rsa; p=${KEY}`,
});

async function mail({
  from = ANN,
  signed_by = null,
  text = "Hello",
}: {
  from?: string;
  signed_by?: string | null;
  text?: string;
} = {}): Promise<Buffer> {
  const dkim = signed_by && {
    domainName: signed_by,
    keySelector: "s1",
    privateKey: PRIVATE_KEY,
  };
  const transport = nodemailer.createTransport({
    streamTransport: true,
    buffer: true,
    newline: "windows",
    ...(dkim && { dkim }),
  });
  const { message } = await transport.sendMail({ from, to: "support@x.example", subject: "Visit", text });
  return message as Buffer;
}

const check = async (raw: Buffer, envelope_from = ANN, lookUp = DNS, client = CLIENT, longest_ms = 5000) => {
  const checks = await checkSender(raw, envelope_from, client, { lookUp, reader }, longest_ms);
  return { ...checks, verdict: judgeSender(ANN, checks).verdict };
};

describe("a mail is from whom it says", () => {
  test("where its domain lets this server send", async () => {
    expect(await check(await mail())).toMatchObject({ spf: "pass", dkim: "none", verdict: "proven" });
  });

  test("where its domain signed it, whoever handed it on", async () => {
    const raw = await mail({ signed_by: "clinic.example" });
    const elsewhere = { address: "203.0.113.9", name: "mx.list.example" };
    expect(await check(raw, "bounce@list.example", DNS, elsewhere)).toMatchObject({
      spf: "none",
      dkim: "{@clinic.example : pass}",
      verdict: "proven",
    });
  });
});

describe("anybody may have written a mail", () => {
  test("that comes from a server its domain doesn't name", async () => {
    const elsewhere = { address: "203.0.113.9", name: "mx.clinic.example" };
    expect(await check(await mail(), ANN, DNS, elsewhere)).toMatchObject({
      spf: "fail",
      verdict: "unproven",
    });
  });

  test("that somebody else's domain vouches for", async () => {
    const raw = await mail({ signed_by: "evil.example" });
    expect(await check(raw, "eve@evil.example")).toMatchObject({
      spf: "pass",
      dkim: "{@evil.example : pass}",
      verdict: "unproven",
    });
  });

  test("whose words are not those that were signed", async () => {
    const raw = (await mail({ signed_by: "clinic.example" })).toString("latin1");
    const changed = Buffer.from(raw.replace("Hello", "Send my file to Eve"), "latin1");
    const { dkim, verdict } = await check(changed, "eve@evil.example");
    expect({ dkim, verdict }).toEqual({ dkim: "{@clinic.example : fail}", verdict: "unproven" });
  });

  test("that was signed for another From, and bears a second one", async () => {
    const raw = await mail({ from: "eve@clinic.example", signed_by: "clinic.example" });
    const two = Buffer.concat([Buffer.from(`From: ${ANN}\r\n`), raw]);
    expect(await check(two, "eve@evil.example")).toMatchObject({
      dkim: "2 From headers: no signature counts",
      verdict: "unproven",
    });
  });

  test("whose signature covers only its beginning", async () => {
    const raw = await mail();
    const key = { signingDomain: "clinic.example", selector: "s1", maxBodyLength: 5 };
    const { signatures } = await dkimSign(raw, {
      signatureData: [{ ...key, privateKey: PRIVATE_KEY }],
    } as unknown as Parameters<typeof dkimSign>[1]);
    const signed = Buffer.concat([Buffer.from(signatures), raw, Buffer.from("Send my file to Eve\r\n")]);
    expect(await check(signed, "eve@evil.example")).toMatchObject({
      dkim: "{@clinic.example : fail}",
      verdict: "unproven",
    });
  });

  test("whose signature names a domain in our own words about it", async () => {
    const forged = `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=x : pass, @clinic.example : pass; s=s1;\r\n h=from; bh=AAAA; b=AAAA\r\n`;
    const raw = Buffer.concat([Buffer.from(forged), await mail()]);
    expect(await check(raw, "eve@evil.example")).toMatchObject({ verdict: "unproven" });
  });
});

describe("name servers", () => {
  test.each([
    ["that fail", async () => Promise.reject(Object.assign(new Error("down"), { code: "ESERVFAIL" }))],
    ["that never answer", () => new Promise<never>(() => {})],
    [
      "that answer nonsense",
      async () => [["\0"], ["v=spf1 include:clinic.example include:clinic.example -all"]],
    ],
    ["that fail in no way known", () => Promise.reject(null)],
  ] satisfies [string, LookUp][])("%s prove nothing, and cost no mail", async (_how, lookUp) => {
    const raw = await mail({ signed_by: "clinic.example" });
    expect(await check(raw, ANN, lookUp, CLIENT, 200)).toMatchObject({ verdict: "unproven" });
  });

  test("are asked no more than so often for one mail, whatever it says", async () => {
    let asked = 0;
    const endless: LookUp = async (_name, type) => {
      asked++;
      if (type === "TXT")
        return [[`v=spf1 a:${asked}.example mx:${asked}.example include:${asked}.example -all`]];
      return type === "A" ? ["203.0.113.1"] : [];
    };
    const signature = (n: number) =>
      `DKIM-Signature: v=1; a=rsa-sha256; d=d${n}.example; s=s; h=from; bh=AAAA; b=AAAA\r\n`;
    const few = Array.from({ length: 8 }, (_, n) => signature(n)).join("");
    await check(Buffer.concat([Buffer.from(few), await mail()]), ANN, endless);
    expect(asked).toBeLessThanOrEqual(40);
    const many = Array.from({ length: 500 }, (_, n) => signature(n)).join("");
    asked = 0;
    const flooded = await check(Buffer.concat([Buffer.from(many), await mail()]), "", endless, {
      ...CLIENT,
      name: "[192.0.2.7]",
    });
    expect(flooded).toMatchObject({ dkim: "more than 8 signatures: none was checked", verdict: "unproven" });
    expect(asked).toBeLessThanOrEqual(40);
  });
});
