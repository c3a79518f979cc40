import { once } from "node:events";
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from "node:net";
import type { Connection } from "../../src/db/database.ts";

/** A line to PostgreSQL that can be cut: nothing is passed on meanwhile, and nobody is told, as when a network fails. */
export type Line = { connection: Connection; cut(): void; mend(): void };

export async function openLine(to: Connection): Promise<Line> {
  const { host = "", port = 5432 } = to;
  const there: NetConnectOpts = host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const ends = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(there);
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from);
      from.on("data", (bytes) => into.write(bytes));
      from.on("end", () => into.end());
      from.on("error", () => into.destroy());
      from.on("close", () => ends.delete(from));
      if (isCut) from.pause();
    }
  });
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return {
    connection: { ...to, host: "127.0.0.1", port: (server.address() as AddressInfo).port },
    cut() {
      isCut = true;
      for (const end of ends) end.pause();
    },
    mend() {
      isCut = false;
      for (const end of ends) end.resume();
    },
  };
}
