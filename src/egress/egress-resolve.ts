import { lookup } from "node:dns/promises";

/** Every address a name has; rejects with the `code` of the system's resolver when it has none. */
export type Resolve = (host: string) => Promise<string[]>;

/**
 * The system's own resolver (`getaddrinfo`), so that /etc/hosts, Docker's and Kubernetes' names work, which node's
 * DNS client would miss. It runs on the thread pool, where libuv lets lookups take half of the threads at most.
 */
export const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
};

/**
 * How long an answer serves further calls. Two threads and 1 to 5 ms a lookup (more where a search list multiplies it)
 * would bound all calls of the process to some hundreds a second, and each tool call waits for its own. What is
 * remembered is judged anew by every call, so age only delays a move of the host.
 */
const REMEMBERED_ms = 5_000;
const MOST_NAMES = 1_000;

/** `resolve`, asked once for callers that come together and not again for a while. Failures are not remembered. */
export function rememberingResolve(resolve: Resolve, monotonic_ms: () => number): Resolve {
  // Oldest first, as a Map keeps the order of insertion.
  const known = new Map<string, { answer: Promise<string[]>; until: number }>();
  return (host) => {
    const now = monotonic_ms();
    const found = known.get(host);
    if (found && now < found.until) return found.answer;

    const answer = resolve(host);
    const entry = { answer, until: now + REMEMBERED_ms };
    known.delete(host);
    known.set(host, entry);
    for (const oldest of known.keys()) {
      if (known.size <= MOST_NAMES) break;
      known.delete(oldest);
    }
    answer.catch(() => {
      if (known.get(host) === entry) known.delete(host);
    });
    return answer;
  };
}
