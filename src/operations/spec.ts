/** Who may call an operation (openapi/README.md, `x-access`). */
export type Access = 'public' | 'user' | 'read' | 'write' | 'admin';

/** How the access modes classify an operation (`x-effect`). */
export type Effect = 'read' | 'write' | 'none';

/** The indexes over documents, which follow the change feed. */
export type ViewName = 'words' | 'columns' | 'places' | 'vectors' | 'vectorFields';

/** The roles of an operation that searches (openapi/README.md, `x-search`). */
export interface SearchFacts {
  /** Its type in the metrics; absent if it is not counted. */
  readonly metric?: string;
  /** The field of its response that names the algorithm, for the metrics. */
  readonly algorithm?: string;
  /** True if it waits for a place as a whole; others wait while they score. */
  readonly gate?: boolean;
  /** True if API keys for the class `search` allow it. */
  readonly keys?: boolean;
}

export interface ParameterSpec {
  /** Name on the wire. */
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  /** Name in the flat input. */
  readonly field: string;
  /** JSON type to which the text on the wire is decoded. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  /** Type of an array's items or an object's values. */
  readonly items?: 'string' | 'integer' | 'number' | 'boolean';
}

/** One row of the generated table of operations: everything that adapters and the pipeline need to know. */
export interface OperationSpec {
  readonly id: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  /** Path template, such as `/v1/automation/{id}`. */
  readonly path: string;
  readonly area: string;
  readonly summary: string;
  readonly access: Access;
  readonly effect: Effect;
  /** True if an operation stores something although the access modes do not classify it as a write (`x-stores`). */
  readonly stores?: boolean;
  /**
   * Fields of the input that name collections, one or a list, for which the access requires permission; a name that
   * starts with `_` is itself a system collection (`x-collections`). Absent if the input names none.
   */
  readonly collections?: readonly string[];
  /** Fields of the response, as dotted paths, that only callers with read permission receive (`x-read-fields`). */
  readonly readFields?: readonly string[];
  /**
   * What callers without read permission get in fields that a response cannot be without, by dotted path: 0, or the
   * value of the field beside it that is named (`x-unread`).
   */
  readonly unread?: Readonly<Record<string, string | 0>>;
  /**
   * Fields of the input, as dotted paths, that ask what is stored, so that only callers with read permission may send
   * them (`x-conditions`).
   */
  readonly conditions?: readonly string[];
  /**
   * Field of the response with the list that `offset` and `limit` page; `*` if the response is the list itself
   * (`x-pages`).
   */
  readonly pages?: string;
  /**
   * Operations that programs ask again and again to know whether a server works (`x-probe`): `store` needs the
   * database, `node` nothing. They have no rate limit and no session.
   */
  readonly probe?: 'node' | 'store';
  /** The views that a write waits for, so that what it wrote can be found (`x-waits-for`). */
  readonly waitsFor?: readonly ViewName[];
  /** True if a read needs only the tables, no view (`x-tables`). */
  readonly tables?: boolean;
  /** What the operation is as a search (`x-search`). */
  readonly search?: SearchFacts;
  /** True if another process that reads the database can answer (`x-local`). */
  readonly local?: boolean;
  /** True if reading is itself noted, while that is on (`x-noted`). */
  readonly noted?: boolean;
  /** The feature without which the operation refuses every call (`x-feature`). */
  readonly feature?: 'temporal' | 'spell' | 'embedding';
  /** The scope that a token of the run queue needs, where that does not follow from the access (`x-scope`). */
  readonly scope?: 'submit' | 'approve' | 'alerts';
  /** Whether an administrator of the project that it names may call it, in the run queue (`x-project-admin`). */
  readonly projectAdmin?: boolean;
  /** True if users who must change their password may call it before that (`x-password-pending`). */
  readonly passwordPending?: boolean;
  /**
   * True if the handler gets the bytes of the body as they arrive, with the headers, and nothing of it is in the input
   * (`x-raw-body`).
   */
  readonly rawBody?: boolean;
  /** False for operations that may run longer than the request limit. */
  readonly limited: boolean;
  /** True if text that is not valid Unicode is repaired instead of refused. */
  readonly sanitize: boolean;
  /**
   * Most bytes of a JSON body, or of the same input in another protocol (`x-max-body`); absent if only the server's own
   * limit holds.
   */
  readonly maxBody?: number;
  /** Most values of the input (`x-max-values`), counted as `JsonLimits` says. */
  readonly maxValues?: number;
  /** Most items of the lists among the fields of the body, by name (`maxItems`). */
  readonly maxItems?: Readonly<Record<string, number>>;
  /** HTTP status of success. */
  readonly status: number;
  /** Statuses of success that a handler may choose instead, by its `Reply`. */
  readonly otherStatuses?: readonly number[];
  readonly parameters: readonly ParameterSpec[];
  /** Content types of the body; empty if there is none. */
  readonly consumes: readonly string[];
  /** True if a JSON body is required although none of its fields is. */
  readonly requiresBody?: boolean;
  /** Content types of the response; empty for 204. */
  readonly produces: readonly string[];
  /** Code for a violation by the input as a whole, if it is not the service's usual one. */
  readonly error?: string;
}

/** The input and output types of one operation. */
export interface Operation<Input, Output> {
  readonly input: Input;
  readonly output: Output;
}

type Merge<T> = { [K in keyof T]: WithLists<T[K]> };

type Scalar = string | number | boolean;

/**
 * A map that requests may fill with single values, which the pipeline converts to a map of lists of texts
 * (`x-scalars`).
 */
interface Scalars {
  [key: string]: Scalar | Scalar[];
}

type Nested = Scalar | { [key: string]: unknown } | null;

/**
 * A map that requests may fill with any values, which the pipeline flattens to a map of lists of texts (`x-flattened`).
 */
interface Flattened {
  [key: string]: Nested | Nested[];
}

/**
 * Such maps as handlers receive them: as fields of the input, and of the items of its lists, where null is an empty
 * one.
 */
type WithLists<T> = IsLoose<Exclude<T, undefined | null>> extends true
  ? Record<string, string[]> | Extract<T, undefined>
  : Exclude<T, undefined> extends (infer Item extends { meta?: Flattened | null })[]
    ? { [K in keyof Item]: K extends 'meta' ? WithLists<Item[K]> : Item[K] }[] | Extract<T, undefined>
  : T;

type IsLoose<T> = [T, Scalars, string] extends [Scalars, T, keyof T] ? true
  : [T, Flattened, string] extends [Flattened, T, keyof T] ? true
  : false;

/**
 * The flat input of an operation: `Parts` is the intersection of its body, path, query and header
 * fields, `Defaulted` names those that the pipeline fills in if they are absent.
 */
export type FlatInput<Parts, Defaulted extends keyof Parts = never> = Merge<
  Omit<Parts, Defaulted> & Required<Pick<Parts, Defaulted>>
>;
