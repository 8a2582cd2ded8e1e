import { ServiceError } from '../../../errors/index.ts';
import type { Reply } from '../../../operations/index.ts';

type Fields = Record<string, unknown>;

/** What lies between a message and an operation where they are not the same. */
export interface Conversion {
  /** The operation's input, from the request in the form of JSON, which may be changed in place. */
  readonly input?: (request: Fields) => Fields;
  /** The response in the form of JSON, from the operation's output. */
  readonly output?: (reply: Reply<unknown>) => unknown;
}

/** A bare list becomes a field of the response. */
export function listUnder(name: string): Conversion['output'] & object {
  return ({ value }) => ({ [name]: value });
}

/** One item becomes a list of one: the operation answers either that or the list. */
export function oneOrAll(name: string): Conversion['output'] & object {
  return ({ value }) => (name in (value as Fields) ? value : { [name]: [value], total: 1 });
}

/** The response is the resource alone; the HTTP interface adds the list of all. */
export function withoutField(name: string): Conversion['output'] & object {
  return ({ value }) => {
    const { [name]: _, ...rest } = value as Fields;
    return rest;
  };
}

/** A map that must be there, and may be empty: protobuf does not tell the two apart. */
export function presentMap(name: string): Conversion['input'] & object {
  return (request) => ({ ...request, [name]: request[name] ?? {} });
}

/** What the HTTP interface says in headers are fields here. */
export function searchAnswer({ value, headers }: Reply<unknown>): Fields {
  return { documents: value, totalCount: Number(headers['X-Total-Count']), contextTruncated: headers['X-Context-Truncated'] === 'true' };
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
