import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { expect, test } from "vitest";
import { unguardedReach } from "../../../src/carriers/mail-carriers.ts";
import { checkServer, sendBySmtp } from "../../../src/carriers/smtp/smtp-mail.ts";
import { checkMail } from "../../../src/commands/doctor/doctor-mail.ts";
import { readConfig } from "../../../src/config.ts";
import { afterFile } from "../../harness/after-file.ts";

/** Of localhost and 127.0.0.1, until 2126; nobody else signed it. */
const SELF_SIGNED = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDzO6gCcNeHIdke4V
tbVneP15vVmg9fgfEvYDJV3c61ihRANCAASj1mmUNEpZb8qmT0JIUXVH8J/ste2T
yc3lRke8UShy3gPQ8WjVGf//ipgBfNsDX8zVl9GSMgNp7hieT183SdTP
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUHS7T80sD0qlE786VHxPcrdrRKpIwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDAwMDUzMVoYDzIxMjYxMTA2
MDAwNTMxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASj1mmUNEpZb8qmT0JIUXVH8J/ste2Tyc3lRke8UShy3gPQ8WjVGf//
ipgBfNsDX8zVl9GSMgNp7hieT183SdTPo28wbTAdBgNVHQ4EFgQUkxBuKcoTVDBe
3kdFgxe1hfZwSPIwHwYDVR0jBBgwFoAUkxBuKcoTVDBe3kdFgxe1hfZwSPIwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgP1ZZyBNcUAUHBRiQwOj82N+fu6Ee7JHGb8EHfLkg/ncCIQDE
9W08jhLkX5wXMhBqxDOIkbjUwv/H1Facj8npFKwuQw==
-----END CERTIFICATE-----`,
};

/** A mail server as one finds them on a machine of one's own. Its certificate is one that it signed itself. */
async function openServer(options: SMTPServerOptions): Promise<number> {
  const server = new SMTPServer({ authOptional: true, ...SELF_SIGNED, ...options });
  server.on("error", () => {});
  const listening = server.listen(0, "127.0.0.1");
  await new Promise((resolve) => listening.once("listening", resolve));
  afterFile(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return (listening.address() as AddressInfo).port;
}

const at = (host: string, port: number, tls: "auto" | "implicit" = "auto") =>
  ({ host, port, user: null, password: null, tls }) as const;

const look = (SMTP_URL: string) => {
  const { config, secrets } = readConfig({ SMTP_URL, MAIL_FROM: "parley@clinic.example" });
  return checkMail(config, secrets);
};

test.each(["localhost", "127.0.0.1"])(
  "a certificate that nobody vouches for is named, of a server that is called %s",
  async (host) => {
    const port = await openServer({});
    await expect(checkServer(at(host, port), unguardedReach)).rejects.toMatchObject({
      message: `The mail server ${host}:${port} has a certificate that is not trusted: self-signed certificate`,
      fate: "not-sent",
    });
    expect(await look(`smtp://${host}:${port}`)).toMatchObject([
      {
        status: "problem",
        message: expect.stringMatching(
          /self-signed certificate\. Name the file of the CA .* in NODE_EXTRA_CA_CERTS/,
        ),
      },
    ]);
  },
);

test("a server that begins without TLS is told from one that does not answer", async () => {
  const port = await openServer({ disabledCommands: ["STARTTLS"] });
  await expect(checkServer(at("localhost", port, "implicit"), unguardedReach)).rejects.toThrow(
    /gave no answer: TLS does not begin with the first byte there/,
  );
});

const MAIL = {
  key: "a-mail",
  from: { name: null, address: "a@clinic.example" },
  reply_to: null,
  return_path: null,
  to: "ann@example.com",
  subject: "x",
  text: "x",
  html: null,
  in_reply_to: null,
  references: [],
  unsubscribe_url: null,
};

test("a server that wants us to sign in first refuses no mail for good: it waits until that is mended", async () => {
  const port = await openServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    onMailFrom: (_address, _session, done) =>
      done(Object.assign(new Error("5.7.0 Authentication required"), { responseCode: 530 })),
  });
  await expect(sendBySmtp(at("localhost", port), unguardedReach, MAIL, async () => {})).rejects.toMatchObject(
    {
      message: `The mail server localhost:${port} wants us to sign in: 530 5.7.0 Authentication required`,
      fate: "not-sent",
      ours: "source",
    },
  );
});

const recipientRefused = (said: string) =>
  openServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error(said), { responseCode: 554 })),
  });

test("a server that relays nothing for us refuses no person: the mail waits until that is mended", async () => {
  const port = await recipientRefused("5.7.1 <ann@example.com>: Relay access denied");
  await expect(sendBySmtp(at("localhost", port), unguardedReach, MAIL, async () => {})).rejects.toMatchObject(
    {
      message: `The mail server localhost:${port} refused: 554 5.7.1 <ann@example.com>: Relay access denied`,
      fate: "not-sent",
      ours: "source",
    },
  );
});

test.each([
  ["5.7.1 Access denied", "DROPPED"],
  ["5.1.1 no such user", "BOUNCED"],
])("a recipient refused with %j ends as %s", async (said, status) => {
  const port = await recipientRefused(said);
  const sending = sendBySmtp(at("localhost", port), unguardedReach, MAIL, async () => {});
  await expect(sending).rejects.toMatchObject({ fate: "refused", status });
});
