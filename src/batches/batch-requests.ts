import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { file } from "../api/input/form.ts";
import { readStreamedFile } from "../api/input/streamed-file.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { findSender } from "../campaigns/campaign-store.ts";
import { targetsOf } from "../channels/address.ts";
import type { Db } from "../db/database.ts";
import { organizationJsonSealer } from "../redaction/text-sealer.ts";
import { BATCHES, batchParams } from "./batch.ts";
import { ResultsQuery, resultsForm, streamResults } from "./batch-results.ts";
import {
  Added,
  CommunicationRequest,
  CommunicationRequestResult,
  type RequestInput,
} from "./batch-schema.ts";
import { findKey, lockBatch, statusAfter, updateBatch } from "./batch-store.ts";
import { uploadBatch } from "./batch-upload.ts";
import { linkRequests } from "./link-requests.ts";
import { cellCheck, refuseWrongColumns } from "./person-column-faults.ts";
import { MAX_FILE_bytes } from "./request-file.ts";
import { addRequests, countInvalid, newRequest, removeRequests } from "./request-store.ts";
import { lastRequest, tellOfAdded } from "./status-change.ts";
import { refuseWhileRead } from "./upload-claim.ts";
import { wakeBatch } from "./wake-batch.ts";

type Deps = { db: Db; clock: Clock; log: Log; vault: Vault };

/** One call; more go into a file. */
const MAX_REQUESTS = 10_000;
/** At once, in this process: each holds one of its dozen database connections for as long as its file takes. */
const MAX_UPLOADS = 3;

const Removed = z
  .object({ removed: z.array(z.string()), not_removed: z.array(z.string()) })
  .meta({ id: "RequestsRemoved" });

/** Adds requests to a batch, removes them, and reads their results. */
export function batchRequestRoutes(api: Api, { db, clock, log, vault }: Deps): void {
  const one = `${BATCHES}/:batch_id`;
  const tag = "outbound";
  const params = batchParams;
  let uploads = 0;

  api.post(
    `${one}/upload_batch`,
    {
      summary: "Fill a batch from a CSV file",
      description:
        "The columns `reference_id` and `target` and one for each variable; up to 1,000,000 rows and 200 MB. The file is stored whole or, when it can't be read, not at all: then the answer names the row and column, and the batch takes another file. Targets that are no address are INVALID, references and targets that came before DUPLICATE.",
      tag,
      permission: "outbound_write",
      params,
      form: { type: "multipart/form-data", streamed: true },
      body: z.object({ file: file().optional() }).meta({ id: "BatchFile" }),
      response: Added,
    },
    async ({ caller, params, request }) => {
      if (uploads >= MAX_UPLOADS) {
        throw new Fault("too-many", `${MAX_UPLOADS} files are being read already.`, { retry_after_s: 10 });
      }
      uploads++;
      try {
        return await readStreamedFile(
          request,
          { max_bytes: MAX_FILE_bytes, too_large: TOO_LARGE },
          (stream, name) =>
            uploadBatch({ db, clock, log, vault, audit: api.audit }, caller, params.batch_id, {
              name,
              stream,
            }),
        );
      } finally {
        uploads--;
      }
    },
  );

  api.post(
    `${one}/requests`,
    {
      summary: "Add requests to a batch",
      tag,
      permission: "outbound_write",
      params,
      // A request can have a page of variables.
      body_limit_bytes: 4 * 1024 * 1024,
      body_limit_values: 10 * MAX_REQUESTS,
      body: z.union([CommunicationRequest, z.array(CommunicationRequest).min(1).max(MAX_REQUESTS)]),
      response: Added,
    },
    ({ caller, params, body }) => add(caller, params.batch_id, Array.isArray(body) ? body : [body]),
  );

  api.post(
    `${one}/remove-requests`,
    {
      summary: "Remove requests from a batch",
      description:
        "By reference_id. Waiting requests become CANCELED; requests in progress or finished stay.",
      tag,
      permission: "outbound_write",
      params,
      body: z.array(z.string()).max(MAX_REQUESTS),
      response: Removed,
    },
    ({ caller, params, body }) => remove(caller, params.batch_id, [...new Set(body)]),
  );

  api.get(
    `${one}/results`,
    {
      summary: "List the requests of a batch with their results",
      description:
        "A bare array, in the order in which they came; streamed, so a batch of any size can be read at once. With `Accept: text/csv` the same as a CSV file.",
      tag,
      permission: "outbound_read",
      params,
      query: ResultsQuery,
      response: z.array(CommunicationRequestResult),
      produces: ["application/json", "text/csv"],
    },
    async ({ caller, params, query, request, reply }) => {
      const key = await findKey(db, caller, params.batch_id);
      const form = resultsForm(request.headers.accept);
      reply.header("vary", "accept");
      if (form === "json") reply.type("application/json; charset=utf-8");
      else
        reply
          .type("text/csv; charset=utf-8")
          .header("content-disposition", 'attachment; filename="results.csv"');
      return streamResults({ db, clock, caller }, key, query, form);
    },
  );

  const add = (caller: Caller, batch_id: string, inputs: RequestInput[]): Promise<Added> =>
    db.transaction().execute(async (tx) => {
      const locked = await lockBatch(tx, clock, caller, batch_id);
      const status = statusAfter(locked, { kind: "filled" });
      await refuseWhileRead(tx, locked);
      refuseWrongColumns(inputs, await cellCheck(tx, caller.organization_id));
      const normalise = targetsOf(await findSender(tx, locked.batch.campaign_id));
      const seal = await organizationJsonSealer(tx, vault, caller.sub_organization_id);
      const requests = inputs.map((input) =>
        newRequest({ ...input, request_variables: JSON.stringify(input.request_variables) }, normalise, seal),
      );
      const last = await lastRequest(tx, locked.key);
      const duplicates = await addRequests(tx, { batch_key: locked.key, at: locked.at }, requests);
      await tellOfAdded(tx, locked.key, last);
      await linkRequests(tx, vault, caller, { batch_key: locked.key, batch_id, after: last, at: locked.at });
      const invalid = countInvalid(requests);
      const added = { batch_id, accepted: requests.length - duplicates - invalid, duplicates, invalid };
      await updateBatch(tx, locked, caller.email, { status });
      await wakeBatch(tx, locked.key, locked.at);
      const reference_ids = requests.map(({ reference_id }) => reference_id);
      await api.audit(tx, caller, {
        action: "add-requests",
        resource: "batches",
        resource_id: batch_id,
        after: { ...added, reference_ids },
      });
      return added;
    });

  const remove = (caller: Caller, batch_id: string, reference_ids: string[]) =>
    db.transaction().execute(async (tx) => {
      const locked = await lockBatch(tx, clock, caller, batch_id);
      // What waits in a batch that is over is canceled already, or as good as.
      const found = new Set(locked.cancels_waiting ? [] : await removeRequests(tx, locked, reference_ids));
      const after = {
        removed: reference_ids.filter((id) => found.has(id)),
        not_removed: reference_ids.filter((id) => !found.has(id)),
      };
      await updateBatch(tx, locked, caller.email, {});
      await api.audit(tx, caller, {
        action: "remove-requests",
        resource: "batches",
        resource_id: batch_id,
        after,
      });
      return after;
    });
}

const TOO_LARGE = `The file is larger than ${MAX_FILE_bytes / 1024 / 1024} MB. Split it.`;
