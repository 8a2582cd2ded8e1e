/** Options with which the thread is started. */
export interface ThreadData {
  /** The package that runs models, as an import specifier. */
  readonly library: string;
  /** A hub id or the absolute path of a folder. */
  readonly model: string;
  readonly isFolder: boolean;
  readonly dtype: string;
  readonly maxTokens: number;
  readonly offline: boolean;
  readonly cacheFolder: string;
  /** Where models are downloaded from, if not from the hub itself. */
  readonly hubUrl: string | undefined;
}

/** `close`: release everything and end; there is no reply except the end of the thread. */
export type ThreadRequest = { readonly op: 'embed'; readonly texts: readonly string[] } | { readonly op: 'close' };

/** Which step failed: importing the library, loading the model, or running it. */
export type FailedStep = 'import' | 'load' | 'run';

/**
 * Every `embed` receives exactly one `vectors` or `failed`; only one `embed` is in progress at a time. After a failure
 * to import or load, the thread ends. Downloads are reported in between.
 */
export type ThreadReply = { readonly op: 'vectors'; readonly values: Float32Array; readonly size: number } | {
  readonly op: 'failed';
  readonly step: FailedStep;
  readonly message: string;
  readonly missing: boolean;
} | { readonly op: 'download'; readonly file: string; readonly bytes: number; readonly of: number | undefined };
