import { API_KEY_HEADER } from "../../src/api/server.ts";
import type { Answer, TestApp } from "./app.ts";

type Fields = Record<string, string | { filename: string; content: Buffer }>;

const BOUNDARY = "a-boundary-of-tests";

/** Sends texts and files as a form does. */
export async function sendForm(
  app: TestApp,
  method: "POST" | "PUT" | "DELETE",
  url: string,
  fields: Fields,
  token = app.token,
): Promise<Answer> {
  const parts = Object.entries(fields).map(([name, value]) => {
    const file = typeof value === "string" ? "" : `; filename="${value.filename}"`;
    const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`;
    const content = typeof value === "string" ? Buffer.from(value) : value.content;
    return Buffer.concat([Buffer.from(head), content, Buffer.from("\r\n")]);
  });
  return send(app, method, url, token, {
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    payload: Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
  });
}

/** Sends texts as a form without a file does. */
export const sendUrlEncoded = (
  app: TestApp,
  method: "POST" | "PUT" | "DELETE",
  url: string,
  fields: Record<string, string>,
  token = app.token,
): Promise<Answer> =>
  send(app, method, url, token, {
    type: "application/x-www-form-urlencoded",
    payload: Buffer.from(new URLSearchParams(fields).toString()),
  });

async function send(
  app: TestApp,
  method: "POST" | "PUT" | "DELETE",
  url: string,
  token: string,
  { type, payload }: { type: string; payload: Buffer },
): Promise<Answer> {
  const response = await app.api.server.inject({
    method,
    url,
    headers: { [API_KEY_HEADER]: token, "content-type": type },
    payload,
  });
  return { status: response.statusCode, body: JSON.parse(response.body), headers: response.headers };
}

/** The beginning of a PNG picture of this size; nothing looks further. */
export function png(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.write("\x89PNG\r\n\x1a\n", "latin1");
  bytes.writeUInt32BE(13, 8);
  bytes.write("IHDR", 12, "latin1");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}
