import type { SecretSource, SourceDeps } from '../port.ts';
import { ask, fieldOf, requireOk, variable } from './http.ts';
import { Lease } from './lease.ts';
import { readSecretFile } from './local.ts';
import { requestToken } from './oauth.ts';

/** The version of the interface (learn.microsoft.com/rest/api/keyvault/secrets/get-secret/get-secret). */
const API_VERSION = '7.4';
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Azure Key Vault, as an application with a secret or with a workload identity
 * (learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow).
 */
export function azureSource(deps: SourceDeps): SecretSource {
  const { vault, tenant, client_id: clientId, client_secret_env: name, token_file: file, authority, scope } =
    deps.settings.azure;
  const lease = new Lease(deps.clock, async (signal) => {
    const what = 'login at Microsoft Entra';
    const credential: Record<string, string> = file === ''
      ? { client_secret: variable(deps, name, what) }
      : { client_assertion_type: ASSERTION, client_assertion: await readSecretFile(file) };
    return requestToken(deps, `${authority.replace(/\/$/, '')}/${tenant}/oauth2/v2.0/token`, {
      grant_type: 'client_credentials',
      client_id: clientId,
      scope,
      ...credential,
    }, { signal, what });
  });
  return {
    async value({ azure: { name: secret, version, field } }, signal) {
      const what = `${secret} in Azure Key Vault`;
      const path = version === '' ? secret : `${secret}/${version}`;
      const url = `${vault.replace(/\/$/, '')}/secrets/${path}?api-version=${API_VERSION}`;
      const told = await ask(deps, {
        url,
        headers: { Authorization: `Bearer ${await lease.token(signal)}` },
        signal,
        what,
      });
      if (told.status === 401) lease.forget();
      if (told.status === 404) return undefined;
      requireOk(told, what);
      return fieldOf(told.body['value'], field, what);
    },
  };
}
