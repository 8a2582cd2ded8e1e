import autocannon from 'autocannon';

export interface Load {
  readonly url: string;
  readonly clients: number;
  readonly seconds: number;
  readonly method: 'GET' | 'POST';
  /** Body of the n-th request, or one body for all. */
  readonly body?: string | ((n: number) => string);
}

/**
 * Number of requests per second that were answered with 2xx. Any other response fails the run, because a benchmark of
 * errors is meaningless.
 */
export async function requestsPerSecond(load: Load): Promise<number> {
  let n = 0;
  const { body } = load;
  const result = await autocannon({
    url: load.url,
    connections: load.clients,
    duration: load.seconds,
    method: load.method,
    headers: { 'content-type': 'application/json' },
    ...(typeof body === 'string' ? { body } : {}),
    ...(typeof body === 'function'
      ? { requests: [{ setupRequest: (request: object) => ({ ...request, body: body(n++) }) }] }
      : {}),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers were not 2xx, ${result.errors} failed`);
  return result['2xx'] / result.duration;
}
