import { ServiceError } from '../../../errors/index.ts';
import type { Caller } from '../../../operations/index.ts';
import type { AnyInvoke } from './tool.ts';

/**
 * How answers from a collection are to be written, for searches whose operation does not say so itself
 * (decision D-116); undefined where nothing is configured or the caller may not read it.
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
