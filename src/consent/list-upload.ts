import type { MultipartFile } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { readStreamedFile } from "../api/input/streamed-file.ts";
import { Fault } from "../base/errors.ts";
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
      const too_large = `The file is larger than ${max_bytes / 1024 / 1024} MB.`;
      return await readStreamedFile(request, { max_bytes, too_large }, store);
    } finally {
      this.#reading--;
    }
  }
}
