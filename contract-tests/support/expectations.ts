import { expect } from 'vitest';

/** The result of a generated SDK function. */
export interface SdkResult<T> {
  data?: T;
  error?: unknown;
  response?: Response;
}

/** Returns the data of a success; for a failure, the thrown message contains the error's body. */
export function succeeded<T>({ data, error, response }: SdkResult<T>): NonNullable<T> {
  expect(error, `the answer was ${response?.status}`).toBeUndefined();
  return data!;
}

/** Returns the body of an error and checks its documented form: a message, a stable code and the request's id. */
export function refused({ error, response }: SdkResult<unknown>, status: number,
  code: string): Record<string, unknown>
{
  expect([response?.status, error]).toEqual([status, expect.objectContaining({
    error: expect.stringMatching(/\S/),
    code,
    requestId: response?.headers.get('x-request-id'),
  })]);
  return error as Record<string, unknown>;
}
