/** A process that does nothing but tell how late its loop came round: what the machine takes from everybody. */
const ROUND_MS = 10;
let last = performance.now();
let longest = 0;
const round = () => {
  const now = performance.now();
  longest = Math.max(longest, now - last - ROUND_MS);
  last = now;
};
setInterval(round, ROUND_MS);
process.on("message", () => {
  round();
  process.send?.(Math.round(longest));
  longest = 0;
});
// Gone with whoever started it.
process.on("disconnect", () => process.exit());
