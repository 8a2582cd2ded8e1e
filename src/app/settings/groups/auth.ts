import { boolean, duration, httpUrl, integer, listOf, optional, setting, structure, text } from '../kinds.ts';

export const auth = {
  enabled: setting(boolean, false, 'SVC_AUTH_ENABLED', 'require authentication'),
  jwtSecret: setting(text, '', 'SVC_AUTH_JWT_SECRET',
    'secret that signs tokens, at least 32 bytes; required with authentication', { secret: true }),
  jwtExpiry: setting(duration(1000), 86_400_000, 'SVC_AUTH_JWT_EXPIRY', 'lifetime of a token'),
  sessionMax: setting(duration(1000), 604_800_000, 'SVC_AUTH_SESSION_MAX',
    'how long a session lasts at most, whose token is renewed'),
  adminUsername: setting(text, 'admin', 'SVC_AUTH_ADMIN_USERNAME', 'name of the first administrator'),
  adminPassword: setting(text, '', 'SVC_AUTH_ADMIN_PASSWORD',
    'password of the first administrator; required with authentication', { secret: true }),
  adminReset: setting(boolean, false, 'SVC_AUTH_ADMIN_RESET', "set the administrator's password again at this start"),
  passwordMinLength: setting(integer(1, 72), 8, 'SVC_AUTH_PASSWORD_MIN_LENGTH',
    'characters that a new password has at least'),
};

/** Sign-in with OpenID Connect. */
export const oidc = {
  issuer: setting(optional(httpUrl), undefined, 'SVC_OIDC_ISSUER',
    'URL of an issuer of OpenID Connect at which users sign in'),
  clientId: setting(text, '', 'SVC_OIDC_CLIENT_ID', 'id of this service at the issuer'),
  clientSecret: setting(text, '', 'SVC_OIDC_CLIENT_SECRET',
    'secret of this service at the issuer; empty for a public client', { secret: true }),
  redirectUri: setting(optional(httpUrl), undefined, 'SVC_OIDC_REDIRECT_URI',
    'URL of the console, to which the issuer sends browsers back'),
  scopes: setting(text, 'openid profile email', 'SVC_OIDC_SCOPES', 'scopes that are asked for'),
  audience: setting(text, '', 'SVC_OIDC_AUDIENCE',
    "audience of the issuer's tokens that the API takes; empty for the client's id"),
  usernameClaim: setting(text, 'preferred_username', 'SVC_OIDC_USERNAME_CLAIM', 'claim with the name of a new user'),
  createUsers: setting(boolean, false, 'SVC_OIDC_CREATE_USERS', 'create a user at the first sign-in'),
  rolesClaim: setting(text, 'groups', 'SVC_OIDC_ROLES_CLAIM', 'claim whose values stand for roles and groups'),
  roles: setting(listOf(text), [], 'SVC_OIDC_ROLES', 'what they stand for, as `staff=reader,writers=group:editors`'),
};

/** The detector of bursts of failed logins (contract, section 5, rule 11). */
export const incident = {
  authThreshold: setting(integer(1), 10, 'SVC_INCIDENT_AUTH_THRESHOLD',
    'failures from one actor and address that count as a burst'),
  authWindowSec: setting(integer(1, 86_400), 60, 'SVC_INCIDENT_AUTH_WINDOW_SEC', 'seconds within which they count'),
  authCooldownSec: setting(integer(0, 86_400), 300, 'SVC_INCIDENT_AUTH_COOLDOWN_SEC',
    'seconds until the same burst is reported again'),
};

export const audit = {
  enabled: setting(boolean, false, 'SVC_AUDIT_ENABLED', 'keep an audit log'),
  retentionDays: setting(integer(1, 36_500), 90, 'SVC_AUDIT_RETENTION_DAYS', 'days that audit events are kept'),
  exportWebhookUrl: setting(optional(httpUrl), undefined, 'SVC_AUDIT_EXPORT_WEBHOOK_URL',
    'URL that audit events are posted to'),
  exportWebhookHeader: setting(text, '', 'SVC_AUDIT_EXPORT_WEBHOOK_HEADER', 'header sent along, as `Name: value`', {
    secret: true,
  }),
  exportSyslogAddr: setting(text, '', 'SVC_AUDIT_EXPORT_SYSLOG_ADDR',
    'syslog server for audit events: `host:port` or `tcp://host:port`'),
  exportBuffer: setting(integer(1, 1_000_000), 1024, 'SVC_AUDIT_EXPORT_BUFFER',
    'audit events that wait for each exporter'),
};

/** Encryption at rest (decisions, section 2.4). The key ring itself is checked where it is created. */
export const encryption = {
  key: setting(text, '', 'SVC_ENCRYPTION_KEY', 'primary key for encryption at rest: 32 bytes as base64 or hex', {
    secret: true,
  }),
  keyId: setting(integer(1, 255), 1, 'SVC_ENCRYPTION_KEY_ID', 'id of the primary key'),
  previousKeys: setting(structure, '', ['SVC_ENCRYPTION_PREVIOUS_KEYS', 'SVC_ENCRYPTION_KEYS_PREVIOUS'],
    'earlier keys, as `1:base64,…` or JSON', { secret: true }),
};
