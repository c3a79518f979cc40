import { Pool } from "undici";

/** Requests in a closed loop over a fixed number of connections, bounded in time. */
type LoadResult = { per_second: number; latencies_ms: number[]; failures: number };

export async function load(
  url: string,
  request: { path: string; method: "GET" | "PUT"; headers?: Record<string, string>; body?: string },
  { connections, seconds }: { connections: number; seconds: number },
): Promise<LoadResult> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const latencies_ms: number[] = [];
  let failures = 0;
  const until = performance.now() + seconds * 1000;
  const worker = async () => {
    while (performance.now() < until) {
      const began = performance.now();
      const response = await pool.request({ ...request, body: request.body ?? null });
      await response.body.dump();
      if (response.statusCode !== 200) failures++;
      latencies_ms.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  await pool.close();
  return { per_second: latencies_ms.length / seconds, latencies_ms, failures };
}
