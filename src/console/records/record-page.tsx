import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { lastChange } from "../changes/last-change.ts";
import { type Crumb, Fetched, PageHead } from "../parts/parts.tsx";
import { Time } from "../time/time.tsx";

type Props<Record_> = {
  /** Begins the query's key, which what changes the record invalidates. */
  queryKey: string;
  /** The page's heading while the record is new, and until its name is known. */
  newTitle: string;
  title: string;
  back: Crumb;
  read(id: string): Promise<Record_>;
  /** What the record is called, where it has no field `name`. */
  nameOf?(record: Record_): string;
  /** The number of its newest version, where it has some. */
  version?(record: Record_): number;
  /** The form over the record; null: a new one. */
  children(id: string, record: Record_ | null): ReactNode;
};

/** The page of one record, whose number, or `new`, stands in the address. */
export function RecordPage<Record_>(props: Props<Record_>) {
  const { queryKey, newTitle, title, back, read, nameOf = ownName, version, children } = props;
  const { id } = useParams({ strict: false }) as { id: string };
  const isNew = id === "new";
  const record = useQuery({ queryKey: [queryKey, id], queryFn: () => read(id), enabled: !isNew });
  const last = record.data && lastChange(record.data);
  return (
    <>
      <PageHead
        title={isNew ? newTitle : record.data ? nameOf(record.data) : title}
        back={back}
        about={
          record.data &&
          last?.at && (
            <>
              {version ? `Version ${version(record.data)}, updated` : "Updated"} <Time at={last.at} />
              {last.by && (
                <>
                  {" "}
                  by <bdi>{last.by}</bdi>
                </>
              )}
            </>
          )
        }
      />
      {isNew ? (
        children(id, null)
      ) : (
        <Fetched query={record} lines={12}>
          {(found) => children(id, found)}
        </Fetched>
      )}
    </>
  );
}

const ownName = (record: unknown): string => (record as { name: string }).name;
