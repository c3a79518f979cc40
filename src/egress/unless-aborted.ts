/** The same promise, but it rejects with the signal's reason as soon as that is aborted, for work that can't be stopped. */
export async function unlessAborted<T>(working: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return working;
  const aborted = Promise.withResolvers<never>();
  const leave = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await Promise.race([working, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
