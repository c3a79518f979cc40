/**
 * Refuses to make arrays of bytes above this size in this thread. A PDF of a megabyte may hold a gigabyte of blanks, packed;
 * its reader doubles an array until all of it is unpacked, and what is no object of JavaScript is not bounded by the
 * thread's limits. The reader takes the name from the global object, so it is replaced there, before it is loaded.
 */
export function boundByteArrays(most_bytes: number): void {
  const Bytes = globalThis.Uint8Array;
  globalThis.Uint8Array = new Proxy(Bytes, {
    construct(target, given, newTarget) {
      if (typeof given[0] === "number" && given[0] > most_bytes) {
        throw new RangeError(`no more than ${most_bytes} bytes are unpacked`);
      }
      return Reflect.construct(target, given, newTarget === globalThis.Uint8Array ? target : newTarget);
    },
  });
}
