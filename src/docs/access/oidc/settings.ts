/** Sign-in at an issuer of OpenID Connect, as the settings say. */
export interface OidcSettings {
  /** URL of the issuer, under which its configuration is found. */
  readonly issuer: string;
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecret: string;
  /** Where the issuer sends browsers back to: the console. */
  readonly redirectUri: string;
  readonly scopes: string;
  /** What tokens of the issuer have to be for; the client's id where it is empty. */
  readonly audience: string;
  /** Claim with the name of a new user. */
  readonly usernameClaim: string;
  /** Claim with a name or a list of names, and what they stand for. */
  readonly rolesClaim: string;
  readonly roles: readonly string[];
  /** Whether somebody whom nobody has registered becomes a user. */
  readonly createUsers: boolean;
}
