import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterFile } from "./after-file.ts";

/** The network between a browser and the program. Bytes pass both ways until the test says otherwise. */
export type Line = {
  url: string;
  /** Drops every connection, and each new one at once. */
  cut(): void;
  /** What is sent arrives, what is answered does not. */
  loseAnswers(): void;
  /** As behind a proxy that knows no WebSockets. */
  refuseSockets(): void;
  restore(): void;
  /** How many WebSockets are open over it. */
  sockets(): number;
};

type State = "sound" | "cut" | "losing-answers" | "without-sockets";

/** A line to `address`, on a port of its own. */
export async function createLine(address: string): Promise<Line> {
  const { hostname, port } = new URL(address);
  const ends = new Set<Socket>();
  const upgraded = new Set<Socket>();
  let state: State = "sound";

  const server = createServer((near) => {
    if (state === "cut") return near.destroy();
    const far = connect(Number(port), hostname);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end);
      // A cut connection is what the tests are about.
      end.on("error", () => {});
      end.on("close", () => {
        ends.delete(end);
        upgraded.delete(end);
        other.destroy();
      });
    }
    near.on("data", (bytes) => {
      const isSocket = /^upgrade: websocket/im.test(bytes.toString("latin1"));
      if (state === "without-sockets" && isSocket) near.destroy();
      else far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (state === "losing-answers") return;
      near.write(bytes);
      if (bytes.toString("latin1").startsWith("HTTP/1.1 101")) upgraded.add(near);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  const drop = () => {
    for (const end of ends) end.destroy();
  };
  afterFile(() => {
    drop();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      state = "cut";
      drop();
    },
    loseAnswers() {
      state = "losing-answers";
    },
    refuseSockets() {
      state = "without-sockets";
      drop();
    },
    restore() {
      state = "sound";
    },
    sockets: () => upgraded.size,
  };
}
