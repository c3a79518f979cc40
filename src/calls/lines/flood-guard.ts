/**
 * A machine or network that stood still brings what it held back all at once, and the person is still on the line. So a
 * socket may bring at once what comes in ten seconds at its highest rate; of audio alone that is a minute.
 */
const AT_ONCE_s = 10;

/** Tells of each message of a call's socket whether it is one too many: nobody's call has so many. */
export function floodGuard(most_a_second: number, now_ms = () => performance.now()): () => boolean {
  const most = most_a_second * AT_ONCE_s;
  let left = most;
  let last_ms = now_ms();
  return () => {
    const at_ms = now_ms();
    left = Math.min(most, left + ((at_ms - last_ms) / 1000) * most_a_second);
    last_ms = at_ms;
    if (left < 1) return true;
    left--;
    return false;
  };
}
