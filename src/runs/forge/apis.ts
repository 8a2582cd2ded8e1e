import { createOutbound, type Outbound } from '../../net/index.ts';
import type { ForgeConfig } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import { bitbucketDataCenterApi } from './api/bitbucket-data-center.ts';
import { bitbucketApi } from './api/bitbucket.ts';
import { createCall } from './api/call.ts';
import { giteaApi } from './api/gitea.ts';
import { githubApi } from './api/github.ts';
import { gitlabApi } from './api/gitlab.ts';
import type { ForgeApi, ForgeApis, ForgeCall, SecretReader } from './port.ts';

/** `web`: where people see the forge, without a slash at its end. */
type ApiOf = (token: string, call: ForgeCall, web: string) => ForgeApi;

const APIS: Readonly<Record<ForgeConfig['kind'], ApiOf | undefined>> = {
  github: githubApi,
  gitlab: gitlabApi,
  gitea: giteaApi,
  forgejo: giteaApi,
  bitbucket: bitbucketApi,
  bitbucket_data_center: bitbucketDataCenterApi,
  git: undefined,
};

/** Address of the API below the address of a server. */
const PATHS = {
  github: '/api/v3',
  gitlab: '/api/v4',
  gitea: '/api/v1',
  forgejo: '/api/v1',
  bitbucket: '/2.0',
  bitbucket_data_center: '/rest/api/latest',
  git: '',
};
const PUBLIC: Readonly<Partial<Record<ForgeConfig['kind'], string>>> = {
  github: 'https://api.github.com',
  gitlab: 'https://gitlab.com/api/v4',
  bitbucket: 'https://api.bitbucket.org/2.0',
};

/** Address of the API of a forge, without a slash at its end; undefined for `git`. */
export function apiAddress(
  { kind, url, api_url: given }: Pick<ForgeConfig, 'kind' | 'url' | 'api_url'>,
): string | undefined {
  if (kind === 'git') return undefined;
  const own = given || (url === '' ? '' : `${withoutSlash(url)}${PATHS[kind]}`);
  return withoutSlash(own || PUBLIC[kind] || '') || undefined;
}

const withoutSlash = (address: string): string => address.replace(/\/{1,8}$/, '');

interface Opened {
  readonly key: string;
  readonly outbound: Outbound;
  readonly api: ForgeApi;
}

/** Opens each API when it is asked for first. `secretValue` returns the value of a secret by its name. */
export function createForgeApis({ config, version }: Pick<RunsEnvironment, 'config' | 'version'>,
  secretValue: SecretReader): ForgeApis & { close(): Promise<void> }
{
  const opened = new Map<string, Opened>();
  const open = (forge: ForgeConfig, token: string, base: string, key: string): Opened => {
    // Operators choose the host, so it may be a private one; nothing else may be reached that is not public.
    const host = new URL(base).hostname.replace(/^\[|\]$/g, '');
    const outbound = createOutbound({ allowPrivate: 'false', allowlist: [host] });
    const call = createCall({ outbound, base, userAgent: `quire-runs/${version}` });
    return { key, outbound, api: APIS[forge.kind]!(token, call, withoutSlash(forge.url)) };
  };
  return {
    async apiOf(name) {
      const forge = config.current().config.forges.find((each) => each.name === name);
      const token = forge?.token === '' ? undefined : forge && await secretValue(forge.token);
      const base = forge && apiAddress(forge);
      if (forge === undefined || token === undefined || base === undefined) return undefined;
      const key = JSON.stringify([forge.kind, forge.url, base, token]);
      const known = opened.get(name);
      if (known?.key === key) return known.api;
      void known?.outbound.close();
      const next = open(forge, token, base, key);
      opened.set(name, next);
      return next.api;
    },
    async close() {
      await Promise.all([...opened.values()].map(({ outbound }) => outbound.close()));
      opened.clear();
    },
  };
}
