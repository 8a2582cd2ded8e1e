import type { Operations } from '../../../generated/docs/operations.ts';
import type { FullTextAlgorithm, Fuzziness } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import type { OutputOf } from '../../operations/index.ts';
import { type KeyRing, openSecret, sealSecret, type SecretPart, SECRETS } from '../../storage/index.ts';
import { keepQuery, requireSecret, shownUrl } from '../secrets.ts';
import { checkDefaultField, type FieldChanges, mergeFields, type VectorFields } from './vector-fields.ts';

/** How a collection is stored, searched and shown (contract section 2); absent fields have their defaults. */
export interface CollectionConfig {
  readonly type?: string;
  readonly description?: string;
  readonly icon?: string;
  readonly color?: string;
  readonly customMeta?: Readonly<Record<string, unknown>>;
  readonly storageBackend?: StorageBackend;
  readonly storageConfig?: StorageConfig;
  /** Number of newest revisions kept of each document; 0 or absent keeps all. */
  readonly maxRevisions?: number;
  readonly retrieval?: Retrieval;
  readonly responsePrompt?: string;
  readonly trackAccess?: boolean;
  readonly trackHot?: boolean;
  readonly spellCorrect?: boolean;
  readonly spellLang?: string;
  readonly quantization?: 'float32' | 'int8' | 'int4';
  readonly diskOnlyVectors?: boolean;
  readonly encrypted?: boolean;
  /** In how many parts it is indexed; 1 when absent. */
  readonly partitions?: number | 'auto';
  readonly wordpress?: WordPress;
  /** The declared fields of vectors. */
  readonly vectors?: VectorFields;
  /** The field of a provider that searches compare unless they name one. */
  readonly defaultVectorField?: string;
  /** Whether documents get vectors of the server's provider; true when absent. */
  readonly serverVectors?: boolean;
}

/** `boltdb` is the historical name of the local database. */
type StorageBackend = 'boltdb' | 'memory' | 's3';

interface StorageConfig {
  readonly endpoint?: string;
  readonly bucket?: string;
  readonly region?: string;
  readonly accessKey?: string;
  readonly secretKey?: string;
  readonly prefix?: string;
  readonly useTLS?: boolean;
}

interface WordPress {
  readonly url?: string;
  readonly apiKey?: string;
}

/** Defaults of searches in the collection. */
export interface Retrieval {
  readonly defaultSearchType?: 'fts' | 'vector' | 'hybrid';
  readonly topK?: number;
  readonly retrievalMode?: 'parent' | 'chunk' | 'window';
  readonly hybridStrategy?: 'alpha' | 'rrf';
  readonly hybridAlpha?: number;
  /** Whether `hybridAlpha` counts. */
  readonly hybridAlphaSet?: boolean;
  readonly oversample?: number;
  /** Tokens, estimated as bytes divided by 4. */
  readonly contextTokenBudget?: number;
  readonly algorithm?: FullTextAlgorithm;
  /** By field, for `bm25f`. */
  readonly fieldWeights?: Readonly<Record<string, number>>;
  readonly rerank?: boolean;
  readonly fuzzy?: Fuzziness;
  /** The only fields in which words are searched. */
  readonly searchableFields?: readonly string[];
}

/** The weight of the semantic side that the profile sets; undefined if there is none or it is turned off. */
export function hybridAlphaOf({ hybridAlpha, hybridAlphaSet }: Retrieval): number | undefined {
  return hybridAlphaSet === true ? hybridAlpha : undefined;
}

/** Every field; other fields of a request are not stored. */
const FIELDS = ['type', 'description', 'icon', 'color', 'customMeta', 'storageBackend', 'storageConfig', 'maxRevisions',
  'retrieval', 'responsePrompt', 'trackAccess', 'trackHot', 'spellCorrect', 'spellLang', 'quantization',
  'diskOnlyVectors', 'encrypted', 'partitions', 'wordpress', 'vectors', 'defaultVectorField',
  'serverVectors'] as const satisfies readonly (keyof CollectionConfig)[];

