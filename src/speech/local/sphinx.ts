import { existsSync } from "node:fs";
import path from "node:path";
import { type LibraryHandle, load } from "koffi";

/*
 * PocketSphinx, the recognizer of Debian's packages libpocketsphinx3 and pocketsphinx-en-us, called as a library.
 * https://cmusphinx.github.io/doc/pocketsphinx/pocketsphinx_8h.html
 */

export type SphinxFiles = { libraries: string[]; model: string; dictionary: string };

const LIBRARY_FOLDERS = ["usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib", "usr/local/lib"];
const MODEL = "usr/share/pocketsphinx/model/en-us";
/** PocketSphinx's own name of the language model it was made with (PS_DEFAULT_SEARCH), and ours of the second. */
const FIRST = "_default";
const SECOND = "second";
/**
 * Words that an utterance may end in so far, before their table grows: PocketSphinx ends the whole process when the table
 * is full to its last place just as it is asked for the words. 5000, its default, are some seconds of speech; so many are
 * minutes without a pause, and take memory only once they are used.
 */
const WORD_TABLE = "1000000";
/** In this order, each needs those before it. Where the machine has them, its own loader finds the first four. */
const NEEDED = [
  "libquadmath.so.0",
  "libgfortran.so.5",
  "blas/libblas.so.3",
  "lapack/liblapack.so.3",
  "libsphinxbase.so.3",
  "libpocketsphinx.so.3",
];

/** What somebody does who has none of it. */
export const INSTALL_SPHINX = "On Debian or Ubuntu: sudo apt install libpocketsphinx3 pocketsphinx-en-us";

/** Where the packages lie; null: they are not installed. `roots`: the machine's own `/`, or where they were unpacked. */
export function findSphinx(roots: readonly string[] = ["/"]): SphinxFiles | null {
  for (const root of roots) {
    const model = path.join(root, MODEL);
    const folder = LIBRARY_FOLDERS.map((name) => path.join(root, name)).find((name) =>
      existsSync(path.join(name, "libpocketsphinx.so.3")),
    );
    if (!folder || !existsSync(path.join(model, "en-us/mdef"))) continue;
    const libraries = NEEDED.map((name) => path.join(folder, name)).filter((file) => existsSync(file));
    return {
      libraries,
      model: path.join(model, "en-us"),
      dictionary: path.join(model, "cmudict-en-us.dict"),
    };
  }
  return null;
}

export type Recognizer = {
  begin(): void;
  /** 16-bit samples at 16 kHz; the words so far. */
  push(samples: Int16Array): string;
  /** The words, once no more will come. */
  end(): string;
  /** Reads a second language model for `hearAgain`; `forget` drops it. */
  addModel(lm: string): void;
  /** The words of a whole utterance by the second language model. Only after `end`. */
  hearAgain(samples: Int16Array): string;
  /** Drops what it learned of a voice and a line, and reads its files again: 15 ms, where a new one takes 250. */
  forget(): void;
  free(): void;
};

/** The native functions, loaded once a process. Throws where the libraries can't be loaded. */
export function loadSphinx({ libraries, model }: SphinxFiles) {
  const loaded = libraries.map((file) => load(file, { global: true }));
  const [base, pocket] = loaded.slice(-2) as [LibraryHandle, LibraryHandle];
  const args = pocket.func("void *ps_args()");
  const configure = base.func("void *cmd_ln_init(void *, void *, int, ...)");
  const dropConfiguration = base.func("int cmd_ln_free_r(void *)");
  const silence = base.func("void err_set_logfp(void *)");
  const init = pocket.func("void *ps_init(void *)");
  const free = pocket.func("int ps_free(void *)");
  const reinit = pocket.func("int ps_reinit(void *, void *)");
  const start = pocket.func("int ps_start_utt(void *)");
  const end = pocket.func("int ps_end_utt(void *)");
  const process = pocket.func("int ps_process_raw(void *, const int16_t *, size_t, int, int)");
  const words = pocket.func("const char *ps_get_hyp(void *, _Out_ int *)");
  const addLanguageModel = pocket.func("int ps_set_lm_file(void *, const char *, const char *)");
  const choose = pocket.func("int ps_set_search(void *, const char *)");
  silence(null);

  return {
    /** `lm`: a file in ARPA form; `dictionary`: how its words sound. */
    recognizer({ lm, dictionary }: { lm: string; dictionary: string }): Recognizer {
      const settings = { "-hmm": model, "-dict": dictionary, "-lm": lm, "-latsize": WORD_TABLE };
      const given = Object.entries(settings).flatMap(([name, value]) => ["str", name, "str", value]);
      const configuration = configure(null, args(), 1, ...given, "void *", null);
      const decoder = configuration && init(configuration);
      if (!decoder) throw new Error("PocketSphinx refused its settings");
      const heard = () => (words(decoder, [0]) as string | null) ?? "";
      const begin = () => void start(decoder);
      const push = (samples: Int16Array) => {
        process(decoder, samples, samples.length, 0, 0);
        return heard();
      };
      const finish = () => {
        end(decoder);
        return heard();
      };
      return {
        begin,
        push,
        end: finish,
        addModel: (file) => {
          if (addLanguageModel(decoder, SECOND, file) < 0)
            throw new Error("PocketSphinx refused a language model");
        },
        hearAgain: (samples) => {
          choose(decoder, SECOND);
          try {
            begin();
            push(samples);
            return finish();
          } finally {
            choose(decoder, FIRST);
          }
        },
        forget: () => {
          if (reinit(decoder, null) < 0) throw new Error("PocketSphinx did not begin anew");
        },
        free: () => {
          free(decoder);
          dropConfiguration(configuration);
        },
      };
    },
  };
}
