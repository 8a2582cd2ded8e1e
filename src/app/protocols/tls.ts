import type { Log } from '../../lib/log.ts';
import { Certificates } from '../certificates.ts';
import type { Settings } from '../settings/index.ts';

/** The certificates of the settings; undefined without TLS. Throws a `ConfigError`. */
export async function readCertificates({ tls }: Pick<Settings, 'tls'>, log: Log): Promise<Certificates | undefined> {
  const { enabled, cert, key, clientCa, clientAuth } = tls;
  if (!enabled) return undefined;
  return Certificates.open({
    cert: { setting: 'SVC_TLS_CERT', file: cert },
    key: { setting: 'SVC_TLS_KEY', file: key },
    ...(clientCa !== '' && { clientCa: { setting: 'SVC_TLS_CLIENT_CA', file: clientCa, clientAuth } }),
  }, log);
}
