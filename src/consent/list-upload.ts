import type { MultipartFile } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { refusePartText } from "../api/input/form.ts";
import { Fault, invalid } from "../base/errors.ts";
import { MAX_LIST_bytes } from "./address-file.ts";

/** At once, in this process: each holds one of its dozen database connections for as long as its file takes. */
const MAX_IMPORTS = 2;

/** Files of addresses that are being read, of whatever kind; handed to the routes that take them. */
export class ListUploads {
  #reading = 0;

  /** Hands the file of a form over as a stream. Refused while others are being read, and past `max_bytes`. */
  async read<Result>(
    request: FastifyRequest,
    store: (file: MultipartFile["file"], file_name: string) => Promise<Result>,
    max_bytes = MAX_LIST_bytes,
  ): Promise<Result> {
    if (this.#reading >= MAX_IMPORTS)
      throw new Fault("too-many", `${MAX_IMPORTS} lists are being read already.`, { retry_after_s: 10 });
    this.#reading++;
    try {
      const part = request.isMultipart()
        ? await request.file({ limits: { fileSize: max_bytes, files: 1, fields: 5 } })
        : undefined;
      if (part?.fieldname !== "file") throw invalid(["body", "file"], "Field required", "missing");
      refusePartText(part.filename ?? "", ["body", "file"]);
      const stream = part.file;
      stream.once("limit", () =>
        stream.destroy(new Fault("too-large", `The file is larger than ${max_bytes / 1024 / 1024} MB.`)),
      );
      return await store(stream, part.filename || "file.csv");
    } finally {
      this.#reading--;
      // Many senders read an answer that comes before the file's end only after they have sent the rest.
      request.raw.unpipe().resume();
    }
  }
}
