import { type CollectionConfig, FIELDS, RETRIEVAL_FIELDS } from './collection-config.ts';
import { hasCredential, keepCredential } from './credentials.ts';

/** The fields to change, with values of the types of the configuration; null removes a field, absent fields stay. */
export type ConfigChanges = { readonly [K in (typeof FIELDS)[number]]?: unknown };

type Block = Readonly<Record<string, unknown>>;

/**
 * Applies a write to a stored configuration: `retrieval` is merged field by field, every other field is replaced as a
 * whole.
 */
export function mergeConfig(stored: CollectionConfig, changes: ConfigChanges): CollectionConfig {
  const merged = FIELDS.map((field) => [field, mergeField(field, stored[field], changes[field])] as const);
  return withoutAbsent(Object.fromEntries(merged));
}

function mergeField(field: (typeof FIELDS)[number], stored: unknown, change: unknown): unknown {
  if (change === undefined) return stored;
  if (change === null) return undefined;
  if (hasCredential(field)) return withoutAbsent(keepCredential(field, stored as Block | undefined, change as Block));
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
