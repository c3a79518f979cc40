import { Status } from "./parts.tsx";

export const OFFLINE_MODEL = "scripted";

/** Beside an answer that no model gave: the offline one makes its answers up. */
export const OfflineMark = ({ model }: { model: string | null | undefined }) =>
  model === OFFLINE_MODEL ? <Status tone="warn">made up, offline model</Status> : null;
