/**
 * For what comes by itself. It tells what never comes from what comes late: on a machine that others use, too, things take
 * twenty times as long now and then.
 */
export const WAITING = { timeout: 300_000, interval: 15 };
