import { expect } from 'vitest';

/** What a function of a generated SDK answers. */
export interface SdkResult<T> {
  data?: T;
  error?: unknown;
  response?: Response;
}

/** The data of a success; the message of a failure shows the error's body. */
export function succeeded<T>({ data, error, response }: SdkResult<T>): NonNullable<T> {
  expect(error, `the answer was ${response?.status}`).toBeUndefined();
  return data!;
}

/** The body of an error, which has the documented form: a message, a stable code and the request's id. */
export function refused({ error, response }: SdkResult<unknown>, status: number, code: string): Record<string, unknown> {
  expect([response?.status, error]).toEqual([status, expect.objectContaining({ error: expect.stringMatching(/\S/), code, requestId: response?.headers.get('x-request-id') })]);
  return error as Record<string, unknown>;
}
