import { API_KEY_HEADER } from "../../src/api/server.ts";
import type { Answer, TestApp } from "./app.ts";

const BOUNDARY = "a boundary of tests";

/** Sends a file as a form does. */
export async function upload(
  app: TestApp,
  method: "POST" | "PUT",
  url: string,
  content: string | Buffer,
  { token = app.token, field = "file", filename = "file.csv" } = {},
): Promise<Answer> {
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${field}"; filename="${filename}"\r\n\r\n`;
  const response = await app.api.server.inject({
    method,
    url,
    headers: { [API_KEY_HEADER]: token, "content-type": `multipart/form-data; boundary="${BOUNDARY}"` },
    payload: Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]),
  });
  return { status: response.statusCode, body: JSON.parse(response.body), headers: response.headers };
}
