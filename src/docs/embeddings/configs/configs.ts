import { randomBytes } from 'node:crypto';
import type { Operations } from '../../../../generated/docs/operations.ts';
import type { EmbeddingConfig as ConfigAnswer } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import { type Handlers, pageOf, Reply, type Standing } from '../../../operations/index.ts';
import { type KeyRing, openSecret, type Queries, type Row, sealSecret, SECRETS,
  type Transaction } from '../../../storage/index.ts';
import type { Collections } from '../../collections/index.ts';
import { type DocsEnvironment, transactFor } from '../../environment.ts';
import { keepQuery, requireSecret, shownUrl } from '../../secrets.ts';
import type { CreateProvider } from '../providers.ts';
import type { EmbeddingSettings } from '../settings.ts';
import { checkChoice, complete, type ProviderChoice, urlOf } from './provider-config.ts';

/** A stored configuration: empty texts and 0 mean the provider's defaults. */
export interface EmbeddingConfig {
  readonly id: string;
  readonly name: string;
  readonly provider: 'openai' | 'voyage' | 'local' | 'ollama' | 'builtin' | 'none';
  readonly model: string;
  readonly dimensions: number;
  readonly apiKey: string;
  readonly apiUrl: string;
  readonly isDefault: boolean;
  /** Unix seconds. */
  readonly createdAt: number;
}

interface ConfigRow extends Row {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
  readonly api_key: string;
  readonly api_url: string;
  readonly is_default: number;
  readonly created_at: number;
}

const COLUMNS = 'id, name, provider, model, dimensions, api_key, api_url, is_default, created_at';

/** In the order of their creation. Throws for a credential whose key is not configured. */
export async function readConfigs(queries: Queries, keys: KeyRing | undefined): Promise<EmbeddingConfig[]> {
  return (await queries.all<ConfigRow>(`SELECT ${COLUMNS} FROM embedding_configs ORDER BY seq`)).map((row) =>
    toConfig(row, keys)
  );
}

/** Stores a configuration under its id, replacing an existing one. If it is the default, it becomes the only one. */
async function writeConfig(tx: Transaction, config: EmbeddingConfig, keys: KeyRing | undefined): Promise<void> {
  if (config.isDefault) await tx.run('UPDATE embedding_configs SET is_default = 0 WHERE is_default <> 0');
  const { id, name, provider, model, dimensions, apiKey, apiUrl, isDefault, createdAt } = config;
  await tx.run(`INSERT INTO embedding_configs(${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(id) DO UPDATE SET
       name = excluded.name, provider = excluded.provider, model = excluded.model, dimensions = excluded.dimensions,
       api_key = excluded.api_key, api_url = excluded.api_url, is_default = excluded.is_default`, [id, name, provider,
    model, dimensions, sealSecret(keys, SECRETS.embeddingKey, id, apiKey),
    sealSecret(keys, SECRETS.embeddingUrl, id, apiUrl), Number(isDefault), createdAt]);
}

async function removeConfig(tx: Transaction, id: string): Promise<void> {
  await tx.run('DELETE FROM embedding_configs WHERE id = ?', [id]);
}

function toConfig(row: ConfigRow, keys: KeyRing | undefined): EmbeddingConfig {
  return {
    id: row.id,
    name: row.name,
    provider: row.provider as EmbeddingConfig['provider'],
    model: row.model,
    dimensions: row.dimensions,
    apiKey: openSecret(keys, SECRETS.embeddingKey, row.id, row.api_key),
    apiUrl: openSecret(keys, SECRETS.embeddingUrl, row.id, row.api_url),
    isDefault: row.is_default === 1,
    createdAt: row.created_at,
  };
}

export type ConfigHandlers = Required<
  Pick<Handlers<Operations>,
    'listEmbeddingConfigs' | 'createEmbeddingConfig' | 'getEmbeddingConfig' | 'updateEmbeddingConfig'
      | 'deleteEmbeddingConfig' | 'setDefaultEmbeddingConfig'>
>;

interface ConfigDeps extends Pick<DocsEnvironment, 'sql' | 'feed' | 'clock' | 'keys'> {
  readonly settings: EmbeddingSettings;
  readonly create: CreateProvider;
  readonly collections: Pick<Collections, 'configs'>;
  /** Applies the stored configurations. */
  readonly apply: () => Promise<void>;
}

const MAX_CONFIGS = 1000;

/** The stored default configuration, or the settings of the server if there is none (decisions section 4.3). */
export async function effectiveChoice(
  { sql, keys, settings }: Pick<ConfigDeps, 'sql' | 'keys' | 'settings'>,
): Promise<ProviderChoice> {
  return defaultChoice(await readConfigs(sql, keys), settings);
}

export function defaultChoice(stored: readonly EmbeddingConfig[], settings: EmbeddingSettings): ProviderChoice {
  return stored.find(({ isDefault }) => isDefault) ?? settings;
}

/**
 * Embedding configurations (contract section 4): keys are stored but never returned, nor is the query of an address,
 * which may be one.
 */
