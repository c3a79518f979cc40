import { setTimeout as sleep } from "node:timers/promises";

/** Each person writes about this often: below the 30 messages that one visitor may write in a minute. */
const PAUSE_MS = 2_500;

type Talked = { took: number[]; failed: string[] };

type Chat = { path: string; from: Record<string, string> };

/**
 * People who chat from now until told to stop, spread over the programs, each from an address of their own. `since` gives
 * what was said since it was last asked, and gives what is still unanswered to what comes next.
 */
export async function startChats(urls: string[], target: string, people: number) {
  const open = async (n: number): Promise<Chat> => {
    const url = urls[n % urls.length];
    const from = { "content-type": "application/json", "x-forwarded-for": `192.0.2.${n + 1}` };
    const body = JSON.stringify({ client_id: target });
    const answer = await fetch(`${url}/chat/v1/sessions`, { method: "POST", headers: from, body });
    const opened = (await answer.json()) as { session_id: string; token: string; detail?: string };
    if (!answer.ok) throw new Error(`a chat was not opened: ${opened.detail ?? answer.status}`);
    return { path: `${url}/chat/v1/sessions/${opened.session_id}/messages?token=${opened.token}`, from };
  };
  const chats = await Promise.all(Array.from({ length: people }, (_, n) => open(n)));
  const stop = new AbortController();
  let talked: Talked = { took: [], failed: [] };

  const turn = async (n: number) => {
    const { path, from: headers } = chats[n] as Chat;
    const body = JSON.stringify({ text: "What are your opening hours?" });
    const begun = performance.now();
    try {
      const answer = await fetch(path, {
        method: "POST",
        headers,
        body,
        signal: AbortSignal.timeout(60_000),
      });
      const text = await answer.text();
      // A conversation may come to its end; a new one takes its place.
      if (answer.status === 409 || answer.status === 410) chats[n] = await open(n);
      else if (!answer.ok) talked.failed.push(`${answer.status} ${text.slice(0, 120)}`);
      else talked.took.push(performance.now() - begun);
    } catch (error) {
      const { message, cause } = error as Error & { cause?: Error };
      talked.failed.push(cause?.message ?? message);
    }
  };
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop.signal }).catch(() => {});
  const person = async (n: number) => {
    await pause((PAUSE_MS * n) / people);
    while (!stop.signal.aborted) {
      const begun = performance.now();
      await turn(n);
      await pause(Math.max(0, PAUSE_MS - (performance.now() - begun)));
    }
  };
  const all = Promise.all(chats.map((_, n) => person(n)));
  return {
    since(): Talked {
      const told = talked;
      talked = { took: [], failed: [] };
      return told;
    },
    async stop() {
      stop.abort();
      await all;
    },
  };
}
