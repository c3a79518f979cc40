import { type AddressInfo, createServer } from "node:net";
import { onTestFinished } from "vitest";

/**
 * A server that signs everybody in and answers every question with one row: what a PostgreSQL looks like that can't be
 * used. With `refusal` it signs nobody in.
 */
export async function startFakePostgres(
  row: Record<string, string>,
  refusal?: { code: string; message: string },
): Promise<string> {
  const server = createServer((socket) => {
    let started = false;
    socket.on("error", () => {});
    socket.on("data", (data) => {
      if (!started) {
        started = true;
        if (refusal) {
          const { code, message: why } = refusal;
          socket.end(message("E", text("SFATAL"), text(`C${code}`), text(`M${why}`), Buffer.of(0)));
          return;
        }
        socket.write(Buffer.concat([message("R", int32(0)), READY]));
      } else if (data.toString("latin1", 0, 1) === "Q") {
        const columns = Object.keys(row).flatMap((name) => [text(name), ...TEXT_COLUMN]);
        const values = Object.values(row).flatMap((value) => [
          int32(Buffer.byteLength(value)),
          Buffer.from(value),
        ]);
        const count = int16(Object.keys(row).length);
        socket.write(
          Buffer.concat([
            message("T", count, ...columns),
            message("D", count, ...values),
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
/** Of no table; `text` is type 25. */
const TEXT_COLUMN = [int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)];
const text = (value: string): Buffer => Buffer.from(`${value}\0`);
const message = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
};
const READY = message("Z", Buffer.from("I"));
