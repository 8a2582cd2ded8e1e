/**
 * Frees the memory of bytes that nobody needs any more, unless they are part of something larger; their length is 0 then. The
 * collector would do so in its own time: buffers lie outside of its heap, and tens of megabytes of them gather before it looks.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
