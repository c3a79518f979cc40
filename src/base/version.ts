/** Of this program; apart, so that what only prints it need not load the rest. */
export const VERSION = "0.1.0";
