/*
 * When somebody last touched the console. Pages look for news by themselves, which is no use of a sign-in: each request says
 * how long ago the last touch was.
 */
let touched_at = Date.now();

for (const name of ["pointerdown", "keydown", "wheel", "touchstart"])
  globalThis.addEventListener?.(name, () => (touched_at = Date.now()), { passive: true, capture: true });

export const idleSeconds = (): string => String(Math.floor((Date.now() - touched_at) / 1000));