export function createConfigHandlers(deps: ConfigDeps): ConfigHandlers {
  const { sql, keys, settings, create, apply } = deps;

  const present = async (config: EmbeddingConfig): Promise<ConfigAnswer> => {
    const { id, name, provider, apiKey, isDefault, createdAt } = config;
    const completed = await complete(config, settings, create);
    return {
      id,
      name,
      provider,
      ...completed,
      apiUrl: shownUrl(completed.apiUrl),
      apiKey: '',
      apiKeySet: apiKey !== '',
      isDefault,
      createdAt,
    };
  };
  const list = async (): Promise<ConfigAnswer[]> => Promise.all((await readConfigs(sql, keys)).map(present));
  const change = async <T>(by: Standing, work: (tx: Transaction) => Promise<T>): Promise<T> => {
    const value = await transactFor(sql, by, work);
    await apply();
    return value;
  };

  return {
    listEmbeddingConfigs: async () => ({ configs: await list() }),
    getEmbeddingConfig: async ({ id }) => present(required(await readConfigs(sql, keys), id)),
    async createEmbeddingConfig({ name, provider, model = '', dimensions = 0, apiKey = '', apiUrl = '', isDefault },
      context)
    {
      const config: EmbeddingConfig = {
        id: newId(),
        name,
        provider,
        model,
        dimensions,
        apiKey,
        apiUrl,
        isDefault,
        createdAt: unixSeconds(deps.clock),
      };
      await checkChoice(config, settings, create);
      await change(context, async (tx) => {
        if ((await readConfigs(tx, keys)).length >= MAX_CONFIGS)
          throw new ServiceError('invalid_argument', `at most ${MAX_CONFIGS} embedding configurations are kept`);
        await store(deps, tx, config);
      });
      return pageOf('configs', new Reply({ ...(await present(config)), configs: await list() }), {}, context.budget);
    },
    async updateEmbeddingConfig({ id, ...given }, context) {
      return present(await change(context, async (tx) => {
        const stored = required(await readConfigs(tx, keys), id);
        const config = merge(stored, {
          ...given,
          ...(given.apiUrl !== undefined && { apiUrl: keepQuery(stored.apiUrl, given.apiUrl) }),
        });
        await checkChoice(config, settings, create);
        requireSecret({ secret: 'apiKey', target: 'apiUrl' }, { secret: stored.apiKey, target: urlOf(stored) }, {
          secret: given.apiKey,
          target: urlOf(config),
        });
        await store(deps, tx, config);
        return config;
      }));
    },
    async deleteEmbeddingConfig({ id }, context) {
      await change(context, async (tx) => {
        required(await readConfigs(tx, keys), id);
        requireUnnamed(deps.collections, id);
        await removeConfig(tx, id);
        await deps.feed.append(tx, [{ kind: 'embedding_config.delete', collection: '', key: id }]);
      });
    },
    async setDefaultEmbeddingConfig({ id }, context) {
      const { name } = await change(context, async (tx) => {
        const config = required(await readConfigs(tx, keys), id);
        await store(deps, tx, { ...config, isDefault: true });
        return config;
      });
      return { message: `${name} is the default embedding configuration` };
    },
  };
}

/** The feed does not contain the API key; followers read it from the table. */
async function store({ feed, keys }: ConfigDeps, tx: Transaction, config: EmbeddingConfig): Promise<void> {
  await writeConfig(tx, config, keys);
  await feed.append(tx, [{ kind: 'embedding_config.put', collection: '', key: config.id }]);
}

type Changes = { readonly [K in keyof Omit<EmbeddingConfig, 'id' | 'createdAt'>]?: EmbeddingConfig[K] | undefined };

/** Absent fields stay, and an empty key keeps the stored one. */
function merge(stored: EmbeddingConfig, { apiKey, ...changes }: Changes): EmbeddingConfig {
  const fields = ['name', 'provider', 'model', 'dimensions', 'apiUrl', 'isDefault'] as const;
  const given = fields.filter((field) => changes[field] !== undefined).map((field) => [field, changes[field]]);
  return { ...stored, ...(Object.fromEntries(given) as Partial<EmbeddingConfig>), apiKey: apiKey || stored.apiKey };
}

function required(configs: readonly EmbeddingConfig[], id: string): EmbeddingConfig {
  const found = configs.find((config) => config.id === id);
  if (found === undefined) throw new ServiceError('not_found', 'not found');
  return found;
}

/** Throws `invalid_argument` for a configuration that a field of a collection names. */
function requireUnnamed(collections: Pick<Collections, 'configs'>, id: string): void {
  for (const [collection, { vectors = {} }] of collections.configs()) {
    const field = Object.keys(vectors).find((name) => vectors[name]!.embedding === id);
    if (field === undefined) continue;
    throw new ServiceError('invalid_argument',
      `the vector field ${field} of the collection ${collection} names this configuration; remove the field first`);
  }
}

/** The prefix tells a reader of a log what the id names. */
function newId(): string {
  return `cfg_${randomBytes(12).toString('hex')}`;
}
