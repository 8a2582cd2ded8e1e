import { importPKCS8, SignJWT } from 'jose';
import { type SecretSource, type SourceDeps, SourceFailure } from '../port.ts';
import { ask, fieldOf, objectIn, requireOk } from './http.ts';
import { Lease, type Leased } from './lease.ts';
import { readSecretFile } from './local.ts';
import { requestToken } from './oauth.ts';

/**
 * Google Secret Manager (cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets.versions/access), with
 * the key of a service account (developers.google.com/identity/protocols/oauth2/service-account#httprest).
 */
export function googleSource(deps: SourceDeps): SecretSource {
  const { project, endpoint } = deps.settings.google;
  const lease = new Lease(deps.clock, (signal) => logIn(deps, signal));
  return {
    async value({ google: { name, version, field } }, signal) {
      const what = `${name} in Google Secret Manager`;
      const url = `${endpoint.replace(/\/$/, '')}/v1/projects/${project}/secrets/${name}/versions/${version}:access`;
      const headers = { Authorization: `Bearer ${await lease.token(signal)}` };
      const told = await ask(deps, { url, headers, signal, what });
      if (told.status === 401) lease.forget();
      if (told.status === 404) return undefined;
      requireOk(told, what);
      const { data } = (told.body['payload'] ?? {}) as { readonly data?: unknown };
      return fieldOf(typeof data === 'string' ? Buffer.from(data, 'base64').toString() : undefined, field, what);
    },
  };
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const LIFE_SECONDS = 3600;

async function logIn(deps: SourceDeps, signal: AbortSignal): Promise<Leased> {
  const { credentials_file: file } = deps.settings.google;
  const what = 'login at Google';
  const { client_email: email, private_key: pem, private_key_id: kid, token_uri: uri } = objectIn(
    await readSecretFile(file),
  );
  if (typeof email !== 'string' || typeof pem !== 'string' || typeof uri !== 'string')
    throw new SourceFailure(`${what}: the file ${file} is not the key of a service account`);
  const now = Math.floor(deps.clock.now() / 1000);
  const key = await importPKCS8(pem, 'RS256').catch(() => {
    throw new SourceFailure(`${what}: the file ${file} has no private key that can be read`);
  });
  const assertion = await new SignJWT({ scope: SCOPE }).setProtectedHeader({
    alg: 'RS256',
    typ: 'JWT',
    ...(typeof kid === 'string' && { kid }),
  }).setIssuer(email).setAudience(uri).setIssuedAt(now).setExpirationTime(now + LIFE_SECONDS).sign(key);
  return requestToken(deps, uri, { grant_type: GRANT, assertion }, { signal, what });
}
