import { request as httpRequest } from "node:http";
import { expect, vi } from "vitest";
import { API_KEY_HEADER } from "../../src/api/server.ts";
import { WAITING } from "./waiting.ts";

/** A sender whose file comes piece by piece. */
export function slowSender(url: string, token: string) {
  const sender = httpRequest(url, {
    method: "POST",
    headers: { [API_KEY_HEADER]: token, "content-type": "multipart/form-data; boundary=form" },
  });
  const answer = new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    sender.on("error", reject).on("response", async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
    });
  });
  answer.catch(() => {});
  const sent = new Promise<void>((resolve) => sender.on("finish", resolve));
  return {
    answer,
    /** Once everything has left this machine's buffers. */
    sent,
    /** Sends the headers, and nothing of the form. */
    begin: () => void sender.flushHeaders(),
    beginFile: () =>
      void sender.write('--form\r\nContent-Disposition: form-data; name="file"; filename="slow.csv"\r\n\r\n'),
    send: (text: string) => void sender.write(text),
    /** Resolves once it has left the program, so that whoever gives up now has been met. */
    sendNow: (text: string) => new Promise<void>((resolve) => sender.write(text, () => resolve())),
    end: () => void sender.end("\r\n--form--\r\n"),
    abort: () => void sender.destroy(),
  };
}

/** The answers to senders of whom nothing more comes, while the timers that are fake pass. */
export async function givenUp(...senders: (ReturnType<typeof slowSender> | undefined)[]) {
  let answers: unknown[] | undefined;
  const all = Promise.all(senders.map((sender) => sender?.answer)).then((each) => {
    answers = each;
  });
  await vi.waitFor(() => {
    vi.advanceTimersByTime(1_000);
    expect(answers).toBeDefined();
  }, WAITING);
  await all;
  return answers;
}
