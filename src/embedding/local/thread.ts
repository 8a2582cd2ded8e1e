/**
 * The worker thread that runs a model with @huggingface/transformers. The library is imported and the model loaded with
 * the first texts. A thread that cannot load its model ends, so that the next one starts afresh, because the library
 * caches failed lookups.
 */
import { existsSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { EmbeddingRole } from '../provider.ts';
import { withPrefix } from '../usable-vector.ts';
import type { FailedStep, ThreadData, ThreadReply, ThreadRequest } from './model-client.ts';
import { type ModelProfile, PROFILE_FILES, readProfile } from './model-profile.ts';

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
    options: { pooling: ModelProfile['pooling']; normalize: true }
  ): Promise<{ readonly data: ArrayLike<number>; readonly dims: readonly number[] }>;
  readonly tokenizer: { readonly model_max_length: number };
  dispose(): Promise<unknown>;
}

const data = workerData as ThreadData;
const port = parentPort!;
const closing = new AbortController();
let loaded: { readonly extractor: Extractor; readonly profile: ModelProfile } | undefined;
let underWay: Promise<void> = Promise.resolve();
let step: FailedStep = 'import';

port.on('message', (request: ThreadRequest) => {
  if (request.op === 'embed') underWay = answer(request.texts, request.role);
  else void close();
});

async function answer(texts: readonly string[], role: EmbeddingRole): Promise<void> {
  try {
    loaded ??= await load();
    const { values, size } = await embed(texts, role, loaded);
    port.postMessage({ op: 'vectors', values, size } satisfies ThreadReply, [values.buffer]);
  } catch (error) {
    port.postMessage({ op: 'failed', step, ...describe(error) } satisfies ThreadReply);
    if (step !== 'run') port.close();
  }
}

async function embed(texts: readonly string[], role: EmbeddingRole,
  { extractor, profile: { pooling, prefixes, isLowerCase } }: NonNullable<typeof loaded>
): Promise<{ values: Float32Array<ArrayBuffer>; size: number }> {
  const prefixed = withPrefix(texts, role, prefixes).map((text) => (isLowerCase ? text.toLowerCase() : text));
  // Behind the last token of a short text would be padding.
  const batches = pooling === 'last_token' ? prefixed.map((text) => [text]) : [prefixed];
  const vectors: Float32Array[] = [];
  let size = 0;
  for (const batch of batches) {
    const { data: values, dims } = await extractor(batch, { pooling, normalize: true });
    vectors.push(Float32Array.from(values));
    size = dims.at(-1)!;
  }
  const values = new Float32Array(size * texts.length);
  let at = 0;
  for (const vector of vectors) {
    values.set(vector, at);
    at += vector.length;
  }
  return { values, size };
}

async function load(): Promise<NonNullable<typeof loaded>> {
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
  const extractor = await pipeline('feature-extraction', data.model, {
    dtype: data.dtype,
    device: 'cpu',
    local_files_only: data.offline || data.isFolder,
    use_external_data_format: (await hasWeightsBeside(env)) || null, // null: as its configuration says
    session_options: { logSeverityLevel: 3 }, // errors only
  });
  if (typeof extractor.tokenizer !== 'function') throw new Error('the model has no tokenizer');
  for (const file of PROFILE_FILES) await fetchOnce(env, file);
  step = 'check';
  const profile = readProfile(data.folder, data.name);
  if (profile.problem !== undefined) throw new Error(profile.problem);
  limitTokens(extractor, profile);
  step = 'run';
  port.postMessage({ op: 'loaded', profile } satisfies ThreadReply);
  return { extractor, profile };
}

type Hub = Pick<Library['env'], 'remoteHost' | 'fetch'>;

const urlOf = ({ remoteHost }: Hub, file: string): string =>
  new URL(`${data.model}/resolve/main/${file}`, remoteHost).href;

/** A graph without its weights is smaller than any model with them. */
const GRAPH_BYTES = 8 * 1024 * 1024;

/** Large models have their weights in a second file, about which few configurations tell. */
async function hasWeightsBeside(hub: Hub): Promise<boolean> {
  const [model, weights] = ['onnx/model.onnx', 'onnx/model.onnx_data'];
  if (data.dtype !== 'fp32') return false;
  if (existsSync(join(data.folder, weights))) return true;
  const found = statSync(join(data.folder, model), { throwIfNoEntry: false });
  if (data.isFolder || data.offline || (found !== undefined && found.size > GRAPH_BYTES)) return false;
  // If the hub cannot be reached, the library says so, unless it has the model.
  return hub.fetch(urlOf(hub, weights), { method: 'HEAD' }).then(({ ok }) => ok, () => false);
}

/**
 * Downloads a small file of the model, beside those that the library has downloaded. One that the hub does not have is
 * kept as an empty object, so that the hub is not asked for it again.
 */
async function fetchOnce(hub: Hub, file: string): Promise<void> {
  const path = join(data.folder, file);
  if (data.isFolder || data.offline || existsSync(path)) return;
  const response = await hub.fetch(urlOf(hub, file));
  if (!response.ok && response.status !== 404) throw new Error(`${file}: HTTP status ${response.status}`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, response.ok ? await response.text() : '{}');
}

/**
 * Longer texts are truncated. Many tokenizers state no limit of their own, and the model would then fail on positions
 * that it does not have.
 */
function limitTokens({ tokenizer }: Extractor, { maxTokens = Infinity }: ModelProfile): void {
  const limit = Math.min(data.maxTokens, tokenizer.model_max_length, maxTokens);
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
  await loaded?.extractor.dispose();
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
