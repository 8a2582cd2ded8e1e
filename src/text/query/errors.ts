/** A query that the grammar of its mode does not allow; the service returns 400 with the position. */
export class QuerySyntaxError extends Error {
  /** Offset in bytes of the UTF-8 query. */
  readonly position: number;

  constructor(position: number, message: string) {
    super(`${message} (at byte ${position})`);
    this.name = 'QuerySyntaxError';
    this.position = position;
  }
}

/** A query that exceeds a limit, whatever its syntax. */
export class QueryTooLargeError extends QuerySyntaxError {}

/** Longest query in bytes (decisions, section 8). */
export const MAX_QUERY_BYTES = 4096;
/** Maximum nesting of parentheses, and maximum number of operands of one expression (decisions, section 4.4). */
export const MAX_NESTING = 32;
export const MAX_ATOMS = 128;
/** Largest distance of a proximity phrase. */
export const MAX_DISTANCE = 1000;
