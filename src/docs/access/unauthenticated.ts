import { ServiceError } from '../../errors/index.ts';

/** A 401 says how to sign in (RFC 9110, section 15.5.2). */
const HEADERS = { 'WWW-Authenticate': 'Bearer realm="quire"' };

/** `detail` follows the fixed phrases of the contract, section 7. */
export function unauthenticated(phrase: 'missing authentication' | 'invalid token', detail = ''): ServiceError {
  return new ServiceError('unauthenticated', `${phrase}${detail && `: ${detail}`}`, { headers: HEADERS });
}

/** An unknown name, a wrong password and a disabled user cause the same error. */
export function invalidCredentials(): ServiceError {
  return new ServiceError('invalid_credentials', 'invalid credentials', { headers: HEADERS });
}