/** Every field of the retrieval profile. */
const RETRIEVAL_FIELDS = ['defaultSearchType', 'topK', 'retrievalMode', 'hybridStrategy', 'hybridAlpha',
  'hybridAlphaSet', 'oversample', 'contextTokenBudget', 'algorithm', 'fieldWeights', 'rerank', 'fuzzy',
  'searchableFields'] as const satisfies readonly (keyof Retrieval)[];

/** What the rules between fields depend on, besides the configuration. */
interface ConfigCapabilities {
  /** Whether a key for encryption at rest is configured. */
  readonly encryptionKey: boolean;
  /** Whether bodies can be stored outside of the database. */
  readonly bodies: boolean;
  /** Whether other processes read the data that this one stores. */
  readonly isNode?: boolean;
}

/** Throws if the fields of a merged configuration contradict each other, the server or this build. */
export function checkConfig(config: CollectionConfig,
  { encryptionKey, bodies, isNode = false }: ConfigCapabilities): void
{
  if (config.encrypted && !encryptionKey) {
    throw new ServiceError('invalid_argument',
      'encrypted needs an encryption key, and none is configured (SVC_ENCRYPTION_KEY)');
  }
  const { quantization } = config;
  if (config.diskOnlyVectors && quantization !== 'int8' && quantization !== 'int4') {
    throw new ServiceError('invalid_argument',
      `diskOnlyVectors needs quantization int8 or int4, got ${quantization ?? 'float32'}`);
  }
  checkDefaultField(config);
  checkBackend(config, bodies);
  if (isNode && config.storageBackend === 'memory')
    throw new ServiceError('invalid_argument',
      'storageBackend memory: several nodes share this database, and the memory of one is not that of the others; ' +
        'use boltdb or s3');
}

/** A collection must not lose writes to a place that does not exist. */
function checkBackend({ storageBackend = 'boltdb', storageConfig }: CollectionConfig, bodies: boolean): void {
  if (storageBackend === 's3') {
    const missing = (['endpoint', 'bucket'] as const).filter((field) => !storageConfig?.[field]);
    if (missing.length > 0)
      throw new ServiceError('missing_fields', `missing fields: ${
        missing.map((field) => `storageConfig.${field}`).join(', ')
      }`);
  }
  if (storageBackend !== 'boltdb' && !bodies) {
    throw new ServiceError('invalid_argument',
      `storageBackend ${storageBackend}: this server keeps bodies in its database only (boltdb)`);
  }
}

/** The fields to change, with values of the types of the configuration; null removes a field, absent fields stay. */
export type ConfigChanges = { readonly [K in (typeof FIELDS)[number]]?: unknown };

type Block = Readonly<Record<string, unknown>>;

/**
 * Applies a write to a stored configuration: `retrieval` and `vectors` are merged field by field, every other field is
 * replaced as a whole.
 */
export function mergeConfig(stored: CollectionConfig, changes: ConfigChanges): CollectionConfig {
  const merged = FIELDS.map((field) => [field, mergeField(field, stored[field], changes[field])] as const);
  return withoutAbsent(Object.fromEntries(merged));
}

function mergeField(field: (typeof FIELDS)[number], stored: unknown, change: unknown): unknown {
  if (change === undefined) return stored;
  if (change === null) return undefined;
  if (hasCredential(field)) return withoutAbsent(keepCredential(field, stored as Block | undefined, change as Block));
  if (field === 'vectors') return mergeFields(stored as VectorFields | undefined, change as FieldChanges);
  return field === 'retrieval'
    ? withoutAbsent({ ...(stored as Block | undefined), ...knownRetrieval(change as Block) })
    : change;
}

/** A weight of hybrid search counts only with its flag (contract section 2), so a write of the weight alone sets it. */
function knownRetrieval(change: Block): Block {
  const known: Block = Object.fromEntries(
    RETRIEVAL_FIELDS.filter((field) => field in change).map((field) => [field, change[field]]),
  );
  const { hybridAlpha, hybridAlphaSet } = known;
  return hybridAlpha === undefined || hybridAlphaSet != null
    ? known
    : { ...known, hybridAlphaSet: hybridAlpha === null ? null : true };
}

/** Drops fields that are undefined or null. */
function withoutAbsent(block: Block): Block {
  return Object.fromEntries(Object.entries(block).filter(([, value]) => value != null));
}

