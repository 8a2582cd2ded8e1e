import { ServiceError } from '../../../errors/index.ts';
import { type Reply, truncationIn } from '../../../operations/index.ts';

type Fields = Record<string, unknown>;

/** The differences between an RPC's messages and its operation. */
export interface Conversion {
  /** Returns the operation's input for the request in JSON form, which may be changed in place. */
  readonly input?: (request: Fields) => Fields;
  /** Returns the response in JSON form for the operation's output. */
  readonly output?: (reply: Reply<unknown>) => unknown;
}

/** A bare list becomes a field of the response, as do the headers that the HTTP adapter sends with it. */
export function listUnder(name: string): Conversion['output'] & object {
  return ({ value, headers }) => ({
    [name]: value,
    totalCount: Number(headers['X-Total-Count']),
    ...truncationIn(headers),
  });
}

/** A single item becomes a list of one, because the operation returns either. */
export function oneOrAll(name: string): Conversion['output'] & object {
  return ({ value }) => (name in (value as Fields) ? value : { [name]: [value], total: 1 });
}

/**
 * The response is the resource alone; the HTTP adapter adds the list of all resources, and whether it was truncated.
 */
export function withoutList(name: string): Conversion['output'] & object {
  return ({ value }) => {
    const { [name]: _, truncated: _truncated, nextOffset: _nextOffset, ...rest } = value as Fields;
    return rest;
  };
}

/** A map that is required but may be empty: protobuf does not distinguish an empty map from an absent one. */
export function presentMap(name: string): Conversion['input'] & object {
  return (request) => ({ ...request, [name]: request[name] ?? {} });
}

/** A number cannot be `auto`, so there is a separate field for it. Errors: 400 if both are set. */
export function fuzzyOf({ fuzzyAuto, ...request }: Fields): Fields {
  if (fuzzyAuto !== true) return request;
  if (request['fuzzy'] !== undefined)
    throw new ServiceError('invalid_argument', 'fuzzy and fuzzy_auto cannot both be set');
  return { ...request, fuzzy: 'auto' };
}

/** A list of documents also says whether its token budget truncated it. */
export function searchAnswer(reply: Reply<unknown>): Fields {
  return {
    ...listUnder('documents')(reply) as Fields,
    contextTruncated: reply.headers['X-Context-Truncated'] === 'true',
    nextCursor: reply.headers['X-Next-Cursor'],
  };
}

/**
 * `clear` names the fields that JSON would set to null: a field, or one within the retrieval profile as
 * `retrieval.top_k`. Errors: 400 for any other name.
 */
export function clearFields({ clear, ...request }: Fields): Fields {
  for (const path of (clear ?? []) as readonly string[]) {
    const [, field, inner] = CLEARABLE.exec(camelCase(path)) ?? [];
    if (field === undefined) {
      throw new ServiceError('invalid_argument',
        'clear must name custom_meta, storage_config, wordpress, retrieval or a field of retrieval, such as ' +
          'retrieval.top_k');
    }
    if (inner === undefined) request[field] = null;
    else if (request[field] !== null) request[field] = { ...(request[field] as Fields | undefined), [inner]: null };
  }
  return request;
}

const CLEARABLE = /^(customMeta|storageConfig|wordpress|retrieval)(?:(?<=retrieval)\.([a-zA-Z]+))?$/;

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
