import type { Answer, TestApp } from "./app.ts";

/** Bytes are sent as they are, whatever their encoding. */
type FormFile = { filename: string | Buffer; content: string | Buffer };
export type Form = Record<string, string | Buffer | FormFile>;
type Method = "POST" | "PUT" | "DELETE";

const BOUNDARY = "a-boundary-of-tests";

/** Texts and files as a browser sends them. */
export function multipart(form: Form): { body: Buffer; headers: { "content-type": string } } {
  const parts = Object.entries(form).flatMap(([name, value]) => {
    const file = typeof value === "string" || Buffer.isBuffer(value) ? null : value;
    const bytes = [
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"`,
      ...(file ? ['; filename="', file.filename, '"'] : []),
      "\r\n\r\n",
      file ? file.content : (value as string | Buffer),
      "\r\n",
    ];
    return bytes.map((part) => Buffer.from(part as string));
  });
  return {
    body: Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
    headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
  };
}

/** Texts as a form without a file sends them. */
export const urlEncoded = (fields: Record<string, string>) => ({
  body: new URLSearchParams(fields).toString(),
  headers: { "content-type": "application/x-www-form-urlencoded" },
});

export function sendForm(
  app: TestApp,
  method: Method,
  url: string,
  form: Form,
  token = app.token,
): Promise<Answer> {
  const { body, headers } = multipart(form);
  return app.sendAs(token)(method, url, body, headers);
}

export function sendUrlEncoded(
  app: TestApp,
  method: Method,
  url: string,
  fields: Record<string, string>,
  token = app.token,
): Promise<Answer> {
  const { body, headers } = urlEncoded(fields);
  return app.sendAs(token)(method, url, body, headers);
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
