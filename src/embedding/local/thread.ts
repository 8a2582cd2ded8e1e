/**
 * The worker thread that runs a model with @huggingface/transformers. The library is imported and the model loaded with
 * the first texts. A thread that cannot load its model ends, so that the next one starts afresh, because the library
 * caches failed lookups.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { FailedStep, ThreadData, ThreadReply, ThreadRequest } from './model-client.ts';

// The used part of the library's interface, declared here because the package is optional.
interface Library {
  readonly env: {
    logLevel: number;
    allowRemoteModels: boolean;
    allowLocalModels: boolean;
    localModelPath: string;
    useFSCache: boolean;
    cacheDir: string | null;
    remoteHost: string;
    fetch: typeof fetch;
  };
  readonly LogLevel: { readonly ERROR: number };
  pipeline(task: 'feature-extraction', model: string, options: object): Promise<Extractor>;
}

interface Extractor {
  (texts: readonly string[],
    options: { pooling: 'mean'; normalize: true }
  ): Promise<{ readonly data: ArrayLike<number>; readonly dims: readonly number[] }>;
  readonly tokenizer: { readonly model_max_length: number };
  readonly model: { readonly config: { readonly max_position_embeddings?: number } };
  dispose(): Promise<unknown>;
}

const data = workerData as ThreadData;
const port = parentPort!;
const closing = new AbortController();
let extractor: Extractor | undefined;
let underWay: Promise<void> = Promise.resolve();
let step: FailedStep = 'import';

port.on('message', (request: ThreadRequest) => {
  if (request.op === 'embed') underWay = answer(request.texts);
  else void close();
});

async function answer(texts: readonly string[]): Promise<void> {
  try {
    extractor ??= await load();
    const { data: values, dims } = await extractor(texts, { pooling: 'mean', normalize: true });
    const copy = Float32Array.from(values);
    port.postMessage({ op: 'vectors', values: copy, size: dims.at(-1)! } satisfies ThreadReply, [copy.buffer]);
  } catch (error) {
    port.postMessage({ op: 'failed', step, ...describe(error) } satisfies ThreadReply);
    if (step !== 'run') port.close();
  }
}

async function load(): Promise<Extractor> {
  const { env, LogLevel, pipeline } = (await import(data.library)) as Library;
  step = 'load';
  Object.assign(env, {
    logLevel: LogLevel.ERROR,
    allowRemoteModels: !data.offline && !data.isFolder,
    allowLocalModels: data.isFolder || data.offline, // at least one of the two must be allowed
    localModelPath: data.cacheFolder,
    useFSCache: !data.isFolder,
    cacheDir: data.cacheFolder,
    fetch: watchedFetch((download) => port.postMessage({ op: 'download', ...download } satisfies ThreadReply),
      closing.signal),
    ...(data.hubUrl === undefined ? {} : { remoteHost: data.hubUrl }),
  });
  const loaded = await pipeline('feature-extraction', data.model, {
    dtype: data.dtype,
    device: 'cpu',
    local_files_only: data.offline || data.isFolder,
    session_options: { logSeverityLevel: 3 }, // errors only
  });
  if (typeof loaded.tokenizer !== 'function') throw new Error('the model has no tokenizer');
  limitTokens(loaded);
  step = 'run';
  return loaded;
}

/**
 * Longer texts are truncated. Many tokenizers state no limit of their own, and the model would then fail on positions
 * that it does not have.
 */
function limitTokens({ tokenizer, model }: Extractor): void {
  const limit = Math.min(data.maxTokens, tokenizer.model_max_length, model.config.max_position_embeddings ?? Infinity);
  Object.defineProperty(tokenizer, 'model_max_length', { value: limit });
}

function describe(error: unknown): { message: string; missing: boolean } {
  const { name, message, code, cause } = error as NodeJS.ErrnoException;
  const missing = name === 'ModelFileNotFoundError' || code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  return { message: cause instanceof Error ? `${message}: ${cause.message}` : message, missing };
}

/**
 * Waits for work in progress, because ending a thread within a call of the native runtime ends the whole process. Does
 * not wait for downloads.
 */
async function close(): Promise<void> {
  closing.abort();
  await underWay;
  await extractor?.dispose();
  port.close();
}

interface Download {
  readonly file: string;
  /** Bytes so far. */
  readonly bytes: number;
  /** Total bytes, if the server states it. */
  readonly of: number | undefined;
}

// Tokenizers and configurations are too small to log.
const WORTH_TELLING_BYTES = 8 * 1024 * 1024;
const STEPS = 10;

/** A `fetch` that reports large downloads, at their start and at every tenth, and aborts them with the signal. */
function watchedFetch(onProgress: (download: Download) => void, signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, signal });
    const length = Number(response.headers.get('Content-Length') ?? Number.NaN);
    if (!response.ok || response.body === null || response.status === 206 || length < WORTH_TELLING_BYTES)
      return response;
    const file = new URL(input instanceof Request ? input.url : input).pathname.split('/').pop()!;
    const of = Number.isNaN(length) ? undefined : length;
    return new Response(response.body.pipeThrough(counting((bytes) => onProgress({ file, bytes, of }), of)), response);
  };
}

function counting(onProgress: (bytes: number) => void,
  of: number | undefined): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>
{
  const step = (of ?? 10 * WORTH_TELLING_BYTES) / STEPS;
  let bytes = 0;
  let next = of === undefined ? WORTH_TELLING_BYTES : 0;
  return new TransformStream({
    transform(chunk, controller) {
      if (bytes >= next) {
        onProgress(bytes);
        next = (Math.floor(bytes / step) + 1) * step;
      }
      bytes += chunk.length;
      controller.enqueue(chunk);
    },
  });
}