/** A configuration as readers see it: defaults filled in, credentials masked. */
type PresentedConfig = OutputOf<Operations, 'getCollectionConfig'>['config'];

const DEFAULTS = {
  type: 'default',
  description: '',
  icon: '',
  color: '',
  customMeta: {},
  storageBackend: 'boltdb',
  maxRevisions: 0,
  retrieval: {},
  responsePrompt: '',
  trackAccess: false,
  trackHot: false,
  spellCorrect: false,
  spellLang: '',
  quantization: 'float32',
  diskOnlyVectors: false,
  encrypted: false,
  partitions: 1,
} as const satisfies CollectionConfig;

const STORAGE_DEFAULTS = { endpoint: '', bucket: '', region: '', accessKey: '', prefix: '', useTLS: false };

/** The response of `GET /v1/collection-config` (contract section 2): it never contains a credential. */
export function presentConfig(collection: string, config: CollectionConfig): PresentedConfig {
  const { storageConfig, wordpress, ...rest } = config;
  return {
    collection,
    ...DEFAULTS,
    ...rest,
    ...(storageConfig && { storageConfig: maskCredential('storageConfig', { ...STORAGE_DEFAULTS, ...storageConfig }) }),
    ...(wordpress && { wordpress: maskCredential('wordpress', { url: '', ...wordpress }) }),
  } as PresentedConfig;
}

/**
 * The blocks that contain a credential: its field, the field of the address to which it is sent, and the flag that
 * tells readers whether it is set.
 */
const CREDENTIALS = {
  storageConfig: { field: 'secretKey', target: 'endpoint', flag: 'secretKeySet' },
  wordpress: { field: 'apiKey', target: 'url', flag: 'apiKeySet' },
} as const;

type CredentialBlock = keyof typeof CREDENTIALS;

function hasCredential(field: string): field is CredentialBlock {
  return Object.hasOwn(CREDENTIALS, field);
}

/**
 * The block to store: an empty or absent credential keeps the stored one, for the address for which it was given. The
 * flag is output only.
 */
function keepCredential(name: CredentialBlock, stored: Block | undefined, written: Block): Block {
  const { field, target, flag } = CREDENTIALS[name];
  const { [field]: given, [flag]: _flag, ...others } = written;
  const to = others[target];
  const rest = typeof to === 'string'
    ? { ...others, [target]: keepQuery(stored?.[target] as string | undefined, to) }
    : others;
  const valuesOf = (block: Block = {}) => ({
    secret: block[field] as string | undefined,
    target: block[target] as string | undefined,
  });
  requireSecret({ secret: `${name}.${field}`, target: `${name}.${target}` }, valuesOf(stored), {
    ...valuesOf(rest),
    secret: given as string | undefined,
  });
  const credential = given || stored?.[field];
  return credential ? { ...rest, [field]: credential } : rest;
}

/**
 * A block as readers see it: the credential is empty, a flag says whether one is stored, and the address is shown
 * without its query.
 */
function maskCredential(name: CredentialBlock, block: Block): Block {
  const { field, target, flag } = CREDENTIALS[name];
  return {
    ...block,
    [target]: shownUrl((block[target] as string | undefined) ?? ''),
    [field]: '',
    [flag]: Boolean(block[field]),
  };
}

/** A configuration as it is stored: its credentials encrypted if the server has keys. */
export function sealCredentials(name: string, config: CollectionConfig, keys: KeyRing | undefined): CollectionConfig {
  return withCredentials(config, (part, text) => sealSecret(keys, part, name, text));
}

/** The inverse of `sealCredentials`. Throws as `openSecret` does. */
export function openCredentials(name: string, config: CollectionConfig, keys: KeyRing | undefined): CollectionConfig {
  return withCredentials(config, (part, text) => openSecret(keys, part, name, text));
}

function withCredentials(config: CollectionConfig,
  change: (part: SecretPart, text: string) => string): CollectionConfig
{
  let changed: Readonly<Record<string, unknown>> = { ...config };
  for (const part of SECRETS.collectionConfig.parts) {
    const block = changed[part.block] as Block | undefined;
    if (block?.[part.field])
      changed = { ...changed, [part.block]: { ...block, [part.field]: change(part, block[part.field] as string) } };
  }
  return changed;
}
