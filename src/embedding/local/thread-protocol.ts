/** What the thread is started with. */
export interface ThreadData {
  /** The package that runs models, as an import names it. */
  readonly library: string;
  /** A hub id or the absolute path of a folder. */
  readonly model: string;
  readonly isFolder: boolean;
  readonly dtype: string;
  readonly maxTokens: number;
  readonly offline: boolean;
  readonly cacheFolder: string;
  /** Where models are downloaded from, when that is not the hub itself. */
  readonly hubUrl: string | undefined;
}

/** `close`: give everything back and end; there is no reply but the thread's end. */
export type ThreadRequest = { readonly op: 'embed'; readonly texts: readonly string[] } | { readonly op: 'close' };

/** What failed: the library could not be imported, the model could not be had, the model ran and failed. */
export type FailedStep = 'import' | 'load' | 'run';

/**
 * Every `embed` gets exactly one `vectors` or `failed`; only one is asked at a time. After a failure
 * to import or load the thread ends. Downloads are told in between.
 */
export type ThreadReply =
  | { readonly op: 'vectors'; readonly values: Float32Array; readonly size: number }
  | { readonly op: 'failed'; readonly step: FailedStep; readonly message: string; readonly missing: boolean }
  | { readonly op: 'download'; readonly file: string; readonly bytes: number; readonly of: number | undefined };
