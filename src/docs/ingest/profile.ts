import type { IngestOptions } from '../../../generated/docs/sdk/types.gen.ts';
import { CHANGE_FLAGS } from '../../storage/index.ts';

type ProfileName = 'default' | 'fast';

/** All options, each with a value. */
export type EffectiveOptions = Required<Omit<IngestOptions, 'profile'>>;

const DEFAULT: EffectiveOptions = {
  skipDuplicates: false,
  skipEmbeddings: false,
  skipFts: false,
  skipWebhooks: false,
  autoConfigureCollection: false,
  saveRevision: true,
  textOnly: false,
  keyFrom: 'path',
};

/** What each profile presets (contract section 4, `/v1/ingest`). */
const PRESETS: Record<ProfileName, EffectiveOptions> = {
  default: DEFAULT,
  fast: { ...DEFAULT, textOnly: true, saveRevision: false, skipWebhooks: true, skipDuplicates: true },
};

/**
 * The profile's options, overridden by those that the request sets. Nothing is skipped for callers without read
 * permission, because that tells what is stored.
 */
export function effectiveOptions({ profile = 'default', ...given }: IngestOptions, mayRead: boolean): EffectiveOptions {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const options = { ...PRESETS[profile], ...Object.fromEntries(set) };
  return { ...options, skipDuplicates: options.skipDuplicates && mayRead };
}

/** The flags that tell subscribers of the change feed what to skip. */
export function changeFlags({ skipEmbeddings, skipFts, skipWebhooks }: EffectiveOptions): number {
  return (skipEmbeddings ? CHANGE_FLAGS.SKIP_EMBEDDINGS : 0) | (skipFts ? CHANGE_FLAGS.SKIP_FTS : 0) |
    (skipWebhooks ? CHANGE_FLAGS.SKIP_WEBHOOKS : 0);
}
