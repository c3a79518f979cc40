import { Status } from "./parts.tsx";

export const OFFLINE_MODEL = "scripted";

/** Marks an answer of the offline model, which makes its answers up. */
export const OfflineMark = ({ model }: { model: string | null | undefined }) =>
  model === OFFLINE_MODEL ? <Status tone="warn">offline model</Status> : null;
