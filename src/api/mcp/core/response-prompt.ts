import { ServiceError } from '../../../errors/index.ts';
import type { Caller } from '../../../operations/index.ts';
import type { AnyInvoke } from './tool.ts';

/**
 * The instructions for writing answers from a collection, for searches whose operation does not return them itself;
 * undefined if none are configured or if the caller may not read them.
 */
export async function readPrompt(invoke: AnyInvoke, collection: string, caller: Caller): Promise<string | undefined> {
  try {
    const { value } = await invoke('getCollectionConfig', { collection }, caller);
    const { responsePrompt = '' } = (value as { config: { responsePrompt?: string } }).config;
    return responsePrompt === '' ? undefined : responsePrompt.replaceAll(/\{\{\s*collection\s*\}\}/g, () => collection);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
