import { createEmbeddingProvider, type ProviderDeps } from '../../embedding/index.ts';
import { ConfigError } from '../../lib/config-error.ts';
import type { Outbound } from '../../net/index.ts';
import type { CreateProvider } from './providers.ts';

/** Providers have limits of their own, which depend on the number of vectors in a response. */
const UNLIMITED = { maxBytes: Infinity, timeoutMs: 60_000 };

/**
 * Creates providers. Providers that users configured may call only addresses that the policy for outgoing requests
 * permits, and none without a policy; the operator's own settings may name any address.
 */
export function guardedProviders(outbound: Outbound | undefined,
  deps: Pick<ProviderDeps, 'log' | 'timer'>): CreateProvider
{
  return (config) => {
    if (config.untrusted !== true) return createEmbeddingProvider(config, deps);
    if (outbound === undefined) throw new ConfigError(['provider: this server makes no requests for users']);
    const provider = createEmbeddingProvider(config, { ...deps, fetch: outbound.fetch(UNLIMITED) });
    const refusal = config.apiUrl ? outbound.refusal(config.apiUrl) : undefined;
    if (refusal === undefined) return provider;
    void provider.close();
    throw new ConfigError([`apiUrl: ${refusal}`]);
  };
}
