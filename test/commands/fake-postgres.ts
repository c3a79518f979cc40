import { type AddressInfo, createServer } from "node:net";
import { onTestFinished } from "vitest";

/** A server that signs everybody in and answers every question with one version: what an old PostgreSQL looks like. */
export async function startFakePostgres(version: string): Promise<string> {
  const server = createServer((socket) => {
    let started = false;
    socket.on("error", () => {});
    socket.on("data", (data) => {
      if (!started) {
        started = true;
        socket.write(Buffer.concat([message("R", int32(0)), READY]));
      } else if (data.toString("latin1", 0, 1) === "Q") {
        const columns = [text("version"), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)];
        const value = Buffer.from(version);
        socket.write(
          Buffer.concat([
            message("T", int16(1), ...columns),
            message("D", int16(1), int32(value.length), value),
            message("C", text("SELECT 1")),
            READY,
          ]),
        );
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `postgres://parley:a-password@127.0.0.1:${(server.address() as AddressInfo).port}/parley`;
}

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const text = (value: string): Buffer => Buffer.from(`${value}\0`);
const message = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
};
const READY = message("Z", Buffer.from("I"));
