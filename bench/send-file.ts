import { createReadStream, statSync } from "node:fs";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

/**
 * Sends a file as a form, as a process of its own that costs its machine as little as it can, and prints what came back.
 *
 *     node bench/send-file.ts <url> <token> <file>
 */
const [url, token, file] = process.argv.slice(2) as [string, string, string];

const boundary = "one-file-and-nothing-else";
const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="people.csv"\r\ncontent-type: text/csv\r\n\r\n`;
const tail = `\r\n--${boundary}--\r\n`;

const began = performance.now();
const sending = request(url, {
  method: "POST",
  headers: {
    "service-api-key": token,
    "content-type": `multipart/form-data; boundary=${boundary}`,
    "content-length": head.length + statSync(file).size + tail.length,
  },
});
const answered = new Promise<[number | undefined, string]>((resolve, reject) => {
  sending.once("error", reject);
  sending.once("response", (response) =>
    text(response).then((body) => resolve([response.statusCode, body]), reject),
  );
});
sending.write(head);
await pipeline(createReadStream(file), sending, { end: false });
sending.end(tail);
const [status, body] = await answered;
process.stdout.write(JSON.stringify({ status, body: JSON.parse(body), ms: performance.now() - began }));
