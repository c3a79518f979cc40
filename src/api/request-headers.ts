import { z } from "zod";
import { headerProblem, SET_BY_CONNECTION } from "../egress/outgoing-headers.ts";

/** Headers that an author adds to requests of ours: names as HTTP writes them, and texts in one line. */
export const requestHeaders = () =>
  z
    .record(
      z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/),
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what no header has.
      z.string().regex(/^[^\u0000-\u0008\u000a-\u001f\u007f]*$/),
    )
    .superRefine((headers, context) => {
      for (const name of Object.keys(headers))
        if (headerProblem(name, "") === "set by the connection")
          context.addIssue({ code: "custom", path: [name], message: SET_BY_CONNECTION });
    });
