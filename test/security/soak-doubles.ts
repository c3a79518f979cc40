import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { SMTPServer } from "smtp-server";

/** What the attacker's agent says: no mail from another's domain may hold it. */
export const ATTACKERS_WORDS = "Written by the attacker.";
export const SECRET = "the-secret-of-the-service";

/** The outside world on loopback: it reports what no attack may bring about. */
export type Doubles = {
  carrier_url: string;
  honest_url: string;
  evil_url: string;
  smtp_port: number;
  close(): void;
};

const NUMBERS: Record<string, string> = { PN1: "+15125550001", PN2: "+15125550002" };

export async function startDoubles(domain: string, breach: (what: string) => void): Promise<Doubles> {
  const open: Server[] = [];
  const listen = async (
    answer: (request: IncomingMessage, body: string, response: ServerResponse) => void,
  ) => {
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      answer(request, body, response);
    });
    server.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    open.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const json = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

  // Nobody in the world calls, texts or buys: whatever is written to the carrier was brought about by an attack.
  const carrier_url = await listen(({ method, url = "" }, body, response) => {
    const shown = (sid: string) => ({ sid, phone_number: NUMBERS[sid], friendly_name: sid });
    const one = /IncomingPhoneNumbers\/(PN\d+)\.json/.exec(url)?.[1];
    if (method !== "GET") breach(`the carrier was told ${method} ${url} ${body.slice(0, 120)}`);
    if (one) json(response, NUMBERS[one] ? 200 : 404, shown(one));
    else if (url.includes("IncomingPhoneNumbers.json"))
      json(response, 200, { incoming_phone_numbers: Object.keys(NUMBERS).map(shown) });
    else json(response, 404, {});
  });
  const honest_url = await listen((_request, _body, response) => json(response, 200, {}));
  const evil_url = await listen(({ method, url, headers }, body, response) => {
    const leaked = JSON.stringify(headers).includes(SECRET) || body.includes(SECRET);
    breach(`${leaked ? "a secret reached" : "a request reached"} the attacker's server: ${method} ${url}`);
    json(response, 200, {});
  });

  const mails = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    onData(stream, session, done) {
      let text = "";
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      stream.on("end", () => {
        const from = session.envelope.mailFrom;
        const sender = `${from === false ? "" : from.address} ${/^From: .*$/im.exec(text)?.[0] ?? ""}`;
        if (sender.includes(domain) && text.includes(ATTACKERS_WORDS))
          breach(`a mail of the attacker was sent as ${sender}`);
        done(null, "2.0.0 Ok");
      });
    },
  });
  mails.on("error", () => {});
  const listening = mails.listen(0, "127.0.0.1");
  await new Promise((resolve) => listening.once("listening", resolve));
  return {
    carrier_url,
    honest_url,
    evil_url,
    smtp_port: (listening.address() as AddressInfo).port,
    close() {
      for (const server of open) {
        if ("closeAllConnections" in server)
          (server as ReturnType<typeof createServer>).closeAllConnections();
        server.close();
      }
      mails.close();
    },
  };
}
