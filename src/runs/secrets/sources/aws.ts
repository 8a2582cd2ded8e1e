import type { SecretSource, SourceDeps } from '../port.ts';
import { ask, fieldOf, requireOk, variable } from './http.ts';
import { signedHeaders } from './sigv4.ts';

/** AWS Secrets Manager (docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html). */
export function awsSource(deps: SourceDeps): SecretSource {
  const { region, endpoint, access_key_env: access, secret_key_env: secretKey, session_token_env: session } =
    deps.settings.aws;
  const url = new URL(endpoint === '' ? `https://secretsmanager.${region}.${domainOf(region)}/` : endpoint);
  return {
    async value({ aws: { id, field } }, signal) {
      const what = `${id} in AWS Secrets Manager`;
      const body = JSON.stringify({ SecretId: id });
      const headers = signedHeaders({
        url,
        body,
        region,
        service: 'secretsmanager',
        headers: {
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': 'secretsmanager.GetSecretValue',
        },
        accessKey: variable(deps, access, what),
        secretKey: variable(deps, secretKey, what),
        sessionToken: deps.variables[session] ?? '',
        date: new Date(deps.clock.now()),
      });
      const told = await ask(deps, { url: url.href, method: 'POST', headers, body, signal, what });
      if (told.status === 400 && String(told.body['__type']).includes('ResourceNotFoundException')) return undefined;
      requireOk(told, what);
      return fieldOf(told.body['SecretString'] ?? binaryIn(told.body['SecretBinary']), field, what);
    },
  };
}

const domainOf = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com');

const binaryIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? Buffer.from(value, 'base64').toString() : undefined;
