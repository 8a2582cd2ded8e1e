/** Settings for signing in at an OpenID Connect issuer. */
export interface OidcSettings {
  /** URL of the issuer, under which its configuration is found. */
  readonly issuer: string;
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecret: string;
  /** The URL to which the issuer redirects browsers: the console. */
  readonly redirectUri: string;
  readonly scopes: string;
  /** The audience that the issuer's tokens must have; empty means the client's id. */
  readonly audience: string;
  /** Claim that contains the name of a new user. */
  readonly usernameClaim: string;
  /** Claim that contains a name or a list of names, and what they stand for. */
  readonly rolesClaim: string;
  readonly roles: readonly string[];
  /** Whether an unknown user with a valid sign-in is created. */
  readonly createUsers: boolean;
}
