import { API_KEY_HEADER } from "../../src/api/server.ts";

/** A stream of server-sent events, read one event at a time; for the owner of a token, or whom a cookie signs in. */
export async function openEventStream(url: string, by: string | { cookie: string }, body?: object) {
  const abort = new AbortController();
  const response = await fetch(url, {
    headers: {
      accept: "text/event-stream",
      ...(typeof by === "string" ? { [API_KEY_HEADER]: by } : by),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
    signal: abort.signal,
  });
  if (!response.body) throw new Error("no body");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  // biome-ignore lint/suspicious/noExplicitAny: an event is whatever the test expects it to be
  const next = async (): Promise<{ event: string; data: any }> => {
    for (;;) {
      const end = rest.indexOf("\n\n");
      if (end >= 0) {
        const lines = rest.slice(0, end).split("\n");
        rest = rest.slice(end + 2);
        const field = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const data = field("data");
        if (data !== undefined) return { event: field("event") ?? "message", data: JSON.parse(data) };
        continue;
      }
      const { value, done } = await reader.read();
      if (done) throw new Error("the stream ended");
      rest += value;
    }
  };
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    next,
    close: () => abort.abort(),
  };
}
