/**
 * Frees the memory of bytes that are no longer needed, unless they are part of a larger buffer; their length is 0
 * afterwards. The garbage collector would free them much later: buffers lie outside its heap, and tens of megabytes of
 * them accumulate before it runs.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
