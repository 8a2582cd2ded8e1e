/** Most bytes of one message of the fleet protocol. */
const MAX_CHUNK = 1 << 20;

/** A content in pieces that fit in messages to ships. */
export async function* piecesOf(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    for (let at = 0; at < piece.length; at += MAX_CHUNK) yield piece.subarray(at, at + MAX_CHUNK);
  }
}
