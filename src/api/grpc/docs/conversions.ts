import { ServiceError } from '../../../errors/index.ts';
import { truncationIn, type Reply } from '../../../operations/index.ts';

type Fields = Record<string, unknown>;

/** What lies between a message and an operation where they are not the same. */
export interface Conversion {
  /** The operation's input, from the request in the form of JSON, which may be changed in place. */
  readonly input?: (request: Fields) => Fields;
  /** The response in the form of JSON, from the operation's output. */
  readonly output?: (reply: Reply<unknown>) => unknown;
}

/** A bare list becomes a field of the response, as do the headers that the HTTP interface sends beside it. */
export function listUnder(name: string): Conversion['output'] & object {
  return ({ value, headers }) => ({ [name]: value, totalCount: Number(headers['X-Total-Count']), ...truncationIn(headers) });
}

/** One item becomes a list of one: the operation answers either that or the list. */
export function oneOrAll(name: string): Conversion['output'] & object {
  return ({ value }) => (name in (value as Fields) ? value : { [name]: [value], total: 1 });
}

/** The response is the resource alone; the HTTP interface adds the list of all, and where that was cut. */
export function withoutList(name: string): Conversion['output'] & object {
  return ({ value }) => {
    const { [name]: _, truncated: _truncated, nextOffset: _nextOffset, ...rest } = value as Fields;
    return rest;
  };
}

/** A map that must be there, and may be empty: protobuf does not tell the two apart. */
export function presentMap(name: string): Conversion['input'] & object {
  return (request) => ({ ...request, [name]: request[name] ?? {} });
}

/** A number cannot say `auto`, so a field of its own does. Errors: 400 for both. */
export function fuzzyOf({ fuzzyAuto, ...request }: Fields): Fields {
  if (fuzzyAuto !== true) return request;
  if (request['fuzzy'] !== undefined) throw new ServiceError('invalid_argument', 'fuzzy and fuzzy_auto cannot both be set');
  return { ...request, fuzzy: 'auto' };
}

/** A list of documents also says whether its token budget cut it. */
export function searchAnswer(reply: Reply<unknown>): Fields {
  return { ...listUnder('documents')(reply) as Fields, contextTruncated: reply.headers['X-Context-Truncated'] === 'true', nextCursor: reply.headers['X-Next-Cursor'] };
}

/**
 * `clear` names what JSON would set to null: a field, or one within the retrieval profile as
 * `retrieval.top_k`. Errors: 400 for any other name.
 */
export function clearFields({ clear, ...request }: Fields): Fields {
  for (const path of (clear ?? []) as readonly string[]) {
    const [, field, inner] = CLEARABLE.exec(camelCase(path)) ?? [];
    if (field === undefined) {
      throw new ServiceError('invalid_argument', 'clear must name custom_meta, storage_config, wordpress, retrieval or a field of retrieval, such as retrieval.top_k');
    }
    if (inner === undefined) request[field] = null;
    else if (request[field] !== null) request[field] = { ...(request[field] as Fields | undefined), [inner]: null };
  }
  return request;
}

const CLEARABLE = /^(customMeta|storageConfig|wordpress|retrieval)(?:(?<=retrieval)\.([a-zA-Z]+))?$/;

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
