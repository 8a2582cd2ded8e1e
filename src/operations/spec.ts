/** Who may call an operation (openapi/README.md, `x-access`). */
export type Access = 'public' | 'user' | 'read' | 'write' | 'admin';

/** What the access modes make of an operation (`x-effect`). */
export type Effect = 'read' | 'write' | 'none';

export interface ParameterSpec {
  /** Name on the wire. */
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  /** Name in the flat input. */
  readonly field: string;
  /** JSON type that the text on the wire is decoded to. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  /** Type of an array's items or an object's values. */
  readonly items?: 'string' | 'integer' | 'number' | 'boolean';
}

/** One row of the generated table of operations: all that adapters and the pipeline need to know. */
export interface OperationSpec {
  readonly id: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  /** Path template, such as `/v1/automation/{id}`. */
  readonly path: string;
  readonly area: string;
  readonly summary: string;
  readonly access: Access;
  readonly effect: Effect;
  /** True where an operation that the access modes do not call a write leaves something behind (`x-stores`). */
  readonly stores?: boolean;
  /**
   * Fields of the input that name collections, one or a list, on which the access needs permission; a name that
   * starts with `_` is a collection of the system itself (`x-collections`). Absent where the input names none.
   */
  readonly collections?: readonly string[];
  /** Fields of the answer, as dotted paths, for callers with read permission only (`x-read-fields`). */
  readonly readFields?: readonly string[];
  /** Field of the answer with the list that `offset` and `limit` page, `*` for an answer that is the list itself (`x-pages`). */
  readonly pages?: string;
  /** False for operations that may run longer than the request limit. */
  readonly limited: boolean;
  /** True where text that is not valid Unicode is repaired instead of refused. */
  readonly sanitize: boolean;
  /** Status of success. */
  readonly status: number;
  /** Statuses of success that a handler may choose instead, by its `Reply`. */
  readonly otherStatuses?: readonly number[];
  readonly parameters: readonly ParameterSpec[];
  /** Content types of the body, empty when there is none. */
  readonly consumes: readonly string[];
  /** True where there must be a JSON body although none of its fields is required. */
  readonly requiresBody?: boolean;
  /** Content types of the answer, empty for 204. */
  readonly produces: readonly string[];
  /** Code of a violation of the input as a whole, where it is not the service's usual one. */
  readonly error?: string;
}

/** The input and output types of one operation. */
export interface Operation<Input, Output> {
  readonly input: Input;
  readonly output: Output;
}

/** Maps operation ids to their types; generated for each service. */
export type OperationMap = Record<string, Operation<object, unknown>>;

type Merge<T> = { [K in keyof T]: WithLists<T[K]> };

type Scalar = string | number | boolean;

/** A map that requests may fill with single values, and that the pipeline makes a map of lists of texts (`x-scalars`). */
interface Scalars {
  [key: string]: Scalar | Scalar[];
}

/** Such maps as handlers get them: as fields of the input, and of the items of its lists. */
type WithLists<T> =
  IsScalars<Exclude<T, undefined>> extends true ? Record<string, string[]> | Extract<T, undefined>
    : Exclude<T, undefined> extends (infer Item extends { meta?: Scalars })[] ? { [K in keyof Item]: K extends 'meta' ? WithLists<Item[K]> : Item[K] }[] | Extract<T, undefined>
      : T;

type IsScalars<T> = [T, Scalars, string] extends [Scalars, T, keyof T] ? true : false;

/**
 * The flat input of an operation: `Parts` is the intersection of its body, path, query and header
 * fields, `Defaulted` names those that the pipeline fills in when they are absent.
 */
export type FlatInput<Parts, Defaulted extends keyof Parts = never> =
  Merge<Omit<Parts, Defaulted> & Required<Pick<Parts, Defaulted>>>;
