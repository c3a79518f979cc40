/** What a group's numbers are used for, by its mode. */
export const GROUP_MODES = { voice: "Calls", sms: "Texts" } as const;
