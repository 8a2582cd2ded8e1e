import { type KeyRing, openSecret, type Queries, type Row, sealSecret, SECRETS,
  type Transaction } from '../../../storage/index.ts';

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
export async function writeConfig(tx: Transaction, config: EmbeddingConfig, keys: KeyRing | undefined): Promise<void> {
  if (config.isDefault) await tx.run('UPDATE embedding_configs SET is_default = 0 WHERE is_default <> 0');
  const { id, name, provider, model, dimensions, apiKey, apiUrl, isDefault, createdAt } = config;
  await tx.run(`INSERT INTO embedding_configs(${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(id) DO UPDATE SET
       name = excluded.name, provider = excluded.provider, model = excluded.model, dimensions = excluded.dimensions,
       api_key = excluded.api_key, api_url = excluded.api_url, is_default = excluded.is_default`, [id, name, provider,
    model, dimensions, sealSecret(keys, SECRETS.embeddingKey, id, apiKey),
    sealSecret(keys, SECRETS.embeddingUrl, id, apiUrl), Number(isDefault), createdAt]);
}

export async function removeConfig(tx: Transaction, id: string): Promise<void> {
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
