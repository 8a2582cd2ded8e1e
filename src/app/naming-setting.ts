import { ServiceError } from '../errors/index.ts';

/**
 * Runs a step of the start. Its failure is rejected with the setting in front, as the lines about invalid settings have it, because whoever
 * reads the message needs the name to change it: a service has several addresses and files.
 */
export async function namingSetting<T>(setting: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const message = `${setting}: ${error.message}`;
    throw error instanceof ServiceError ? new ServiceError(error.code, message, { cause: error }) : new Error(message, { cause: error });
  }
}
