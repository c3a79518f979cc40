import { type AddressInfo, createServer } from "node:net";

/** For a program whose port must be known before it listens. Another one may take it until then. */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
