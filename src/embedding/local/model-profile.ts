import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { familyOf, familySize, type ModelFamily, type Pooling, type RolePrefixes } from '../model-families.ts';

/** How a model makes the vector of a text. */
export interface ModelProfile {
  readonly pooling: Pooling;
  readonly prefixes: RolePrefixes | undefined;
  /** Undefined if neither its files nor its family say it. */
  readonly dimensions: number | undefined;
  /** Maximum number of tokens of a text, as far as its files say it; its tokenizer may have another maximum. */
  readonly maxTokens: number | undefined;
  readonly isLowerCase: boolean;
  /** Why it cannot be run in this process; undefined if it can. */
  readonly problem: string | undefined;
}

/**
 * The files of a model that say how the vectors of tokens become those of texts, as sentence-transformers writes them
 * (sbert.net, "Creating Custom Models"). A model may lack each except the first.
 */
export const PROFILE_FILES = ['config.json', 'modules.json', '1_Pooling/config.json',
  'config_sentence_transformers.json', 'sentence_bert_config.json'] as const;

type Files = Readonly<Partial<Record<(typeof PROFILE_FILES)[number], unknown>>>;
type Fields = Readonly<Record<string, unknown>>;

/** The profile of a model whose files are in a folder. Missing and damaged files say nothing. */
export function readProfile(folder: string, name: string): ModelProfile {
  const files = Object.fromEntries(PROFILE_FILES.map((file) => [file, readJson(join(folder, file))]));
  return profileOf(name, files);
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** What the files of a model say; for what they do not say, its family. */
export function profileOf(name: string, files: Files): ModelProfile {
  const [config, pooling, sentences] = [fieldsOf(files['config.json']), fieldsOf(files['1_Pooling/config.json']),
    fieldsOf(files['sentence_bert_config.json'])];
  const origin = config['_name_or_path'];
  const family = familyOf(name) ?? (typeof origin === 'string' ? familyOf(origin) : undefined);
  const prefixes = promptsOf(fieldsOf(files['config_sentence_transformers.json']), family) ?? family?.prefixes;
  return {
    pooling: poolingOf(pooling) ?? family?.pooling ?? 'mean',
    prefixes,
    dimensions: sizeIn(pooling, ['word_embedding_dimension', 'embedding_dimension']) ??
      sizeIn(config, ['hidden_size', 'n_embd', 'd_model', 'dim']) ?? familySize(name),
    maxTokens: least(sizeIn(sentences, ['max_seq_length']), positionsOf(config)),
    isLowerCase: sentences['do_lower_case'] === true,
    problem: moduleProblem(files['modules.json']) ?? poolingProblem(pooling, prefixes),
  };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Fields : {};
}

/** Versions and families of models use different names for a size. */
function sizeIn(fields: Fields, names: readonly string[]): number | undefined {
  return names.map((name) => fields[name]).find((value): value is number =>
    Number.isInteger(value) && (value as number) > 0
  );
}

function least(...sizes: readonly (number | undefined)[]): number | undefined {
  const known = sizes.filter((size) => size !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Models whose positions are counted from the one behind that of their padding. */
const POSITIONS_AFTER_PADDING: ReadonlySet<unknown> = new Set(['roberta', 'xlm-roberta', 'xlm-roberta-xl', 'camembert',
  'mpnet', 'data2vec-text', 'longformer']);

function positionsOf(config: Fields): number | undefined {
  const positions = sizeIn(config, ['max_position_embeddings']);
  if (positions === undefined || !POSITIONS_AFTER_PADDING.has(config['model_type'])) return positions;
  const padding = config['pad_token_id'];
  return Math.max(1, positions - 1 - (Number.isInteger(padding) ? padding as number : 1));
}

/** Ways of pooling by their names in the files. A mean by the root of the length has the same direction as the mean. */
const POOLINGS: ReadonlyMap<string, Pooling> = new Map([['mean_tokens', 'mean'], ['mean', 'mean'], [
  'mean_sqrt_len_tokens',
  'mean',
], ['mean_sqrt_len', 'mean'], ['cls_token', 'cls'], ['cls', 'cls'], ['lasttoken', 'last_token']]);
const MODE = 'pooling_mode';

/** Older files have a truth value for each way, newer ones a name. */
function modesOf(pooling: Fields): string[] {
  const named = pooling[MODE];
  if (typeof named === 'string') return [named];
  if (Array.isArray(named)) return named.map(String);
  return Object.keys(pooling).filter((key) => key.startsWith(`${MODE}_`) && pooling[key] === true).map((key) =>
    key.slice(MODE.length + 1)
  );
}

function poolingOf(pooling: Fields): Pooling | undefined {
  return POOLINGS.get(modesOf(pooling)[0] ?? '');
}

function poolingProblem(pooling: Fields, prefixes: RolePrefixes | undefined): string | undefined {
  const modes = modesOf(pooling);
  if (modes.length > 1 || modes.some((mode) => !POOLINGS.has(mode)))
    return `it pools the vectors of tokens by ${modes.join(' and ')}; mean, cls_token and lasttoken are known`;
  return pooling['include_prompt'] === false && prefixes !== undefined
    ? 'it leaves the words of its prefix out of the mean (include_prompt)'
    : undefined;
}

const MODULES: ReadonlySet<string> = new Set(['Transformer', 'Pooling', 'Normalize']);

/** A model with further layers has other vectors than those of its transformer. */
function moduleProblem(modules: unknown): string | undefined {
  if (!Array.isArray(modules)) return undefined;
  const types = modules.map((module) => String(fieldsOf(module)['type']).split('.').at(-1)!);
  const unknown = types.find((type) => !MODULES.has(type));
  return unknown === undefined ? undefined : `its vectors need a layer ${unknown.slice(0, 60)} behind the transformer`;
}

/** Names of prompts, in the order in which they are preferred. */
const QUERY_PROMPTS = ['query', 'search_query', 'retrieval.query'];
const DOCUMENT_PROMPTS = ['document', 'passage', 'search_document', 'retrieval.passage', 'corpus'];

/**
 * The prefixes that a model's file names as prompts; undefined if it has none for queries and documents, or only empty
 * ones, which sentence-transformers writes for each model.
 */
function promptsOf(file: Fields, family: ModelFamily | undefined): RolePrefixes | undefined {
  const prompts = fieldsOf(file['prompts']);
  const usual = file['default_prompt_name'];
  const find = (names: readonly string[]): string =>
    [...names, ...(typeof usual === 'string' ? [usual] : [])].map((name) => prompts[name]).find((prompt) =>
      typeof prompt === 'string'
    ) as string | undefined ?? '';
  const [query, document] = [find(QUERY_PROMPTS), find(DOCUMENT_PROMPTS)];
  if (query === '' && document === '') return undefined;
  if (query === family?.prefixes?.query && document === family.prefixes.document) return family.prefixes;
  return { name: `prompts-${crc32(JSON.stringify([query, document])).toString(16)}`, query, document };
}
