import { createHash, createHmac } from 'node:crypto';

/** A request to a service of AWS, with the credentials that sign it. */
export interface Signed {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly region: string;
  readonly service: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Empty for credentials that are not temporary. */
  readonly sessionToken: string;
  readonly date: Date;
}

const hex = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * The headers of a POST without a query, signed by Signature Version 4
 * (docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
 */
export function signedHeaders(
  { url, headers, body, region, service, accessKey, secretKey, sessionToken, date }: Signed,
): Record<string, string> {
  const time = date.toISOString().replaceAll(/[:-]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const all: Record<string, string> = {
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    'x-amz-date': time,
    ...(sessionToken !== '' && { 'x-amz-security-token': sessionToken }),
  };
  const named: [string, string][] = Object.entries({ ...all, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = named.map(([name]) => name).join(';');
  const canonical = ['POST', url.pathname, '', ...named.map(([name, value]) => `${name}:${value.trim()}`), '', names,
    hex(body)].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = [region, service, 'aws4_request'].reduce(hmac, hmac(`AWS4${secretKey}`, day));
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, hex(canonical)].join('\n')).toString('hex');
  return {
    ...all,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}
