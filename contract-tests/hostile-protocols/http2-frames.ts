/** The preface of an HTTP/2 client (RFC 9113, section 3.4). */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** A frame (RFC 9113, section 4.1): length in 3 bytes, type, flags, stream in 4 bytes, payload. */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** An empty SETTINGS frame. */
export const SETTINGS = frame(4, 0, 0, Buffer.alloc(0));
