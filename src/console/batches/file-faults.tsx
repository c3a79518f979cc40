import { Alert } from "@mantine/core";
import { ApiError } from "../server/api.ts";
import { rowFault } from "./csv-preview.ts";

const SHOWN = 50;

/** The errors for which a file was refused, by row and column; of many, the first. */
export function FileFaults({ error }: { error: Error }) {
  const faults = error instanceof ApiError ? error.issues.map(rowFault) : [];
  return (
    <Alert color="red" role="alert" title="The file was rejected">
      {faults.length === 0 ? (
        error.message
      ) : (
        <ul style={{ margin: 0, paddingInlineStart: "1.1rem" }}>
          {faults.slice(0, SHOWN).map(({ place, text }) => (
            <li key={`${place} ${text}`}>
              <b>
                <bdi>{place}</bdi>
              </b>
              : {text}
            </li>
          ))}
        </ul>
      )}
      {faults.length > SHOWN && "There are more errors. Fix these first, then upload again."}
    </Alert>
  );
}
