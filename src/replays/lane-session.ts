/** Sessions of replays, under which their channel's ids are. */
export const REPLAY_SERVICE = "replays";

export type LaneName = "baseline" | "candidate";

/** The name of a pair's session, by which it is found when the recorded session is deleted. */
export const laneSid = (pair_id: number, lane: LaneName): string => `replay-${pair_id}-${lane}`;
