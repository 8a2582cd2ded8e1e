import { join } from 'node:path';
import { systemTimer } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { ConfigError } from '../lib/setting-values.ts';
import { HASHED_DIMENSIONS, HASHED_MODEL, HASHED_VARIANT, HashedProvider } from './builtin/hashed-provider.ts';
import { STATIC_DIMENSIONS, STATIC_MODEL, STATIC_VARIANT, StaticProvider } from './builtin/static-provider.ts';
import { type Defaults, nativeDimensions, OLLAMA, OPENAI, VOYAGE } from './defaults.ts';
import { LocalProvider } from './local/local-provider.ts';
import type { EmbeddingProvider, ProviderConfig, ProviderDeps } from './provider.ts';
import { endpoint } from './remote/post-json.ts';
import { canShorten, ollamaFormat, openAiFormat, type RemoteFormat, RemoteProvider,
  voyageFormat } from './remote/remote-provider.ts';
import { MOST_DIMENSIONS, VectorSize } from './usable-vector.ts';

/**
 * Creates the provider of a configuration. Makes no request: the first call shows whether key, URL and model are right.
 * Throws ConfigError, whose problems name the fields, for a configuration that cannot work.
 */
export function createEmbeddingProvider(config: ProviderConfig, deps: ProviderDeps = {}): EmbeddingProvider {
  const given = withoutEmpty(config);
  const problems = problemsOf(given);
  if (problems.length > 0) throw new ConfigError(problems);
  if (given.provider === 'builtin') return given.model === HASHED_MODEL ? new HashedProvider() : new StaticProvider();
  if (given.provider === 'local' && given.apiUrl === undefined) return inProcess(given, deps);
  return remote(given, deps);
}

function withoutEmpty(config: ProviderConfig): ProviderConfig {
  const { provider, offline, apiKey, apiUrl, model, dimensions, cacheFolder, untrusted } = config;
  return {
    provider,
    offline,
    untrusted,
    apiKey: apiKey?.trim() || undefined, // keys may come from files that end in a line break
    apiUrl: apiUrl?.trim() || undefined,
    model: model?.trim() || undefined,
    dimensions: dimensions || undefined,
    cacheFolder: cacheFolder || undefined,
  };
}

function problemsOf({ provider, apiKey, apiUrl, model, dimensions }: ProviderConfig): string[] {
  const problems: string[] = [];
  const hosted = provider === 'openai' || provider === 'voyage';
  if (!['openai', 'voyage', 'local', 'ollama', 'builtin'].includes(provider))
    problems.push(`provider: expected openai, voyage, local or builtin, got ${JSON.stringify(provider)}`);
  if (hosted && apiKey === undefined) problems.push(`apiKey: required by the provider ${provider}`);
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    problems.push('apiKey: expected printable ASCII characters without spaces');
  if (apiUrl !== undefined && !isHttpUrl(apiUrl)) problems.push('apiUrl: expected the URL of an HTTP server');
  if (model !== undefined && /\p{Cc}/u.test(model)) problems.push('model: expected a name without control characters');
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= MOST_DIMENSIONS)) {
    problems.push(`dimensions: expected an integer from 1 to ${MOST_DIMENSIONS}, got ${dimensions}`);
  }
  if (provider !== 'builtin') return problems;
  const size = BUILTIN.get(model ?? STATIC_MODEL);
  if (size === undefined)
    problems.push(`model: the provider builtin has ${[...BUILTIN.keys()].join(' and ')}, got "${model}"`);
  else if (dimensions !== undefined && dimensions !== size)
    problems.push(`dimensions: the model ${model ?? STATIC_MODEL} has ${size}, got ${dimensions}`);
  return problems;
}

/** Models that are included in the package, with their dimensions; the first one is the default. */
const BUILTIN: ReadonlyMap<string, number> = new Map([[STATIC_MODEL, STATIC_DIMENSIONS], [HASHED_MODEL,
  HASHED_DIMENSIONS]]);

/** Whether vectors are of a model of the provider `builtin`, which is always available. */
export function isBuiltinModel({ model, variant }: { readonly model: string; readonly variant: string }): boolean {
  return (model === STATIC_MODEL && variant === STATIC_VARIANT) ||
    (model === HASHED_MODEL && variant === HASHED_VARIANT);
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}

function inProcess(
  { model, dimensions, offline = false, cacheFolder = join('data', 'models'), untrusted = false }: ProviderConfig,
  deps: ProviderDeps,
): EmbeddingProvider {
  return new LocalProvider({
    model,
    dimensions,
    offline,
    cacheFolder,
    mayBeFolder: !untrusted,
    timer: deps.timer ?? systemTimer,
    log: deps.log ?? silentLog,
  });
}

interface Remote {
  readonly name: 'openai' | 'voyage' | 'local';
  readonly defaults: Defaults;
  readonly format: (model: string, dimensions: number | undefined) => RemoteFormat;
}

const REMOTES: Readonly<Record<'openai' | 'voyage' | 'local', Remote>> = {
  openai: { name: 'openai', defaults: OPENAI, format: openAiFormat },
  voyage: { name: 'voyage', defaults: VOYAGE, format: voyageFormat },
  local: { name: 'local', defaults: OLLAMA, format: ollamaFormat },
};

function remote({ provider, apiKey, apiUrl, model: asked, dimensions }: ProviderConfig,
  deps: ProviderDeps): EmbeddingProvider
{
  const { name, defaults, format } = REMOTES[provider === 'openai' || provider === 'voyage' ? provider : 'local'];
  const { fetch = globalThis.fetch, timer = systemTimer, random = Math.random, log = silentLog } = deps;
  const model = asked ?? defaults.model;
  const native = nativeDimensions(model);
  return new RemoteProvider({
    name,
    model,
    size: new VectorSize(dimensions ?? native, defaults.dimensions),
    variant: name === 'openai' && canShorten(model) && dimensions !== undefined && dimensions !== native
      ? [`dimensions=${dimensions}`]
      : [],
    format: format(model, dimensions),
    // By the contract, only hosted providers receive a key: one that was left over is sent to no other.
    sender: {
      provider: name,
      endpoint: endpoint(apiUrl ?? defaults.url, name === 'local' ? undefined : apiKey),
      fetch,
      timer,
    },
    retry: { timer, random, log: log.child({ provider: name, model }) },
  });
}
