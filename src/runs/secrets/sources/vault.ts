import { type SecretSource, type SourceDeps, SourceFailure } from '../port.ts';
import { ask, fieldOf, requireOk, type Told, variable } from './http.ts';
import { Lease, type Leased } from './lease.ts';
import { readSecretFile } from './local.ts';

/**
 * HashiCorp Vault, or OpenBao: the key-value store of version 2, with a token, AppRole, or the service account of a pod
 * (developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2, /auth/approle, /auth/kubernetes).
 */
export function vaultSource(deps: SourceDeps): SecretSource {
  const { address, namespace, approle, kubernetes } = deps.settings.vault;
  const at = (path: string): string => `${address.replace(/\/$/, '')}/v1/${encoded(path)}`;
  const headers = { 'X-Vault-Request': 'true', ...(namespace !== '' && { 'X-Vault-Namespace': namespace }) };
  const logsIn = approle.role_id !== '' || kubernetes.role !== '';
  const lease = new Lease(deps.clock, async (signal) => {
    const mount = approle.role_id !== '' ? approle.mount : kubernetes.mount;
    const what = `login at Vault by ${mount}`;
    const body = JSON.stringify(await credentialsOf(deps, what));
    const told = await ask(deps, { url: at(`auth/${mount}/login`), method: 'POST', headers, body, signal, what });
    requireOk(told, what);
    return leasedIn(told, what);
  });
  return {
    async value({ vault: { mount, path, field } }, signal) {
      const what = `${mount}/${path} in Vault`;
      const read = async (): Promise<Told> => {
        const token = logsIn ? await lease.token(signal) : await tokenOf(deps);
        return ask(deps, {
          url: at(`${mount}/data/${path}`),
          headers: { ...headers, 'X-Vault-Token': token },
          signal,
          what,
        });
      };
      let told = await read();
      if (told.status === 403 && logsIn) {
        // The token may have been revoked before its time.
        lease.forget();
        told = await read();
      }
      if (told.status === 404) return undefined;
      requireOk(told, what);
      const { data } = (told.body['data'] ?? {}) as { readonly data?: Readonly<Record<string, unknown>> };
      return fieldOf(data ?? {}, field, what);
    },
  };
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

async function tokenOf(deps: SourceDeps): Promise<string> {
  const { token_env: name, token_file: file } = deps.settings.vault;
  return file === '' ? variable(deps, name, 'Vault') : readSecretFile(file);
}

async function credentialsOf(deps: SourceDeps, what: string): Promise<Readonly<Record<string, string>>> {
  const { approle, kubernetes } = deps.settings.vault;
  if (approle.role_id === '')
    return { role: kubernetes.role, jwt: await readSecretFile(kubernetes.token_file) };
  const { role_id: id, secret_id_env: name, secret_id_file: file } = approle;
  return { role_id: id, secret_id: file === '' ? variable(deps, name, what) : await readSecretFile(file) };
}

function leasedIn({ body }: Told, what: string): Leased {
  const { client_token: token, lease_duration: seconds } = (body['auth'] ?? {}) as {
    readonly client_token?: unknown;
    readonly lease_duration?: unknown;
  };
  if (typeof token !== 'string' || typeof seconds !== 'number')
    throw new SourceFailure(`${what}: the answer has no token`);
  // A token that never expires has 0; it is fetched again nevertheless, so that a revoked role ends.
  return { token, seconds: seconds > 0 ? seconds : 3600 };
}
