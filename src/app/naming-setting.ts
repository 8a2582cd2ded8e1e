import { ServiceError } from '../errors/index.ts';

/**
 * Runs a step of the start. If the machine or the database does not allow it, the reason is rejected with the setting
 * in front, as the lines about invalid settings have it, because whoever reads it needs the name to change it: a
 * service has several addresses and files. Other errors, which have a stack or lines of their own, stay as they are.
 */
export async function namingSetting<T>(setting: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof ServiceError)
      throw new ServiceError(error.code, `${setting}: ${error.message}`, { cause: error });
    if (isReason(error)) throw new Error(`${setting}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** An error of the system (`EACCES`), or one that explains another. */
function isReason(error: unknown): error is Error {
  return error instanceof Error && (error.cause !== undefined || 'syscall' in error);
}
