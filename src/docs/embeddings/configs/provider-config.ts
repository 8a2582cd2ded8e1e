import { DEFAULT_URLS, type EmbeddingProvider, type ProviderConfig } from '../../../embedding/index.ts';
import { ServiceError } from '../../../errors/index.ts';
import { ConfigError } from '../../../lib/setting-values.ts';
import type { CreateProvider } from '../providers.ts';
import type { EmbeddingSettings } from '../settings.ts';
import type { EmbeddingConfig } from './configs.ts';

/** The part of a configuration that says how to embed. */
export type ProviderChoice = Pick<EmbeddingConfig, 'provider' | 'model' | 'dimensions' | 'apiKey' | 'apiUrl'>;

/** The part that only the server's settings decide. */
type ServerPart = Pick<EmbeddingSettings, 'offline' | 'cacheFolder'>;

/**
 * Undefined for `none`. A choice that is not the server's own was stored by a user, who is not trusted with the
 * server's network and disk.
 */
export function toProviderConfig(choice: ProviderChoice, server: ServerPart): ProviderConfig | undefined {
  const { provider, model, dimensions, apiKey, apiUrl } = choice;
  const { offline, cacheFolder } = server;
  if (provider === 'none') return undefined;
  return {
    provider,
    model,
    dimensions,
    apiKey,
    apiUrl,
    offline,
    untrusted: choice !== (server as object),
    cacheFolder,
  };
}

/**
 * Throws for a configuration that cannot work, naming each field. Makes no network calls: whether the provider accepts
 * the configuration shows at the first call.
 */
export async function checkChoice(choice: ProviderChoice, server: ServerPart, create: CreateProvider): Promise<void> {
  if (hasCredentials(choice.apiUrl))
    throw new ServiceError('invalid_argument', 'apiUrl must not hold a user name or password: it is shown to readers');
  const { provider, apiKey } = choice;
  if ((provider === 'openai' || provider === 'voyage') && apiKey === '')
    throw new ServiceError('missing_fields', 'missing fields: apiKey');
  const config = toProviderConfig(choice, server);
  if (config !== undefined) await tryOut(config, create).then((made) => made.close());
}

/**
 * Throws a `ConfigError` when the settings name a provider that cannot work; its problems name the environment
 * variables.
 */
export async function checkSettings(settings: EmbeddingSettings, create: CreateProvider): Promise<void> {
  const config = toProviderConfig(settings, settings);
  if (config === undefined) return;
  try {
    await create(config).close();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(
      error.problems.map((problem) => problem.replace(/^(\w+)(?=: )/, (field) => VARIABLES[field] ?? field)),
    );
  }
}

const VARIABLES: Readonly<Record<string, string>> = {
  provider: 'SVC_EMBEDDING_PROVIDER',
  apiKey: 'SVC_EMBEDDING_API_KEY',
  apiUrl: 'SVC_EMBEDDING_API_URL',
  model: 'SVC_EMBEDDING_MODEL',
  dimensions: 'SVC_EMBEDDING_DIMENSIONS',
};

async function tryOut(config: ProviderConfig, create: CreateProvider): Promise<EmbeddingProvider> {
  try {
    return create(config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { problems } = error;
    throw new ServiceError('invalid_argument', problems.join('; '), {
      cause: error,
      ...(problems.length > 1 && { errors: problems }),
    });
  }
}

function hasCredentials(apiUrl: string): boolean {
  const url = URL.parse(apiUrl);
  return url !== null && (url.username !== '' || url.password !== '');
}

/** Providers that run in this process have no address. */
const OWN_URLS: Readonly<Record<EmbeddingConfig['provider'], string>> = {
  ...DEFAULT_URLS,
  local: '',
  builtin: '',
  none: '',
};

/** The address of the provider; empty for one without network calls. */
export function urlOf({ provider, apiUrl }: Pick<ProviderChoice, 'provider' | 'apiUrl'>): string {
  return apiUrl || OWN_URLS[provider];
}

/** The choice, with the provider's own model, size and address for those that are not set. */
export async function complete(choice: ProviderChoice, server: ServerPart,
  create: CreateProvider): Promise<Pick<EmbeddingConfig, 'model' | 'dimensions' | 'apiUrl'>>
{
  const apiUrl = urlOf(choice);
  const { model, dimensions } = choice;
  const config = toProviderConfig(choice, server);
  if (config === undefined || (model !== '' && dimensions !== 0)) return { model, dimensions, apiUrl };
  try {
    const provider = create(config);
    await provider.close();
    return { model: provider.model, dimensions: dimensions || provider.dimensions, apiUrl };
  } catch {
    return { model, dimensions, apiUrl }; // a configuration that this build refuses is shown as it is stored
  }
}
