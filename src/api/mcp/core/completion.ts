import { ServiceError } from '../../../errors/index.ts';
import { AnswerBudget } from '../../../operations/index.ts';
import { type CallContext, callerOf } from './call-context.ts';
import { INVALID_PARAMS, McpFault } from './fault.ts';
import { PROMPTS } from './prompts.ts';
import { RESOURCE_TEMPLATES } from './resources.ts';
import type { AnyInvoke } from './tool.ts';

/** Most values of one response; the protocol allows no more. */
const MAX_VALUES = 100;

/** The result of `completion/complete`. */
export interface CompletionRequest {
  readonly ref: { readonly type: 'ref/prompt'; readonly name: string } | { readonly type: 'ref/resource';
    readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
}

/**
 * Completes the names of collections, for prompts and for resource templates; other arguments have no values to
 * suggest.
 */
export async function complete(invoke: AnyInvoke, { ref, argument }: CompletionRequest,
  context: CallContext): Promise<object>
{
  checkReference(ref);
  const begun = argument.value.toLowerCase();
  const names = argument.name === 'collection' ? await collectionNames(invoke, context) : [];
  const values = names.filter((name) => name.toLowerCase().startsWith(begun)).sort();
  return {
    completion: { values: values.slice(0, MAX_VALUES), total: values.length, hasMore: values.length > MAX_VALUES },
  };
}

function checkReference(ref: CompletionRequest['ref']): void {
  if (ref.type === 'ref/prompt' && !PROMPTS.some(({ name }) => name === ref.name))
    throw new McpFault(INVALID_PARAMS, `unknown prompt: ${ref.name.slice(0, 128)}`);
  if (ref.type === 'ref/resource' && !RESOURCE_TEMPLATES.some(({ uriTemplate }) => uriTemplate === ref.uri)) {
    throw new McpFault(INVALID_PARAMS, `unknown resource template: ${ref.uri.slice(0, 256)}`);
  }
}

/** All collections for callers that may list them, otherwise those whose configuration the caller may read. */
async function collectionNames(invoke: AnyInvoke, context: CallContext): Promise<string[]> {
  try {
    const { value } = await invoke('getStats', {}, callerOf(context));
    return (value as { collections: { name: string }[] }).collections.map(({ name }) => name);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return configuredCollections(invoke, context);
  }
}

async function configuredCollections(invoke: AnyInvoke, context: CallContext): Promise<string[]> {
  try {
    // Only names are returned, although more is read.
    const caller = { ...callerOf(context), budget: new AnswerBudget(Infinity) };
    const { value } = await invoke('listCollectionConfigs', {}, caller);
    return (value as { configs: { collection: string }[] }).configs.map(({ collection }) => collection);
  } catch (error) {
    if (error instanceof ServiceError) return [];
    throw error;
  }
}
