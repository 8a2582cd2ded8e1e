// Generated from the specifications by `npm run generate`. Do not edit.

import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { Reindexed } from '../../src/api/graphql/areas/vectors.ts';
import type { GraphqlContext } from '../../src/api/graphql/context.ts';
export type Maybe<T> = T | null | undefined;
export type InputMaybe<T> = T | null;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** Any JSON object. Other JSON values are refused where it is an input. */
  JSONObject: { input: Record<string, unknown>; output: Record<string, unknown>; }
  /** A point in time, in whole Unix seconds. */
  Time: { input: number; output: number; }
  /** A whole number that may exceed 32 bits; at most 2^53 - 1, so that every JSON reader keeps it exact. */
  Long: { input: number; output: number; }
  /** A text, a number or a truth value. A number equals every value that is the same number; a text equals itself only. */
  FilterValue: { input: string | number | boolean; output: string | number | boolean; }
};

/** A token for `Authorization: Bearer`. */
export type AuthPayload = {
  readonly __typename?: 'AuthPayload';
  /** The token. */
  readonly token: Scalars['String']['output'];
  /** When it ceases to be valid. */
  readonly expiresAt: Scalars['Time']['output'];
  /** Until when `refreshSession` renews it; never before `expiresAt`. */
  readonly sessionEndsAt: Scalars['Time']['output'];
  /** Whether the user has to change the password first. */
  readonly mustChangePassword: Scalars['Boolean']['output'];
};

/** A user. */
export type User = {
  readonly __typename?: 'User';
  /** Name of the user. */
  readonly username: Scalars['String']['output'];
  /** Whether the user is an administrator. */
  readonly admin: Scalars['Boolean']['output'];
  /** When the user was created; 0 for the anonymous caller of a server without authentication. */
  readonly createdAt: Scalars['Time']['output'];
  /** Whether the user is locked out. */
  readonly disabled: Scalars['Boolean']['output'];
  /** Names of the groups that the user belongs to. */
  readonly groups: ReadonlyArray<Scalars['String']['output']>;
  /** Names of the roles that the user holds by name, not through groups. */
  readonly roles: ReadonlyArray<Scalars['String']['output']>;
  /** Whether the user has to change the password after the next sign-in. */
  readonly mustChangePassword: Scalars['Boolean']['output'];
  /** The issuer's `sub` of the account with which the user signs in by OpenID Connect; null for none. */
  readonly oidcSubject?: Maybe<Scalars['String']['output']>;
};

/** A key for `X-API-Key`. */
export type ApiKey = {
  readonly __typename?: 'APIKey';
  /** The key. It is shown only once, when it is created. */
  readonly key: Scalars['String']['output'];
  /** What it is for. */
  readonly description: Scalars['String']['output'];
  /** When it was created. */
  readonly createdAt: Scalars['Time']['output'];
  /** When it ceases to be valid; 0 means never. */
  readonly expiresAt: Scalars['Time']['output'];
  /** SHA-256 hash of the key, which names it. */
  readonly keyHash: Scalars['String']['output'];
  /** Collections to which it is narrowed down; null for none. */
  readonly collections?: Maybe<ReadonlyArray<Scalars['String']['output']>>;
  /** Operations to which it is narrowed down; null for none. */
  readonly operations?: Maybe<ReadonlyArray<Scalars['String']['output']>>;
};

/** A one-time token to set a new password with. */
export type PasswordReset = {
  readonly __typename?: 'PasswordReset';
  /** Name of the user. */
  readonly username: Scalars['String']['output'];
  /** The token. It is shown only once. */
  readonly token: Scalars['String']['output'];
  /** When it ceases to be valid. */
  readonly expiresAt: Scalars['Time']['output'];
};

/** A named set of permissions. (`Role` is what a field asks of its caller.) */
export type AccessRole = {
  readonly __typename?: 'AccessRole';
  /** Name of the role. */
  readonly name: Scalars['String']['output'];
  /** What it is for. */
  readonly description: Scalars['String']['output'];
  /** Whether it comes with the server and can't be changed. */
  readonly builtIn: Scalars['Boolean']['output'];
  /** Its permissions, by collection. */
  readonly permissions: ReadonlyArray<RolePermission>;
};

/** What the holders of a role may do in a collection. */
export type RolePermission = {
  readonly __typename?: 'RolePermission';
  /** Name of the collection; `*` for every one that has no entry of its own. */
  readonly collection: Scalars['String']['output'];
  /** Whether documents may be read. */
  readonly read: Scalars['Boolean']['output'];
  /** Whether documents may be written. */
  readonly write: Scalars['Boolean']['output'];
  /** Whether the collection may be administered. */
  readonly admin: Scalars['Boolean']['output'];
};

/** What a user may do, and why. */
export type AccessExplanation = {
  readonly __typename?: 'AccessExplanation';
  /** Name of the user. */
  readonly username: Scalars['String']['output'];
  /** Whether the user is locked out. */
  readonly disabled: Scalars['Boolean']['output'];
  /** Whether the user is an administrator, who may do everything. */
  readonly admin: Scalars['Boolean']['output'];
  /** What the user may do, by collection. */
  readonly permissions: ReadonlyArray<EffectivePermission>;
  /** Whether the user may call the operation; null where none was named. */
  readonly decision?: Maybe<AccessDecision>;
};

/** What a user may do in a collection, all sources added up. */
export type EffectivePermission = {
  readonly __typename?: 'EffectivePermission';
  /** Name of the collection; `*` for every one that has no entry of its own. */
  readonly collection: Scalars['String']['output'];
  /** Whether documents may be read. */
  readonly read: Scalars['Boolean']['output'];
  /** Whether documents may be written. */
  readonly write: Scalars['Boolean']['output'];
  /** Whether the collection may be administered. */
  readonly admin: Scalars['Boolean']['output'];
  /** Where it comes from. */
  readonly sources: ReadonlyArray<AccessSource>;
};

/** Where a permission comes from. */
export type AccessSource = {
  readonly __typename?: 'AccessSource';
  /** Who holds it: `user`, `group` or `role`. */
  readonly kind: Scalars['String']['output'];
  /** Name of the user, group or role. */
  readonly name: Scalars['String']['output'];
  /** The group through which the user holds the role; null where the user holds it by name. */
  readonly group?: Maybe<Scalars['String']['output']>;
  /** Whether documents may be read. */
  readonly read: Scalars['Boolean']['output'];
  /** Whether documents may be written. */
  readonly write: Scalars['Boolean']['output'];
  /** Whether the collection may be administered. */
  readonly admin: Scalars['Boolean']['output'];
};

/** Whether a user may call an operation. */
export type AccessDecision = {
  readonly __typename?: 'AccessDecision';
  /** Id of the operation. */
  readonly operation: Scalars['String']['output'];
  /** Whether the user may call it. */
  readonly allowed: Scalars['Boolean']['output'];
  /** Why, in words. */
  readonly reason: Scalars['String']['output'];
};

/** A group of users, who share its permissions. */
export type Group = {
  readonly __typename?: 'Group';
  /** Name of the group. */
  readonly name: Scalars['String']['output'];
  /** What it is for. */
  readonly description: Scalars['String']['output'];
  /** Names of its users. */
  readonly members: ReadonlyArray<Scalars['String']['output']>;
  /** When it was created. */
  readonly createdAt: Scalars['Time']['output'];
  /** Names of the roles that its users hold through it. */
  readonly roles: ReadonlyArray<Scalars['String']['output']>;
};

/** What a user may do in a collection. */
export type UserPermission = {
  readonly __typename?: 'UserPermission';
  /** Name of the user. */
  readonly username: Scalars['String']['output'];
  /** Name of the collection; `*` for every one that has no entry of its own. */
  readonly collection: Scalars['String']['output'];
  /** Whether documents may be read. */
  readonly read: Scalars['Boolean']['output'];
  /** Whether documents may be written. */
  readonly write: Scalars['Boolean']['output'];
  /** Whether the collection may be administered. */
  readonly admin: Scalars['Boolean']['output'];
};

/** What the users of a group may do in a collection. */
export type GroupPermission = {
  readonly __typename?: 'GroupPermission';
  /** Name of the group. */
  readonly groupName: Scalars['String']['output'];
  /** Name of the collection; `*` for every one that has no entry of its own. */
  readonly collection: Scalars['String']['output'];
  /** Whether documents may be read. */
  readonly read: Scalars['Boolean']['output'];
  /** Whether documents may be written. */
  readonly write: Scalars['Boolean']['output'];
  /** Whether the collection may be administered. */
  readonly admin: Scalars['Boolean']['output'];
};

/** A key to be created. */
export type CreateApiKeyInput = {
  /** What it is for. */
  readonly description?: InputMaybe<Scalars['String']['input']>;
  /** When it ceases to be valid; 0 or absent means never. */
  readonly expiresAt?: InputMaybe<Scalars['Time']['input']>;
  /** Collections to which it is narrowed down; absent: all that its owner may. */
  readonly collections?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Operations to which it is narrowed down, by id or as `read`, `write`, `admin` or `search`; absent: all that its owner may. */
  readonly operations?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
};

/** What changes of a user; what is absent stays. */
export type UpdateUserInput = {
  /** Name of the user. */
  readonly username: Scalars['String']['input'];
  /** Whether the user is locked out. */
  readonly disabled?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether the user is an administrator by nature. */
  readonly admin?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether the user has to change the password after the next sign-in. */
  readonly mustChangePassword?: InputMaybe<Scalars['Boolean']['input']>;
  /** The issuer's `sub` of the account with which the user signs in by OpenID Connect; empty for none. */
  readonly oidcSubject?: InputMaybe<Scalars['String']['input']>;
};

/** A role to be created or replaced. */
export type SetRoleInput = {
  /** Name of the role. */
  readonly name: Scalars['String']['input'];
  /** What it is for. */
  readonly description?: InputMaybe<Scalars['String']['input']>;
  /** Its permissions. */
  readonly permissions?: InputMaybe<ReadonlyArray<RolePermissionInput>>;
};

/** What the holders of a role may do in a collection. */
export type RolePermissionInput = {
  /** Name of the collection; `*` for every one that has no entry of its own. */
  readonly collection: Scalars['String']['input'];
  /** Whether documents may be read. */
  readonly read?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether documents may be written. */
  readonly write?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether the collection may be administered. */
  readonly admin?: InputMaybe<Scalars['Boolean']['input']>;
};

/** A group to be created. */
export type CreateGroupInput = {
  /** Name of the group. */
  readonly name: Scalars['String']['input'];
  /** What it is for. */
  readonly description?: InputMaybe<Scalars['String']['input']>;
  /** Names of its users. */
  readonly members?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
};

/** A user's permission; one with nothing allowed is removed. */
export type SetPermissionInput = {
  /** Name of the user. */
  readonly username: Scalars['String']['input'];
  /** Name of the collection; `*` for every one that has no entry of its own. */
  readonly collection: Scalars['String']['input'];
  /** Whether documents may be read. */
  readonly read: Scalars['Boolean']['input'];
  /** Whether documents may be written. */
  readonly write: Scalars['Boolean']['input'];
  /** Whether the collection may be administered. */
  readonly admin: Scalars['Boolean']['input'];
};

/** A group's permission; one with nothing allowed is removed. */
export type SetGroupPermissionInput = {
  /** Name of the group. */
  readonly groupName: Scalars['String']['input'];
  /** Name of the collection; `*` for every one that has no entry of its own. */
  readonly collection: Scalars['String']['input'];
  /** Whether documents may be read. */
  readonly read: Scalars['Boolean']['input'];
  /** Whether documents may be written. */
  readonly write: Scalars['Boolean']['input'];
  /** Whether the collection may be administered. */
  readonly admin: Scalars['Boolean']['input'];
};

/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type Query = {
  readonly __typename?: 'Query';
  /** Who is signed in (`getCurrentUser`); `anonymous`, an administrator, while authentication is switched off. */
  readonly me: User;
  /** All users, by name (`listUsers`). */
  readonly users: ReadonlyArray<User>;
  /** All groups (`listGroups`). */
  readonly groups: ReadonlyArray<Group>;
  /** The permissions of a user (`listPermissions`). */
  readonly userPermissions: ReadonlyArray<UserPermission>;
  /** The permissions of a group (`listGroupPermissions`). */
  readonly groupPermissions: ReadonlyArray<GroupPermission>;
  /** All roles, by name (`listRoles`). */
  readonly roles: ReadonlyArray<AccessRole>;
  /** What a user may do, and why (`explainAccess`). */
  readonly explainAccess: AccessExplanation;
  /**
   * Follows the dependencies of a source document (`queryCodeGraph`). The arguments can be given in `input` or one by
   * one; those of `input` win.
   */
  readonly codeGraph?: Maybe<CodeGraph>;
  /** One document, or null when there is none of that name (`getDocument`). */
  readonly document?: Maybe<Document>;
  /** Finds documents by their metadata, sorted and paged (`searchDocuments`). */
  readonly search?: Maybe<DocumentConnection>;
  /** The kept versions of a document, also of a deleted one that can be restored (`listRevisions`); null when there is no such document. */
  readonly revisions?: Maybe<RevisionList>;
  /** Finds documents by their words (`searchFullText`). */
  readonly fts?: Maybe<FtsResponse>;
  /** Completes what is being typed with words, phrases and titles of the documents (`autocomplete`). */
  readonly autocomplete: Completions;
  /** Counts documents by metadata, time and place (`aggregateDocuments`). */
  readonly aggregateDocuments: Aggregation;
  /** Finds documents by their words and their meaning (`searchHybrid`). */
  readonly hybridSearch?: Maybe<HybridSearchResponse>;
  /** Finds past messages by their words, their meaning, or both (`recallMemory`). */
  readonly recall?: Maybe<RecallResponse>;
  /** The rules of a collection, or null when it has none (`getSchema`). */
  readonly schema?: Maybe<Schema>;
  /** The rules of all collections that have some, by name (`listSchemas`). */
  readonly schemas: ReadonlyArray<Schema>;
  /** The numbers of the database and of its collections (`getStats`). */
  readonly stats?: Maybe<Stats>;
  /** Finds documents by their meaning (`searchVectors`). */
  readonly vectorSearch?: Maybe<VectorSearchResponse>;
  /** Finds documents like one that is stored (`findSimilar`). */
  readonly similar?: Maybe<VectorSearchResponse>;
  /** Finds documents of several collections by their meaning (`searchAcrossCollections`). */
  readonly crossSearch?: Maybe<CrossSearchResponse>;
  /** The state of embeddings and of the vector index (`getVectorStats`). */
  readonly vectorStats?: Maybe<VectorStats>;
  /** The webhooks (`listWebhooks`). */
  readonly webhooks: ReadonlyArray<Webhook>;
  /** Deliveries that were given up (`listWebhookDeadLetters`), newest first. */
  readonly webhookDeadLetters: ReadonlyArray<WebhookDeadLetter>;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryUsersArgs = {
  offset?: InputMaybe<Scalars['Int']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryGroupsArgs = {
  offset?: InputMaybe<Scalars['Int']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryUserPermissionsArgs = {
  username: Scalars['String']['input'];
  offset?: InputMaybe<Scalars['Int']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryGroupPermissionsArgs = {
  groupName: Scalars['String']['input'];
  offset?: InputMaybe<Scalars['Int']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryRolesArgs = {
  offset?: InputMaybe<Scalars['Int']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryExplainAccessArgs = {
  username: Scalars['String']['input'];
  operation?: InputMaybe<Scalars['String']['input']>;
  collection?: InputMaybe<Scalars['String']['input']>;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryCodeGraphArgs = {
  input?: InputMaybe<CodeGraphInput>;
  collection?: InputMaybe<Scalars['String']['input']>;
  key?: InputMaybe<Scalars['String']['input']>;
  direction?: InputMaybe<Scalars['String']['input']>;
  depth?: InputMaybe<Scalars['Int']['input']>;
  lines?: InputMaybe<Scalars['Boolean']['input']>;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryDocumentArgs = {
  collection: Scalars['String']['input'];
  key: Scalars['String']['input'];
  lang: Scalars['String']['input'];
  env?: InputMaybe<Scalars['JSONObject']['input']>;
  fallbackLangs?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QuerySearchArgs = {
  input: SearchInput;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryRevisionsArgs = {
  collection: Scalars['String']['input'];
  key: Scalars['String']['input'];
  lang: Scalars['String']['input'];
  limit?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryFtsArgs = {
  input: FtsInput;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryAutocompleteArgs = {
  collection: Scalars['String']['input'];
  q: Scalars['String']['input'];
  field?: InputMaybe<Scalars['String']['input']>;
  topN?: InputMaybe<Scalars['Int']['input']>;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryAggregateDocumentsArgs = {
  input: AggregateInput;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryHybridSearchArgs = {
  input: HybridSearchInput;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryRecallArgs = {
  input: RecallInput;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QuerySchemaArgs = {
  collection: Scalars['String']['input'];
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QuerySchemasArgs = {
  offset?: InputMaybe<Scalars['Int']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryVectorSearchArgs = {
  input: VectorSearchInput;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QuerySimilarArgs = {
  input: SimilarInput;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryCrossSearchArgs = {
  input: CrossSearchInput;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryWebhooksArgs = {
  collection?: InputMaybe<Scalars['String']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
};


/** What can be read. Each field is returned by the operation of the same meaning, as over REST. */
export type QueryWebhookDeadLettersArgs = {
  webhookId?: InputMaybe<Scalars['ID']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  limit?: InputMaybe<Scalars['Int']['input']>;
};

/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type Mutation = {
  readonly __typename?: 'Mutation';
  /** Signs in with name and password (`login`). */
  readonly login: AuthPayload;
  /** Creates an API key for the caller (`createApiKey`). */
  readonly createAPIKey: ApiKey;
  /** Creates a user (`registerUser`). */
  readonly register: User;
  /** Creates a group (`createGroup`). */
  readonly createGroup: Group;
  /** Replaces description and members of a group (`updateGroup`). */
  readonly updateGroup: Group;
  /** Deletes a group (`deleteGroup`). True. */
  readonly deleteGroup: Scalars['Boolean']['output'];
  /** Sets a user's permission on a collection (`setPermission`). True. */
  readonly setPermission: Scalars['Boolean']['output'];
  /** Sets a group's permission on a collection (`setGroupPermission`). True. */
  readonly setGroupPermission: Scalars['Boolean']['output'];
  /** Renews the token of the caller's session (`refreshSession`). */
  readonly refreshSession: AuthPayload;
  /** Ends the session of the caller's token (`logout`). True. */
  readonly logout: Scalars['Boolean']['output'];
  /** Changes the caller's password (`changePassword`). */
  readonly changePassword: AuthPayload;
  /** Makes a one-time token to set a new password with (`createPasswordReset`). */
  readonly createPasswordReset: PasswordReset;
  /** Sets a new password with a one-time token (`redeemPasswordReset`). The name of the user. */
  readonly redeemPasswordReset: Scalars['String']['output'];
  /** Disables or enables a user, or makes one an administrator (`updateUser`). */
  readonly updateUser: User;
  /** Revokes an API key (`revokeApiKey`). True. */
  readonly revokeAPIKey: Scalars['Boolean']['output'];
  /** Creates or replaces a role (`setRole`). */
  readonly setRole: AccessRole;
  /** Deletes a role (`deleteRole`). True. */
  readonly deleteRole: Scalars['Boolean']['output'];
  /** Sets the roles of a user (`setUserRoles`). */
  readonly setUserRoles: User;
  /** Sets the roles of a group (`setGroupRoles`). */
  readonly setGroupRoles: Group;
  /** Adds a document, or replaces it (`addDocument`). */
  readonly addDocument: Document;
  /** Changes what is given of a document (`updateDocument`). */
  readonly updateDocument: Document;
  /** Deletes a document (`deleteDocument`), which can be restored for a while. False when there was none. */
  readonly deleteDocument: Scalars['Boolean']['output'];
  /** Brings back an earlier version of a document, or a deleted document (`restoreRevision`). One of `revision` and `timestamp` is needed; where both are given, both must fit. */
  readonly restoreRevision: Document;
  /** Deletes the documents of a collection, and says how many there were (`deleteCollection`). */
  readonly deleteCollection: Scalars['Int']['output'];
  /** Adds up to 10,000 documents in their order (`addDocuments`). An item that is refused does not hold up the others. */
  readonly addBatch: BatchAddResult;
  /** Sets when a document expires (`setDocumentTtl`). */
  readonly setTTL: Document;
  /** Takes in pages of a scraper (`ingestDocuments`). An item that is refused does not hold up the others. */
  readonly ingestDocuments: IngestResult;
  /** Fetches a page and stores it as a document (`importUrl`). */
  readonly importURL: Document;
  /** Checks metadata against the rules of a collection, and stores nothing (`validateDocument`). */
  readonly validateDocument: ValidationResult;
  /** Sets the rules of a collection (`setSchema`). True. */
  readonly setSchema: Scalars['Boolean']['output'];
  /** Removes the rules of a collection (`deleteSchema`). True, also when there were none. */
  readonly deleteSchema: Scalars['Boolean']['output'];
  /** Embeds the documents of a collection that need it (`reindexVectors`). */
  readonly vectorReindex: ReindexResult;
  /** Registers a webhook (`createWebhook`). */
  readonly registerWebhook: Webhook;
  /** Changes, pauses or resumes a webhook (`updateWebhook`). */
  readonly updateWebhook: Webhook;
  /** Delivers dead letters again (`redeliverWebhooks`), one or all of a webhook; their number. */
  readonly redeliverWebhooks: Scalars['Int']['output'];
  /** Tests a webhook at once, also while it is paused (`testWebhook`); what came back. */
  readonly testWebhook: WebhookTest;
  /** Deletes a webhook (`deleteWebhook`). True. */
  readonly deleteWebhook: Scalars['Boolean']['output'];
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationLoginArgs = {
  username: Scalars['String']['input'];
  password: Scalars['String']['input'];
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationCreateApiKeyArgs = {
  input: CreateApiKeyInput;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationRegisterArgs = {
  username: Scalars['String']['input'];
  password: Scalars['String']['input'];
  admin?: InputMaybe<Scalars['Boolean']['input']>;
  mustChangePassword?: InputMaybe<Scalars['Boolean']['input']>;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationCreateGroupArgs = {
  input: CreateGroupInput;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationUpdateGroupArgs = {
  name: Scalars['String']['input'];
  description: Scalars['String']['input'];
  members: ReadonlyArray<Scalars['String']['input']>;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationDeleteGroupArgs = {
  name: Scalars['String']['input'];
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationSetPermissionArgs = {
  input: SetPermissionInput;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationSetGroupPermissionArgs = {
  input: SetGroupPermissionInput;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationLogoutArgs = {
  everywhere?: InputMaybe<Scalars['Boolean']['input']>;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationChangePasswordArgs = {
  oldPassword: Scalars['String']['input'];
  newPassword: Scalars['String']['input'];
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationCreatePasswordResetArgs = {
  username: Scalars['String']['input'];
  expiresIn?: InputMaybe<Scalars['Int']['input']>;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationRedeemPasswordResetArgs = {
  username: Scalars['String']['input'];
  token: Scalars['String']['input'];
  newPassword: Scalars['String']['input'];
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationUpdateUserArgs = {
  input: UpdateUserInput;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationRevokeApiKeyArgs = {
  keyHash: Scalars['String']['input'];
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationSetRoleArgs = {
  input: SetRoleInput;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationDeleteRoleArgs = {
  name: Scalars['String']['input'];
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationSetUserRolesArgs = {
  username: Scalars['String']['input'];
  roles: ReadonlyArray<Scalars['String']['input']>;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationSetGroupRolesArgs = {
  name: Scalars['String']['input'];
  roles: ReadonlyArray<Scalars['String']['input']>;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationAddDocumentArgs = {
  input: AddDocumentInput;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationUpdateDocumentArgs = {
  input: UpdateDocumentInput;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationDeleteDocumentArgs = {
  collection: Scalars['String']['input'];
  key: Scalars['String']['input'];
  lang: Scalars['String']['input'];
  purge?: InputMaybe<Scalars['Boolean']['input']>;
  ifChecksum?: InputMaybe<Scalars['String']['input']>;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationRestoreRevisionArgs = {
  collection: Scalars['String']['input'];
  key: Scalars['String']['input'];
  lang: Scalars['String']['input'];
  revision?: InputMaybe<Scalars['Int']['input']>;
  timestamp?: InputMaybe<Scalars['Time']['input']>;
  ifChecksum?: InputMaybe<Scalars['String']['input']>;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationDeleteCollectionArgs = {
  collection: Scalars['String']['input'];
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationAddBatchArgs = {
  collection: Scalars['String']['input'];
  documents: ReadonlyArray<AddBatchDocumentInput>;
  saveRevision?: InputMaybe<Scalars['Boolean']['input']>;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationSetTtlArgs = {
  collection: Scalars['String']['input'];
  key: Scalars['String']['input'];
  lang: Scalars['String']['input'];
  ttl: Scalars['Int']['input'];
  ifChecksum?: InputMaybe<Scalars['String']['input']>;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationIngestDocumentsArgs = {
  collection: Scalars['String']['input'];
  documents: ReadonlyArray<IngestDocumentInput>;
  options?: InputMaybe<IngestOptionsInput>;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationImportUrlArgs = {
  collection: Scalars['String']['input'];
  url: Scalars['String']['input'];
  key?: InputMaybe<Scalars['String']['input']>;
  lang: Scalars['String']['input'];
  meta?: InputMaybe<ReadonlyArray<MetaInput>>;
  ttl?: InputMaybe<Scalars['Int']['input']>;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationValidateDocumentArgs = {
  collection: Scalars['String']['input'];
  meta: ReadonlyArray<MetaInput>;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationSetSchemaArgs = {
  input: SetSchemaInput;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationDeleteSchemaArgs = {
  collection: Scalars['String']['input'];
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationVectorReindexArgs = {
  collection: Scalars['String']['input'];
  force?: InputMaybe<Scalars['Boolean']['input']>;
  vectorField?: InputMaybe<Scalars['String']['input']>;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationRegisterWebhookArgs = {
  input: RegisterWebhookInput;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationUpdateWebhookArgs = {
  input: UpdateWebhookInput;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationRedeliverWebhooksArgs = {
  deliveryId?: InputMaybe<Scalars['ID']['input']>;
  webhookId?: InputMaybe<Scalars['ID']['input']>;
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationTestWebhookArgs = {
  id: Scalars['ID']['input'];
};


/** What can be changed. The fields of one request are carried out one after the other, in their order. */
export type MutationDeleteWebhookArgs = {
  id: Scalars['ID']['input'];
};

/** A source document of a code graph. */
export type CodeGraphNode = {
  readonly __typename?: 'CodeGraphNode';
  /** Key of the document. */
  readonly key: Scalars['String']['output'];
  /** Id of the document. */
  readonly docId: Scalars['String']['output'];
  /** Language code of the document. */
  readonly lang?: Maybe<Scalars['String']['output']>;
  /** Programming language. */
  readonly language?: Maybe<Scalars['String']['output']>;
  /** Steps from the root. */
  readonly depth: Scalars['Int']['output'];
};

/** One document's use of another. */
export type CodeGraphEdge = {
  readonly __typename?: 'CodeGraphEdge';
  /** Key of the document that uses. */
  readonly from: Scalars['String']['output'];
  /** Key of the document that is used. */
  readonly to: Scalars['String']['output'];
  /** `uses-selector` or `imports`. */
  readonly kind: Scalars['String']['output'];
  /** What is used: a selector, or the path of an import. */
  readonly symbol: Scalars['String']['output'];
  /** `in` or `out`, as the edge was followed. */
  readonly direction: Scalars['String']['output'];
  /** First line of the symbol where it is used; null unless `lines` was set. */
  readonly fromLine?: Maybe<Scalars['Int']['output']>;
  /** First line of the symbol where it is defined; null unless `lines` was set. */
  readonly toLine?: Maybe<Scalars['Int']['output']>;
};

/** What a source document uses, and what uses it. */
export type CodeGraph = {
  readonly __typename?: 'CodeGraph';
  /** Name of the collection. */
  readonly collection: Scalars['String']['output'];
  /** Key of the document that the walk began at. */
  readonly root: Scalars['String']['output'];
  /** The direction that was followed. */
  readonly direction: Scalars['String']['output'];
  /** How many steps were followed. */
  readonly depth: Scalars['Int']['output'];
  /** The documents, the root included. */
  readonly nodes: ReadonlyArray<CodeGraphNode>;
  /** Their uses of each other. */
  readonly edges: ReadonlyArray<CodeGraphEdge>;
  /** Whether a limit cut the walk. */
  readonly truncated: Scalars['Boolean']['output'];
};

/** Where to begin, and how far to go. */
export type CodeGraphInput = {
  /** Name of the collection. */
  readonly collection: Scalars['String']['input'];
  /** Key of the document to begin at. */
  readonly key: Scalars['String']['input'];
  /** `in`, `out` or `both`, which is the default. */
  readonly direction?: InputMaybe<Scalars['String']['input']>;
  /** Steps to follow, 1 to 3; larger is 3, the default is 1. */
  readonly depth?: InputMaybe<Scalars['Int']['input']>;
  /** Neighbours of each document, 1 to 100, which is the default. */
  readonly maxDegree?: InputMaybe<Scalars['Int']['input']>;
  /** Whether to say in which lines the symbols stand. */
  readonly lines?: InputMaybe<Scalars['Boolean']['input']>;
};

/** What a caller may be. */
export type Role =
  /** An administrator of the server or, where the field changes the rules of a collection, of that collection. */
  | 'ADMIN'
  /** Any signed-in caller. */
  | 'USER';

/** One metadata key with its values. Where a list names a key several times, the values are joined. */
export type MetaInput = {
  /** The metadata key. */
  readonly key: Scalars['String']['input'];
  /** Its values. In a filter they are alternatives, and different keys must all match. */
  readonly values: ReadonlyArray<Scalars['String']['input']>;
};

/**
 * A filter as a tree. A node has exactly one of `text`, `and`, `or`, `not` and `field`; the conditions beside `field` must
 * all hold. `gt`, `gte`, `lt` and `lte` are one condition, which a single value must satisfy.
 */
export type FilterInput = {
  /** An expression in the grammar of Meilisearch, such as `year >= 2020 AND (tags IN [api, cli] OR NOT status = draft)`. */
  readonly text?: InputMaybe<Scalars['String']['input']>;
  /** Nodes that must all hold. */
  readonly and?: InputMaybe<ReadonlyArray<FilterInput>>;
  /** Nodes of which one must hold. */
  readonly or?: InputMaybe<ReadonlyArray<FilterInput>>;
  /** A node that must not hold. */
  readonly not?: InputMaybe<FilterInput>;
  /** A metadata key, with or without the prefix `meta.`, or `addedAt`, `updatedAt`, `expiresAt`, `key` or `lang`. */
  readonly field?: InputMaybe<Scalars['String']['input']>;
  /** Some value equals this. */
  readonly eq?: InputMaybe<Scalars['FilterValue']['input']>;
  /** No value equals this; also where there is none. */
  readonly ne?: InputMaybe<Scalars['FilterValue']['input']>;
  /** More than this. */
  readonly gt?: InputMaybe<Scalars['FilterValue']['input']>;
  /** At least this. */
  readonly gte?: InputMaybe<Scalars['FilterValue']['input']>;
  /** Less than this. */
  readonly lt?: InputMaybe<Scalars['FilterValue']['input']>;
  /** At most this. */
  readonly lte?: InputMaybe<Scalars['FilterValue']['input']>;
  /** Some value equals one of these. */
  readonly in?: InputMaybe<ReadonlyArray<Scalars['FilterValue']['input']>>;
  /** No value equals one of these. */
  readonly notIn?: InputMaybe<ReadonlyArray<Scalars['FilterValue']['input']>>;
  /** Some value begins with this text. */
  readonly startsWith?: InputMaybe<Scalars['String']['input']>;
  /** Whether there is a value. */
  readonly exists?: InputMaybe<Scalars['Boolean']['input']>;
};

/** A range that some value of a field must be in. Numbers are compared as such, else dates, else texts by code point. */
export type RangeInput = {
  /** A metadata key, or `addedAt` or `updatedAt`. */
  readonly field: Scalars['String']['input'];
  /** At least this. */
  readonly gte?: InputMaybe<Scalars['FilterValue']['input']>;
  /** At most this. */
  readonly lte?: InputMaybe<Scalars['FilterValue']['input']>;
  /** More than this. */
  readonly gt?: InputMaybe<Scalars['FilterValue']['input']>;
  /** Less than this. */
  readonly lt?: InputMaybe<Scalars['FilterValue']['input']>;
};

/** A circle on the globe. */
export type GeoCircleInput = {
  /** Latitude of its middle in degrees, north positive. */
  readonly lat: Scalars['Float']['input'];
  /** Longitude of its middle in degrees, east positive. */
  readonly lng: Scalars['Float']['input'];
  /** Radius in metres. */
  readonly radiusMeters: Scalars['Float']['input'];
};

/** A markdown document with its metadata. */
export type Document = {
  readonly __typename?: 'Document';
  /** `collection|key|lang` in lower case. */
  readonly id: Scalars['ID']['output'];
  /** Key within the collection, as it was written last. */
  readonly key: Scalars['String']['output'];
  /** Language code, as it was written last. */
  readonly lang: Scalars['String']['output'];
  /** Metadata: an object from a key to the list of its values. */
  readonly meta: Scalars['JSONObject']['output'];
  /** The markdown body. A search without bodies returns an empty text. */
  readonly contentMd: Scalars['String']['output'];
  /** When the document was added. */
  readonly addedAt: Scalars['Time']['output'];
  /** When it was written last. */
  readonly updatedAt: Scalars['Time']['output'];
  /** When it expires; null when it does not. */
  readonly expiresAt?: Maybe<Scalars['Time']['output']>;
  /** When it was deleted; null for one that is there. */
  readonly deletedAt?: Maybe<Scalars['Time']['output']>;
  /** Names this state of the document, for `ifChecksum` of a write; null in lists. */
  readonly checksum?: Maybe<Scalars['String']['output']>;
  /** The supplied vectors by declared field, each as base64 of its 32-bit floats, little-endian; null where there are none. */
  readonly vectors?: Maybe<Scalars['JSONObject']['output']>;
};

/** A document at its place among the matches. */
export type DocumentEdge = {
  readonly __typename?: 'DocumentEdge';
  /** Base64 of `o:` and the number of matches before this one. The next page begins one after the last edge's. */
  readonly cursor: Scalars['String']['output'];
  /** The document. */
  readonly node: Document;
};

/** Where a page lies among all matches. */
export type PageInfo = {
  readonly __typename?: 'PageInfo';
  /** Whether matches follow the page. */
  readonly hasNextPage: Scalars['Boolean']['output'];
  /** Whether matches precede the page. */
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  /** Cursor of the first edge; null on an empty page. */
  readonly startCursor?: Maybe<Scalars['String']['output']>;
  /** Cursor of the last edge; null on an empty page. */
  readonly endCursor?: Maybe<Scalars['String']['output']>;
  /** All matches, on whatever page. */
  readonly totalCount: Scalars['Int']['output'];
};

/** One page of a search. */
export type DocumentConnection = {
  readonly __typename?: 'DocumentConnection';
  /** The matches of the page, in the order that was asked for. */
  readonly edges: ReadonlyArray<DocumentEdge>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
  /** All matches, on whatever page. */
  readonly totalCount: Scalars['Int']['output'];
  /** Whether the token budget of the request or of the collection's profile left results out. */
  readonly contextTruncated: Scalars['Boolean']['output'];
  /** Whether the response reached the maximum size of one response before it had all that was asked for. */
  readonly truncated: Scalars['Boolean']['output'];
  /** The `offset` to go on with; null when the response is not truncated. */
  readonly nextOffset?: Maybe<Scalars['Int']['output']>;
  /** The `cursor` of the next page; null without a cursor in the request, and when the response is empty. */
  readonly nextCursor?: Maybe<Scalars['String']['output']>;
  /** What of the request was not done, and which partitions are missing with `partial`. */
  readonly warnings: ReadonlyArray<Scalars['String']['output']>;
};

/** What became of a batch; it is never all or nothing. */
export type BatchAddResult = {
  readonly __typename?: 'BatchAddResult';
  /** Documents that are new. */
  readonly added: Scalars['Int']['output'];
  /** Documents that existed and were replaced. */
  readonly updated: Scalars['Int']['output'];
  /** Items that were refused. */
  readonly failed: Scalars['Int']['output'];
  /** `INDEX KEY: REASON` of the items that were refused. */
  readonly errors: ReadonlyArray<Scalars['String']['output']>;
  /** Documents that were stored without a vector, because the queue of embeddings stayed full; null when none was. */
  readonly embeddingDropped?: Maybe<Scalars['Int']['output']>;
};

/** A document to be added or replaced. */
export type AddDocumentInput = {
  /** Name of the collection. */
  readonly collection: Scalars['String']['input'];
  /** Key of the document. */
  readonly key: Scalars['String']['input'];
  /** Language code. */
  readonly lang: Scalars['String']['input'];
  /** Metadata; replaces all that the document has, absent means none. */
  readonly meta?: InputMaybe<ReadonlyArray<MetaInput>>;
  /** The markdown body; may be empty. */
  readonly contentMd: Scalars['String']['input'];
  /** Seconds until the document expires; 0 removes the expiry, absent keeps it. */
  readonly ttl?: InputMaybe<Scalars['Int']['input']>;
  /** Whether to keep this version in the document's history; the default is true. */
  readonly saveRevision?: InputMaybe<Scalars['Boolean']['input']>;
  /** Do this only if the document has this `checksum`, as it was read; otherwise nothing happens, and the code is `precondition_failed`. */
  readonly ifChecksum?: InputMaybe<Scalars['String']['input']>;
  /** Vectors by declared field, replacing all that the document has, in the forms of the REST API; absent means none. */
  readonly vectors?: InputMaybe<Scalars['JSONObject']['input']>;
};

/** What changes about a document; at least one of `meta`, `contentMd` and `ttl`. */
export type UpdateDocumentInput = {
  /** Name of the collection. */
  readonly collection: Scalars['String']['input'];
  /** Key of the document. */
  readonly key: Scalars['String']['input'];
  /** Language code. */
  readonly lang: Scalars['String']['input'];
  /** New metadata; replaces all, an empty list clears, absent keeps. */
  readonly meta?: InputMaybe<ReadonlyArray<MetaInput>>;
  /** New body; may be empty, absent keeps the body. */
  readonly contentMd?: InputMaybe<Scalars['String']['input']>;
  /** Seconds until the document expires; 0 removes the expiry, absent keeps it. */
  readonly ttl?: InputMaybe<Scalars['Int']['input']>;
  /** Do this only if the document has this `checksum`, as it was read; otherwise nothing happens, and the code is `precondition_failed`. */
  readonly ifChecksum?: InputMaybe<Scalars['String']['input']>;
  /** New vectors by declared field, in the forms of the REST API; given fields are replaced, a null one is removed, absent ones stay. */
  readonly vectors?: InputMaybe<Scalars['JSONObject']['input']>;
};

/** A search by metadata. */
export type SearchInput = {
  /** Name of the collection. */
  readonly collection: Scalars['String']['input'];
  /** Values that the metadata must have; absent means all documents. */
  readonly filterMeta?: InputMaybe<ReadonlyArray<MetaInput>>;
  /** Keeps the documents for which an expression holds, beside all other filters. */
  readonly filter?: InputMaybe<FilterInput>;
  /** Keeps the documents in one of these languages; letter case does not matter, and an empty list keeps all. */
  readonly langs?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Whether to answer although some partitions are on no node that answers: `warnings` names those; the default is false. */
  readonly partial?: InputMaybe<Scalars['Boolean']['input']>;
  /** Ranges that must all hold. */
  readonly rangeMeta?: InputMaybe<ReadonlyArray<RangeInput>>;
  /** What to sort by, such as `updatedAt`, or `year:desc, title:asc`; absent means by key, ascending. */
  readonly sort?: InputMaybe<Scalars['String']['input']>;
  /** Whether to sort ascending by the keys of `sort` that name no direction. The default is false with `sort` and true without. */
  readonly asc?: InputMaybe<Scalars['Boolean']['input']>;
  /** Maximum number of documents to return, 0 to 10,000. The default is `topK` of the collection's retrieval profile, else 50. */
  readonly limit?: InputMaybe<Scalars['Int']['input']>;
  /** Another name for `limit`; when both are sent they must be the same. */
  readonly topK?: InputMaybe<Scalars['Int']['input']>;
  /** Pages by where the one before ended: `*` for the first, then the `nextCursor` of the response before. It does not go with `offset`. */
  readonly cursor?: InputMaybe<Scalars['String']['input']>;
  /** How many matches to skip; the default is 0. */
  readonly offset?: InputMaybe<Scalars['Int']['input']>;
  /** Whether to return deleted documents that can be restored, as they were last, instead of those that are there. */
  readonly deleted?: InputMaybe<Scalars['Boolean']['input']>;
  /** Tokens that the results may cost together; 0 means no budget. The default is that of the collection's retrieval profile. */
  readonly contextTokenBudget?: InputMaybe<Scalars['Int']['input']>;
};

/** One document of a batch. */
export type AddBatchDocumentInput = {
  /** Key of the document. */
  readonly key: Scalars['String']['input'];
  /** Language code. */
  readonly lang: Scalars['String']['input'];
  /** The markdown body; may be empty. */
  readonly contentMd: Scalars['String']['input'];
  /** Metadata; replaces all that the document has, absent means none. */
  readonly meta?: InputMaybe<ReadonlyArray<MetaInput>>;
  /** Whether to keep this version in the document's history; absent means what the batch says. */
  readonly saveRevision?: InputMaybe<Scalars['Boolean']['input']>;
  /** Vectors by declared field, in the forms of the REST API; absent means none. */
  readonly vectors?: InputMaybe<Scalars['JSONObject']['input']>;
};

/** One version of a document. */
export type Revision = {
  readonly __typename?: 'Revision';
  /** Its number, counted from 1. */
  readonly revision: Scalars['Int']['output'];
  /** When this version was written. Revisions of one second share it. */
  readonly timestamp: Scalars['Time']['output'];
  /** When this version was written, the same as `timestamp`. */
  readonly updatedAt: Scalars['Time']['output'];
  /** The markdown body of this version. */
  readonly contentMd: Scalars['String']['output'];
  /** Metadata of this version: an object from a key to the list of its values. */
  readonly meta: Scalars['JSONObject']['output'];
};

/** The kept versions of a document. */
export type RevisionList = {
  readonly __typename?: 'RevisionList';
  /** The collection of the request. */
  readonly collection: Scalars['String']['output'];
  /** The key in its latest spelling. */
  readonly key: Scalars['String']['output'];
  /** The language in its latest spelling. */
  readonly lang: Scalars['String']['output'];
  /** The versions, newest first. */
  readonly revisions: ReadonlyArray<Revision>;
  /** Number of all revisions. */
  readonly total: Scalars['Int']['output'];
  /** When the document was deleted; null for one that is there. */
  readonly deletedAt?: Maybe<Scalars['Time']['output']>;
  /** Whether the response reached the maximum size of one response before it had all that was asked for. */
  readonly truncated: Scalars['Boolean']['output'];
  /** The `offset` to go on with; null when the response is not truncated. */
  readonly nextOffset?: Maybe<Scalars['Int']['output']>;
};

/** A document that was found by its words. */
export type FtsResult = {
  readonly __typename?: 'FTSResult';
  /** The document. */
  readonly document: Document;
  /** Relevance; the greater the better, comparable within one response only. */
  readonly score: Scalars['Float']['output'];
  /** Terms of the query that the document has. */
  readonly matchedTerms: ReadonlyArray<Scalars['String']['output']>;
  /** Passages around the matches, those of the body first; null unless `highlight` asks for them. */
  readonly highlights?: Maybe<ReadonlyArray<Highlight>>;
  /** Whether a curation rule put the result here. */
  readonly pinned: Scalars['Boolean']['output'];
};

/** A passage around matches. */
export type Highlight = {
  readonly __typename?: 'Highlight';
  /** Where the passage stands: `content` is the body, `meta.title` the metadata key `title`. */
  readonly field: Scalars['String']['output'];
  /** Which value of the metadata key, counted from 0; null for the body. */
  readonly valueIndex?: Maybe<Scalars['Int']['output']>;
  /** The passage with the matches tagged, and `…` where it was cut. */
  readonly fragment: Scalars['String']['output'];
  /** Terms of the query that the passage has. */
  readonly matchedTerms: ReadonlyArray<Scalars['String']['output']>;
  /** First byte of the passage in its field, counted from 0. */
  readonly startOffset: Scalars['Int']['output'];
  /** Byte after the last one. */
  readonly endOffset: Scalars['Int']['output'];
  /** First line, counted from 1. */
  readonly startLine: Scalars['Int']['output'];
  /** Last line, inclusive. */
  readonly endLine: Scalars['Int']['output'];
};

/** How a query was corrected before the search. */
export type SpellCorrected = {
  readonly __typename?: 'SpellCorrected';
  /** The query as sent. */
  readonly original: Scalars['String']['output'];
  /** The query that was searched for. */
  readonly corrected: Scalars['String']['output'];
};

/** The response of a full-text search. */
export type FtsResponse = {
  readonly __typename?: 'FTSResponse';
  /** The most relevant documents, the best first. */
  readonly results: ReadonlyArray<FtsResult>;
  /** How many results there are in this response. */
  readonly total: Scalars['Int']['output'];
  /** Number of documents that match, whatever `limit` is; a lower bound with `totalIsLowerBound`. Null with `totals: NONE`. */
  readonly totalMatches?: Maybe<Scalars['Int']['output']>;
  /** Whether more documents may match than `totalMatches` says, which is 1,000 or more then. */
  readonly totalIsLowerBound: Scalars['Boolean']['output'];
  /** The algorithm that scored the documents. */
  readonly algorithm: Scalars['String']['output'];
  /** How the query was read: `simple`, `boolean`, `phrase`, `wildcard`, `proximity` or `expression`. */
  readonly mode: Scalars['String']['output'];
  /** Code of the language whose stemmer and stop words were used; of several, the first of `langs`. */
  readonly lang: Scalars['String']['output'];
  /** Codes of all languages that the query was read in, that of most documents first. */
  readonly langs: ReadonlyArray<Scalars['String']['output']>;
  /** Whether words were stemmed. */
  readonly stemmingActive: Scalars['Boolean']['output'];
  /** Whether synonyms were added to the query. */
  readonly synonymsActive: Scalars['Boolean']['output'];
  /** Counts of the values of `facetBy` over all matches: an object from a field to a list of `value` and `count`; null without `facetBy`. */
  readonly facets?: Maybe<Scalars['JSONObject']['output']>;
  /** Whether facets had more values than one response may hold, a quarter of it. */
  readonly facetsTruncated: Scalars['Boolean']['output'];
  /** How the query was corrected before the search; null when it was not. */
  readonly spellCorrected?: Maybe<SpellCorrected>;
  /** The collection's answer-format instruction, its template expanded; null when it has none. */
  readonly responsePrompt?: Maybe<Scalars['String']['output']>;
  /** Whether the token budget of the request or of the collection's profile left results out. */
  readonly contextTruncated: Scalars['Boolean']['output'];
  /** Whether the response reached the maximum size of one response before it had all that was asked for. */
  readonly truncated: Scalars['Boolean']['output'];
  /** The `offset` to go on with; null when the response is not truncated. */
  readonly nextOffset?: Maybe<Scalars['Int']['output']>;
  /** The `cursor` of the next page; null without a cursor in the request, and when the response is empty. */
  readonly nextCursor?: Maybe<Scalars['String']['output']>;
  /** Queries that would have found something, nearest first; empty unless nothing was found. */
  readonly suggestions: ReadonlyArray<Scalars['String']['output']>;
  /** Stop words that were not looked for; empty unless nothing was found. */
  readonly droppedWords: ReadonlyArray<Scalars['String']['output']>;
  /** What the search had to do without, such as vectors for `mmr`; empty when nothing. */
  readonly warnings: ReadonlyArray<Scalars['String']['output']>;
};

/** How many edits a word may be away. */
export type Fuzziness =
  /** None. */
  | 'EXACT'
  /** One. */
  | 'ONE'
  /** Two. */
  | 'TWO'
  /** None below 4 characters, one from 4 and two from 8. */
  | 'AUTO';

/** Which word of a query may be the beginning of one. */
export type PrefixMatching =
  /** None. */
  | 'NONE'
  /** The last, unless a space follows it. */
  | 'LAST';

/** How many words of a query a document has to have; stop words are not counted. */
export type MatchingStrategy =
  /** At least one. */
  | 'ANY'
  /** All. */
  | 'ALL'
  /** Both of two, all but one of three to five, and three quarters of more. */
  | 'MOST';

/** How exactly matches are counted. */
export type Totals =
  /** All are counted. */
  | 'EXACT'
  /** At least 1,000 are counted, or all where there are fewer. */
  | 'BOUNDED'
  /** None is counted. */
  | 'NONE';

/** A search by words. */
export type FtsInput = {
  /** Name of the collection. */
  readonly collection: Scalars['String']['input'];
  /** What to search for: words, "phrases", wild*, AND, OR, NOT. */
  readonly query: Scalars['String']['input'];
  /** Most results, 1 to 10,000. The default is `topK` of the collection's retrieval profile, else 50. */
  readonly limit?: InputMaybe<Scalars['Int']['input']>;
  /** Another name for `limit`; when both are sent they must be the same. */
  readonly topK?: InputMaybe<Scalars['Int']['input']>;
  /** Keeps the documents for which an expression holds, beside all other filters. */
  readonly filter?: InputMaybe<FilterInput>;
  /** Keeps the documents in one of these languages; letter case does not matter, and an empty list keeps all. */
  readonly langs?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Whether to answer although some partitions are on no node that answers: `warnings` names those; the default is false. */
  readonly partial?: InputMaybe<Scalars['Boolean']['input']>;
  /** An order in place of the best first, such as `year:desc, score`. */
  readonly sort?: InputMaybe<Scalars['String']['input']>;
  /** Pages by where the one before ended: `*` for the first, then the `nextCursor` of the response before. It does not go with `offset`. */
  readonly cursor?: InputMaybe<Scalars['String']['input']>;
  /** How many of the best results to skip; the default is 0. */
  readonly offset?: InputMaybe<Scalars['Int']['input']>;
  /** Tokens that the results may cost together; 0 means no budget. The default is that of the collection's retrieval profile. */
  readonly contextTokenBudget?: InputMaybe<Scalars['Int']['input']>;
  /** Edits allowed between a word of the query and an indexed one; the default is EXACT. */
  readonly fuzzy?: InputMaybe<Fuzziness>;
  /** Whether the last word may be the beginning of one; the default is NONE. */
  readonly prefix?: InputMaybe<PrefixMatching>;
  /** How many of the words a document has to have; the default is ANY. */
  readonly matchingStrategy?: InputMaybe<MatchingStrategy>;
  /** How exactly matches are counted; the default is EXACT. BOUNDED counts exactly where a search needs all matches. */
  readonly totals?: InputMaybe<Totals>;
  /** Whether the best 100 matches are put into a better order, for queries that are read in simple mode; the default is true. False leaves the scores of the algorithm. */
  readonly rerank?: InputMaybe<Scalars['Boolean']['input']>;
  /** Keeps the documents within this circle. */
  readonly geo?: InputMaybe<GeoCircleInput>;
  /** How documents are scored: `tfidf`, `bm25`, `bm25f` or `pmisparse`. The default is that of the collection's retrieval profile, else the server's. */
  readonly algorithm?: InputMaybe<Scalars['String']['input']>;
  /** How `query` is read: `auto`, `simple`, `boolean`, `phrase`, `wildcard`, `proximity` or `expression`; the default is `auto`. */
  readonly mode?: InputMaybe<Scalars['String']['input']>;
  /** Words allowed between the terms of a proximity query that has no `~N`; the default is 5. */
  readonly distance?: InputMaybe<Scalars['Int']['input']>;
  /** Language of the query. Without it, the query is read once for each language that documents of the collection have. */
  readonly lang?: InputMaybe<Scalars['String']['input']>;
  /** Whether to search the words as written, without stemming; the default is false. */
  readonly disableStem?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether to leave the collection's synonyms out; the default is false. */
  readonly disableSynonyms?: InputMaybe<Scalars['Boolean']['input']>;
  /** Weights of the fields for `bm25f`, by field: `content`, `headings`, `key`, and metadata keys such as `meta.author`. */
  readonly fieldWeights?: InputMaybe<Scalars['JSONObject']['input']>;
  /** Values that the metadata must have. */
  readonly filterMeta?: InputMaybe<ReadonlyArray<MetaInput>>;
  /** Ranges that must all hold. */
  readonly rangeMeta?: InputMaybe<ReadonlyArray<RangeInput>>;
  /** Factors by metadata, keyed `metaKey:metaValue`: a positive number multiplies the score, a negative one divides it. */
  readonly boost?: InputMaybe<Scalars['JSONObject']['input']>;
  /** Whether each result has `highlights`; the default is false. */
  readonly highlight?: InputMaybe<Scalars['Boolean']['input']>;
  /** Tag put before each match, from which the closing tag is derived; the default is `<mark>`. */
  readonly highlightTag?: InputMaybe<Scalars['String']['input']>;
  /** Whether the text of fragments is escaped for HTML: `none` or `html`; the default is `none`. */
  readonly highlightEscape?: InputMaybe<Scalars['String']['input']>;
  /** Fragments of the body in each result at most, and as many of metadata; the default is 3. */
  readonly maxHighlights?: InputMaybe<Scalars['Int']['input']>;
  /** Length of a fragment in bytes, snapped to word boundaries; the default is 150. */
  readonly fragmentSize?: InputMaybe<Scalars['Int']['input']>;
  /** Metadata keys, or `lang`, whose values to count over all matches. */
  readonly facetBy?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Values of each facet at most; the default is 0, which means all. */
  readonly facetMaxValues?: InputMaybe<Scalars['Int']['input']>;
  /** Whether to prefer results that differ from each other (maximal marginal relevance), compared by their vectors; the default is false. */
  readonly mmr?: InputMaybe<Scalars['Boolean']['input']>;
  /** Weight of relevance against difference under `mmr`, 0 to 1; the default is 0.5. */
  readonly mmrLambda?: InputMaybe<Scalars['Float']['input']>;
};

/** A word, phrase or title that begins as was typed. */
export type Completion = {
  readonly __typename?: 'Completion';
  /** The word, phrase or title. */
  readonly term: Scalars['String']['output'];
  /** Field in which it occurs; where all were asked for, that of most documents. */
  readonly field: Scalars['String']['output'];
  /** Documents that have it, in that field if one was asked for, else in any. */
  readonly docCount: Scalars['Int']['output'];
};

/** What completes a prefix. */
export type Completions = {
  readonly __typename?: 'Completions';
  /** By number of documents descending, then by the alphabet. */
  readonly items: ReadonlyArray<Completion>;
  /** Items in this response. */
  readonly total: Scalars['Int']['output'];
  /** The prefix as sent. */
  readonly query: Scalars['String']['output'];
  /** The field that was asked for; empty for all. */
  readonly field: Scalars['String']['output'];
};

/** What to count, over all documents that pass the filters. */
export type AggregateInput = {
  /** Name of the collection. */
  readonly collection: Scalars['String']['input'];
  /** Values that the metadata must have. */
  readonly filterMeta?: InputMaybe<ReadonlyArray<MetaInput>>;
  /** Keeps the documents for which an expression holds, beside all other filters. */
  readonly filter?: InputMaybe<FilterInput>;
  /** Keeps the documents in one of these languages; letter case does not matter, and an empty list keeps all. */
  readonly langs?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Keeps the documents within this circle. */
  readonly geo?: InputMaybe<GeoCircleInput>;
  /** Counts the documents that have a place by the geohash of their cell. */
  readonly geohash?: InputMaybe<GeohashInput>;
  /** Fields whose values to count, 100 at most. */
  readonly facets?: InputMaybe<ReadonlyArray<FacetInput>>;
  /** Timestamps whose calendar periods to count, 10 at most. */
  readonly histograms?: InputMaybe<ReadonlyArray<HistogramInput>>;
  /** Values of each facet at most, 1 to 10,000; the default is 50. */
  readonly maxFacetSize?: InputMaybe<Scalars['Int']['input']>;
};

/** The cells of a map. */
export type GeohashInput = {
  /** Characters of the geohashes, 1 to 12; the default is 5. */
  readonly precision?: InputMaybe<Scalars['Int']['input']>;
  /** Cells at most, those of the most documents, 1 to 10,000; the default is 1,000. */
  readonly size?: InputMaybe<Scalars['Int']['input']>;
};

/** A field whose values to count. */
export type FacetInput = {
  /** A metadata key, or `lang`. */
  readonly field: Scalars['String']['input'];
  /** By `count`, the largest first, which is the default, or by `value`. */
  readonly orderBy?: InputMaybe<Scalars['String']['input']>;
};

/** A timestamp whose calendar periods to count. */
export type HistogramInput = {
  /** `addedAt` or `updatedAt`. */
  readonly field: Scalars['String']['input'];
  /** `day`, `week`, `month` or `year`, in UTC; weeks start on Monday. The default is `month`. */
  readonly interval?: InputMaybe<Scalars['String']['input']>;
};

/** Counts of documents. */
export type Aggregation = {
  readonly __typename?: 'Aggregation';
  /** The collection. */
  readonly collection: Scalars['String']['output'];
  /** Documents that pass the filters. */
  readonly totalDocs: Scalars['Int']['output'];
  /** Counts of the values of each facet, by field: lists of `{value, count}`. */
  readonly facets: Scalars['JSONObject']['output'];
  /** Periods of each histogram in order of time, by field. */
  readonly histograms: Scalars['JSONObject']['output'];
  /** The cells of most documents first, then by geohash; null unless asked for. */
  readonly geohashes?: Maybe<ReadonlyArray<GeohashCount>>;
  /** Whether facets had more values than one response may hold; `maxFacetSize` asks for fewer of each. */
  readonly facetsTruncated: Scalars['Boolean']['output'];
  /** Time taken, in milliseconds. */
  readonly durationMs: Scalars['Int']['output'];
};

/** The documents of one cell. */
export type GeohashCount = {
  readonly __typename?: 'GeohashCount';
  /** The geohash of the cell. */
  readonly geohash: Scalars['String']['output'];
  /** Latitude of its middle, in degrees. */
  readonly lat: Scalars['Float']['output'];
  /** Longitude of its middle, in degrees. */
  readonly lng: Scalars['Float']['output'];
  /** Documents within. */
  readonly count: Scalars['Int']['output'];
};

/** A document, or a passage of one, that was found by words and meaning. */
export type HybridResult = {
  readonly __typename?: 'HybridResult';
  /** The document. */
  readonly document: Document;
  /** The fused score. */
  readonly combinedScore: Scalars['Float']['output'];
  /** Relevance by words after normalisation, 0 to 1; 0 when it is not a candidate by words. */
  readonly ftsScore: Scalars['Float']['output'];
  /** Similarity by meaning after normalisation, 0 to 1; 0 when it was not computed. */
  readonly vectorScore: Scalars['Float']['output'];
  /** Place among the candidates by words, from 1; null when it is none of them. */
  readonly ftsRank?: Maybe<Scalars['Int']['output']>;
  /** Place by similarity among those for which it was computed, from 1; null when it was not. */
  readonly vectorRank?: Maybe<Scalars['Int']['output']>;
  /** Terms of the query that the document has. */
  readonly matchedTerms: ReadonlyArray<Scalars['String']['output']>;
  /** Passages around the words, those of the body first; null unless `highlight` asks for them. */
  readonly highlights?: Maybe<ReadonlyArray<Highlight>>;
  /** Place among the results, from 1. */
  readonly rank: Scalars['Int']['output'];
  /** Whether a curation rule put the result here. */
  readonly pinned: Scalars['Boolean']['output'];
  /** Distance from the middle of `geo`, in metres; null without `geo`, and for a pinned document that has no place. */
  readonly distanceMeters?: Maybe<Scalars['Float']['output']>;
  /** Number of the passage in its document, counted from 0, of the best one in a window; null in the mode `parent`. */
  readonly chunkIndex?: Maybe<Scalars['Int']['output']>;
  /** Text of the passage, or of the window around it; null in the mode `parent`. */
  readonly chunkText?: Maybe<Scalars['String']['output']>;
  /** First line of the passage in the body, counted from 1; null in the mode `parent`. */
  readonly startLine?: Maybe<Scalars['Int']['output']>;
  /** Its last line, inclusive; null in the mode `parent`. */
  readonly endLine?: Maybe<Scalars['Int']['output']>;
};

/** The response of a search by words and meaning. */
export type HybridSearchResponse = {
  readonly __typename?: 'HybridSearchResponse';
  /** Best first, nearest first, or in the order of `sort`. */
  readonly results: ReadonlyArray<HybridResult>;
  /** How many results there are in this response. */
  readonly total: Scalars['Int']['output'];
  /** Number of documents that the words match, of candidates by meaning and of what curation pins; null with `totals: NONE`. */
  readonly totalMatches?: Maybe<Scalars['Int']['output']>;
  /** How the two rankings were fused: `alpha` or `rrf`. */
  readonly strategy: Scalars['String']['output'];
  /** The weight of meaning that was used, 0 where the words alone had to decide; without effect under `rrf`. */
  readonly alpha: Scalars['Float']['output'];
  /** The constant of `rrf`; without effect under `alpha`. */
  readonly rrfK: Scalars['Int']['output'];
  /** The algorithm that scored the words. */
  readonly ftsAlgorithm: Scalars['String']['output'];
  /** The algorithm that found the vectors. */
  readonly vectorAlgorithm: Scalars['String']['output'];
  /** The measure of similarity that was used. */
  readonly distanceMetric: Scalars['String']['output'];
  /** What a result is: `parent`, `chunk` or `window`. */
  readonly retrievalMode?: Maybe<Scalars['String']['output']>;
  /** Counts of the values of `facetBy`: an object from a field to a list of `value` and `count`; null without `facetBy`. */
  readonly facets?: Maybe<Scalars['JSONObject']['output']>;
  /** Whether facets had more values than one response may hold, a quarter of it. */
  readonly facetsTruncated: Scalars['Boolean']['output'];
  /** What the search had to do without, such as the semantic part; empty when nothing. */
  readonly warnings: ReadonlyArray<Scalars['String']['output']>;
  /** How the query was corrected before the search; null when it was not. */
  readonly spellCorrected?: Maybe<SpellCorrected>;
  /** How the search went. */
  readonly searchStats: SearchStats;
  /** The collection's answer-format instruction, its template expanded; null when it has none. */
  readonly responsePrompt?: Maybe<Scalars['String']['output']>;
  /** Whether the token budget of the request or of the collection's profile left results out. */
  readonly contextTruncated: Scalars['Boolean']['output'];
  /** How many of the best 50 results the encoder has put in order; null when it was not asked. */
  readonly reranked?: Maybe<Scalars['Int']['output']>;
  /** Whether the response reached the maximum size of one response before it had all that was asked for. */
  readonly truncated: Scalars['Boolean']['output'];
  /** The `offset` to go on with; null when the response is not truncated. */
  readonly nextOffset?: Maybe<Scalars['Int']['output']>;
  /** The `cursor` of the next page; null without a cursor in the request, and when there was nothing more. */
  readonly nextCursor?: Maybe<Scalars['String']['output']>;
};

/** A search by words and meaning. */
export type HybridSearchInput = {
  /** Name of the collection. */
  readonly collection: Scalars['String']['input'];
  /** What to search for, in words. */
  readonly query: Scalars['String']['input'];
  /** Most results, 1 to 1,000. The default is that of the collection's retrieval profile, else 10. */
  readonly topK?: InputMaybe<Scalars['Int']['input']>;
  /** Another name for `topK`; when both are sent they must be the same. */
  readonly limit?: InputMaybe<Scalars['Int']['input']>;
  /** How many of the best results to skip; the default is 0. */
  readonly offset?: InputMaybe<Scalars['Int']['input']>;
  /** Pages by where the one before ended: `*` for the first, then the `nextCursor` of the response before. It goes through what the 1,000 best candidates of each side make, and does not go with `offset`. */
  readonly cursor?: InputMaybe<Scalars['String']['input']>;
  /** What comes first: `combined`, which is the default, `distance`, which needs `geo`, or keys such as `year:desc, score`. */
  readonly sort?: InputMaybe<Scalars['String']['input']>;
  /** How words are scored: `bm25`, `bm25f` or `pmisparse`; the default is `bm25`. */
  readonly algorithm?: InputMaybe<Scalars['String']['input']>;
  /** How the nearest vectors are found, as `algorithm` of `VectorSearchInput`. */
  readonly vectorAlgorithm?: InputMaybe<Scalars['String']['input']>;
  /** Weight of meaning, 0 words only, 1 meaning only. The default is that of the collection's retrieval profile, else it is fitted to the query. */
  readonly alpha?: InputMaybe<Scalars['Float']['input']>;
  /** How the two rankings are fused: `alpha` or `rrf`. The default is that of the collection's retrieval profile, else `alpha`. */
  readonly strategy?: InputMaybe<Scalars['String']['input']>;
  /** Constant of `rrf`; the default is 60. */
  readonly rrfK?: InputMaybe<Scalars['Int']['input']>;
  /** Edits allowed between a word of the query and an indexed one; the default is EXACT. */
  readonly fuzzy?: InputMaybe<Fuzziness>;
  /** Whether the last word may be the beginning of one, for what is found by words; the default is NONE. */
  readonly prefix?: InputMaybe<PrefixMatching>;
  /** How many of the words a document has to have to be found by words; the default is ANY. */
  readonly matchingStrategy?: InputMaybe<MatchingStrategy>;
  /** Candidates whose similarity, before boosts, is less are left out of the vector side, 0 to 1; the default is 0. */
  readonly threshold?: InputMaybe<Scalars['Float']['input']>;
  /** How similarity is measured: `cosine`, `dot_product` or `euclidean`; the default is `cosine`. */
  readonly distanceMetric?: InputMaybe<Scalars['String']['input']>;
  /** Values that the metadata must have. */
  readonly filterMeta?: InputMaybe<ReadonlyArray<MetaInput>>;
  /** Keeps the documents for which an expression holds, beside all other filters. */
  readonly filter?: InputMaybe<FilterInput>;
  /** Keeps the documents in one of these languages; letter case does not matter, and an empty list keeps all. */
  readonly langs?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Whether to answer although some partitions are on no node that answers: `warnings` names those; the default is false. */
  readonly partial?: InputMaybe<Scalars['Boolean']['input']>;
  /** Ranges that must all hold. */
  readonly rangeMeta?: InputMaybe<ReadonlyArray<RangeInput>>;
  /** Keeps the documents within this circle. */
  readonly geo?: InputMaybe<GeoCircleInput>;
  /** Whether documents carry their body. The default is whether `contentMd` is asked for. */
  readonly includeContent?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether to search the words as written, without stemming; the default is false. */
  readonly disableStem?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether to leave the collection's synonyms out; the default is false. */
  readonly disableSynonyms?: InputMaybe<Scalars['Boolean']['input']>;
  /** Factors by metadata, keyed `metaKey:metaValue`: a positive number multiplies the score, a negative one divides it. */
  readonly boost?: InputMaybe<Scalars['JSONObject']['input']>;
  /** Metadata keys, or `lang`, whose values to count over all matches. */
  readonly facetBy?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Values of each facet at most; the default is 0, which means all. */
  readonly facetMaxValues?: InputMaybe<Scalars['Int']['input']>;
  /** Whether `totalMatches` counts what matches; the default is NONE. It needs all matches, so BOUNDED counts exactly. */
  readonly totals?: InputMaybe<Totals>;
  /** Whether each result has `highlights`; the default is false. */
  readonly highlight?: InputMaybe<Scalars['Boolean']['input']>;
  /** Tag put before each match; the closing tag is derived from it. The default is `<mark>`. */
  readonly highlightTag?: InputMaybe<Scalars['String']['input']>;
  /** Whether the text of fragments is escaped for HTML: `none` or `html`; the default is `none`. */
  readonly highlightEscape?: InputMaybe<Scalars['String']['input']>;
  /** Fragments of the body in each result at most, and as many of metadata; the default is 3. */
  readonly maxHighlights?: InputMaybe<Scalars['Int']['input']>;
  /** Length of a fragment in bytes; the default is 150. */
  readonly fragmentSize?: InputMaybe<Scalars['Int']['input']>;
  /** What a result is: `parent` for a document, `chunk` for a passage, `window` for a passage with its neighbours. The default is that of the collection's retrieval profile, else `parent`. */
  readonly retrievalMode?: InputMaybe<Scalars['String']['input']>;
  /** Neighbouring passages on each side, in `window`; the default is 1. */
  readonly windowSize?: InputMaybe<Scalars['Int']['input']>;
  /** Candidates of each side for each result, 1 to 10, at least 50. The default is that of the collection's retrieval profile, else 3. */
  readonly oversample?: InputMaybe<Scalars['Float']['input']>;
  /** Tokens that the results may cost together; 0 means no budget. The default is that of the collection's retrieval profile. */
  readonly contextTokenBudget?: InputMaybe<Scalars['Int']['input']>;
  /** Whether the encoder reorders the best 50 results: `encoder` or `none`. The default is the server's. */
  readonly rerank?: InputMaybe<Scalars['String']['input']>;
  /** Whether to prefer results that differ from each other (maximal marginal relevance), compared by their vectors; the default is false. */
  readonly mmr?: InputMaybe<Scalars['Boolean']['input']>;
  /** Weight of relevance against difference under `mmr`, 0 to 1; the default is 0.5. */
  readonly mmrLambda?: InputMaybe<Scalars['Float']['input']>;
  /** How many passages of one document are results at most, in `chunk` and `window`; all that are among the best when absent. */
  readonly passagesPerDocument?: InputMaybe<Scalars['Int']['input']>;
  /** The declared field whose vectors are searched: supplied ones with `queryVector`, `queryVectors` or `querySparse`, those of a provider with the query. `_server` are those of the server's own provider. Absent means the collection's default field. */
  readonly vectorField?: InputMaybe<Scalars['String']['input']>;
  /** What `vectorField` is compared with. */
  readonly queryVector?: InputMaybe<ReadonlyArray<Scalars['Float']['input']>>;
  /** The vectors of the query's tokens, for a `vectorField` of the kind `multi` (MaxSim). */
  readonly queryVectors?: InputMaybe<ReadonlyArray<ReadonlyArray<Scalars['Float']['input']>>>;
  /** What `vectorField` is compared with where it is of the kind `sparse`. */
  readonly querySparse?: InputMaybe<SparseVectorInput>;
};

/** What became of a batch from a scraper. */
export type IngestResult = {
  readonly __typename?: 'IngestResult';
  /** Documents that are new. */
  readonly added: Scalars['Int']['output'];
  /** Documents that existed and were replaced. */
  readonly updated: Scalars['Int']['output'];
  /** Documents that were left alone, because body, metadata and expiry had not changed. */
  readonly skipped: Scalars['Int']['output'];
  /** Items that were refused. */
  readonly failed: Scalars['Int']['output'];
  /** `INDEX KEY: REASON` of the items that were refused. */
  readonly errors: ReadonlyArray<Scalars['String']['output']>;
  /** Name of the collection. */
  readonly collection: Scalars['String']['output'];
  /** Milliseconds that it took. */
  readonly durationMs: Scalars['Int']['output'];
  /** The profile that was applied. */
  readonly profile?: Maybe<Scalars['String']['output']>;
  /** Keys of the batch that differ only in case, and so name one document, as `LANG: KEY, KEY`; keys that several URLs make, as `LANG: KEY (URL, URL)`. */
  readonly keyCollisions?: Maybe<ReadonlyArray<Scalars['String']['output']>>;
};

/** One page of a scraper. */
export type IngestDocumentInput = {
  /** Address of the page; gives the key where there is none, and is kept as metadata `source_url`. */
  readonly url?: InputMaybe<Scalars['String']['input']>;
  /** Key of the document; absent means derived from `url`. */
  readonly key?: InputMaybe<Scalars['String']['input']>;
  /** Language code. */
  readonly lang: Scalars['String']['input'];
  /** The markdown body. */
  readonly contentMd: Scalars['String']['input'];
  /** Metadata of the document. */
  readonly meta?: InputMaybe<ReadonlyArray<MetaInput>>;
  /** Whether front matter of the body becomes metadata; `meta` wins over it. */
  readonly extractFrontmatter?: InputMaybe<Scalars['Boolean']['input']>;
  /** When the page was read, in Unix seconds; kept as metadata `scraped_at`. */
  readonly scrapedAt?: InputMaybe<Scalars['Int']['input']>;
  /** Name of the scraper; kept as metadata `scraper`. */
  readonly scraper?: InputMaybe<Scalars['String']['input']>;
  /** Seconds until the document expires; 0 removes the expiry, absent keeps it. */
  readonly ttl?: InputMaybe<Scalars['Int']['input']>;
  /** Vectors by declared field, in the forms of the REST API; absent means none. */
  readonly vectors?: InputMaybe<Scalars['JSONObject']['input']>;
};

/** How a batch is taken in. What is absent is as the profile says. */
export type IngestOptionsInput = {
  /** Whether to leave documents alone whose body, metadata (except `scraped_at`) and expiry have not changed. */
  readonly skipDuplicates?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether to do without vectors. */
  readonly skipEmbeddings?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether to leave the documents out of full-text search until the collection is reindexed. */
  readonly skipFts?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether to call no webhooks. */
  readonly skipWebhooks?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether to configure a new collection by its documents. */
  readonly autoConfigureCollection?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether to keep the versions in the documents' history. */
  readonly saveRevision?: InputMaybe<Scalars['Boolean']['input']>;
  /** `default` or `fast`; another one is refused. */
  readonly profile?: InputMaybe<Scalars['String']['input']>;
  /** Whether to keep only the plain text of what would be converted to markdown. */
  readonly textOnly?: InputMaybe<Scalars['Boolean']['input']>;
  /** What a derived key is made of: `path` (the default), or `url` with its host and query; another one is refused. */
  readonly keyFrom?: InputMaybe<Scalars['String']['input']>;
};

/** A message, or a summary, that was recalled. */
export type RecallResult = {
  readonly __typename?: 'RecallResult';
  /** Its document. */
  readonly document: Document;
  /** Score by the strategy. Fused ranks say nothing of how near a result is to the query; `vectorScore` does. */
  readonly score: Scalars['Float']['output'];
  /** Similarity to the query by meaning (cosine), to which `threshold` applies; negative ones are 0, as is what was not found by meaning. */
  readonly vectorScore: Scalars['Float']['output'];
  /** Place among the results, from 1. */
  readonly rank: Scalars['Int']['output'];
  /** The session that it is of. */
  readonly sessionId: Scalars['String']['output'];
  /** Who speaks: `user`, `assistant`, `system` or `tool`; empty for a summary. */
  readonly role: Scalars['String']['output'];
  /** What found it: `keyword`, `semantic`, or `hybrid` when words and meaning both did. */
  readonly matchStrategy: Scalars['String']['output'];
};

/** The response of a search of past messages. */
export type RecallResponse = {
  readonly __typename?: 'RecallResponse';
  /** Best first, or in the order of `sort`. */
  readonly results: ReadonlyArray<RecallResult>;
  /** How many results there are in this response. */
  readonly total: Scalars['Int']['output'];
  /** The strategy that was used. */
  readonly strategy: Scalars['String']['output'];
  /** The query as sent. */
  readonly query: Scalars['String']['output'];
  /** Whether the token budget of the request or of the collection's profile left results out. */
  readonly contextTruncated: Scalars['Boolean']['output'];
  /** How many of the best 50 results the encoder has put in order; null when it was not asked. */
  readonly reranked?: Maybe<Scalars['Int']['output']>;
  /** Whether the response reached the maximum size of one response before it had all that was asked for. */
  readonly truncated: Scalars['Boolean']['output'];
  /** The `offset` to go on with; null when the response is not truncated. */
  readonly nextOffset?: Maybe<Scalars['Int']['output']>;
  /** The `cursor` of the next page; null without a cursor in the request, and when there was nothing more. */
  readonly nextCursor?: Maybe<Scalars['String']['output']>;
  /** What the search had to do without, such as vectors for `mmr`; empty when nothing. */
  readonly warnings: ReadonlyArray<Scalars['String']['output']>;
};

/** A search of past messages. */
export type RecallInput = {
  /** What to remember. */
  readonly query: Scalars['String']['input'];
  /** Only this user's conversations. */
  readonly userId?: InputMaybe<Scalars['String']['input']>;
  /** Only this conversation. */
  readonly sessionId?: InputMaybe<Scalars['String']['input']>;
  /** Only messages of this role: `user`, `assistant`, `system` or `tool`. */
  readonly role?: InputMaybe<Scalars['String']['input']>;
  /** Most results, 1 to 1,000. The default is that of the collection's retrieval profile, else 10. */
  readonly topK?: InputMaybe<Scalars['Int']['input']>;
  /** Another name for `topK`; when both are sent they must be the same. */
  readonly limit?: InputMaybe<Scalars['Int']['input']>;
  /** How many of the best results to skip; the default is 0. */
  readonly offset?: InputMaybe<Scalars['Int']['input']>;
  /** Pages by where the one before ended: `*` for the first, then the `nextCursor` of the response before. It goes through what the 1,000 best candidates of each side make, and does not go with `offset`. */
  readonly cursor?: InputMaybe<Scalars['String']['input']>;
  /** An order in place of the best first, such as `addedAt:desc, score`, of what the 1,000 best candidates of each side make. */
  readonly sort?: InputMaybe<Scalars['String']['input']>;
  /** Least similarity to the query of what is found by meaning; none when absent. */
  readonly threshold?: InputMaybe<Scalars['Float']['input']>;
  /** By words and meaning, by meaning, or by words: `hybrid`, `semantic` or `keyword`; the default is `hybrid`. */
  readonly strategy?: InputMaybe<Scalars['String']['input']>;
  /** Weight of meaning against words in `hybrid`, 0 to 1. When absent, ranks are fused instead. */
  readonly alpha?: InputMaybe<Scalars['Float']['input']>;
  /** Values that the metadata must have. */
  readonly filterMeta?: InputMaybe<ReadonlyArray<MetaInput>>;
  /** Keeps the documents for which an expression holds, beside all other filters. */
  readonly filter?: InputMaybe<FilterInput>;
  /** Keeps the documents in one of these languages; letter case does not matter, and an empty list keeps all. */
  readonly langs?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Ranges that must all hold. */
  readonly rangeMeta?: InputMaybe<ReadonlyArray<RangeInput>>;
  /** Whether documents carry their body. The default is whether `contentMd` is asked for. */
  readonly includeContent?: InputMaybe<Scalars['Boolean']['input']>;
  /** Tokens that the results may cost together; 0 means no budget. The default is that of the collection's retrieval profile. */
  readonly contextTokenBudget?: InputMaybe<Scalars['Int']['input']>;
  /** Whether the encoder reorders the best 50 results: `encoder` or `none`. The default is the server's. */
  readonly rerank?: InputMaybe<Scalars['String']['input']>;
  /** Whether to prefer results that differ from each other (maximal marginal relevance), compared by their vectors; the default is false. */
  readonly mmr?: InputMaybe<Scalars['Boolean']['input']>;
  /** Weight of relevance against difference under `mmr`, 0 to 1; the default is 0.5. */
  readonly mmrLambda?: InputMaybe<Scalars['Float']['input']>;
};

/** The rules for the metadata of a collection. */
export type Schema = {
  readonly __typename?: 'Schema';
  /** Name of the collection. */
  readonly collection: Scalars['String']['output'];
  /** The rules, as JSON text: `required` and `properties`. */
  readonly schema: Scalars['String']['output'];
  /** Whether the rules are applied to writes; those that are set always are. */
  readonly enabled: Scalars['Boolean']['output'];
};

/** What a check of metadata found. */
export type ValidationResult = {
  readonly __typename?: 'ValidationResult';
  /** Whether a document with this metadata would be accepted. */
  readonly valid: Scalars['Boolean']['output'];
  /** What violates the rules. */
  readonly errors: ReadonlyArray<Scalars['String']['output']>;
  /** What looks like a mistake but is allowed. */
  readonly warnings: ReadonlyArray<Scalars['String']['output']>;
};

/** Rules for a collection. */
export type SetSchemaInput = {
  /** Name of the collection. */
  readonly collection: Scalars['String']['input'];
  /** The rules, as JSON text: `required` and `properties`. */
  readonly schema: Scalars['String']['input'];
};

/** The numbers of one collection. */
export type CollectionStats = {
  readonly __typename?: 'CollectionStats';
  /** Name of the collection. */
  readonly name: Scalars['String']['output'];
  /** Documents in it. */
  readonly documentCount: Scalars['Int']['output'];
  /** Versions that its documents keep. */
  readonly revisionCount: Scalars['Int']['output'];
  /** Entries of its metadata index. */
  readonly metaIndexCount: Scalars['Int']['output'];
  /** Memory that its indexes hold. */
  readonly indexBytes: IndexBytes;
};

/** Memory that the indexes of a collection hold, in bytes. An index that is loading, has failed, or has nothing to hold is null. */
export type IndexBytes = {
  readonly __typename?: 'IndexBytes';
  /** Words and where they stand. */
  readonly fullText?: Maybe<Scalars['Long']['output']>;
  /** Embeddings, and the structures that find similar ones. */
  readonly vectors?: Maybe<Scalars['Long']['output']>;
  /** Metadata, times and names, by which documents are filtered, counted and sorted. */
  readonly columns?: Maybe<Scalars['Long']['output']>;
  /** Places, by which documents are found near others and in areas. */
  readonly geo?: Maybe<Scalars['Long']['output']>;
  /** Words with their misspellings; there once corrections were asked for. */
  readonly spelling?: Maybe<Scalars['Long']['output']>;
};

/** The numbers of the database. */
export type Stats = {
  readonly __typename?: 'Stats';
  /** Where the database is. */
  readonly databasePath: Scalars['String']['output'];
  /** Its size, in bytes. */
  readonly databaseSize: Scalars['Long']['output'];
  /** Access mode of the server: `read`, `write` or `wr`. */
  readonly mode: Scalars['String']['output'];
  /** Each collection, by name. */
  readonly collections: ReadonlyArray<CollectionStats>;
  /** Documents in all collections. */
  readonly totalDocuments: Scalars['Int']['output'];
  /** Versions that all documents keep. */
  readonly totalRevisions: Scalars['Int']['output'];
  /** Entries of all metadata indexes. */
  readonly totalMetaIndices: Scalars['Int']['output'];
  /** How long the server has been running. */
  readonly uptime: Scalars['String']['output'];
  /** Scheduled backups; null where there is no schedule. Moments are seconds since 1970. */
  readonly backups?: Maybe<BackupStats>;
  /** Memory of the process. */
  readonly memory: ProcessMemory;
};

/** Memory of the process in bytes, in parts that add up to what is resident. */
export type ProcessMemory = {
  readonly __typename?: 'ProcessMemory';
  /** Memory that the process occupies. */
  readonly resident: Scalars['Long']['output'];
  /** Objects of the main thread. */
  readonly heap: Scalars['Long']['output'];
  /** Bytes outside of the heap, among them the indexes of words, columns and places, and the caches. */
  readonly buffers: Scalars['Long']['output'];
  /** Pages of files, of the database among them, which the operating system takes back when memory is short. 0 where it does not say. */
  readonly mapped: Scalars['Long']['output'];
  /** Threads, page caches of the database, vectors, and what the allocator keeps. */
  readonly other: Scalars['Long']['output'];
};

/** Scheduled backups (`SVC_BACKUP_CRON`). */
export type BackupStats = {
  readonly __typename?: 'BackupStats';
  /** The cron expression. */
  readonly schedule: Scalars['String']['output'];
  /** Time zone of the schedule. */
  readonly timezone: Scalars['String']['output'];
  /** When the next backup is due. */
  readonly nextAt?: Maybe<Scalars['Long']['output']>;
  /** When the last backup that was written and verified was begun. */
  readonly lastGoodAt?: Maybe<Scalars['Long']['output']>;
  /** How long that took; null where an earlier process made it. */
  readonly lastDurationSeconds?: Maybe<Scalars['Float']['output']>;
  /** Its size. */
  readonly lastSizeBytes?: Maybe<Scalars['Long']['output']>;
  /** Backups that failed since then. */
  readonly failures: Scalars['Int']['output'];
  /** Why the last one failed. */
  readonly lastError?: Maybe<Scalars['String']['output']>;
  /** Scheduled backups that are there, newest first, 100 at most. */
  readonly files: ReadonlyArray<BackupFile>;
};

/** One scheduled backup. */
export type BackupFile = {
  readonly __typename?: 'BackupFile';
  /** Its name in the folder for backups. */
  readonly name: Scalars['String']['output'];
  /** When it was begun. */
  readonly at: Scalars['Long']['output'];
  /** Its size. */
  readonly sizeBytes: Scalars['Long']['output'];
};

/** A document that was found by its meaning. */
export type VectorSearchResult = {
  readonly __typename?: 'VectorSearchResult';
  /** The document. */
  readonly document: Document;
  /** Similarity to the query, after boosts; the greater the better. */
  readonly score: Scalars['Float']['output'];
  /** Place among the results, from 1. */
  readonly rank: Scalars['Int']['output'];
  /** Distance from the middle of `geo`, in metres; null without `geo`. */
  readonly distanceMeters?: Maybe<Scalars['Float']['output']>;
  /** Number of the passage in its document, counted from 0, of the best one in a window; null in the mode `parent`. */
  readonly chunkIndex?: Maybe<Scalars['Int']['output']>;
  /** Text of the passage, or of the window around it; null in the mode `parent`. */
  readonly chunkText?: Maybe<Scalars['String']['output']>;
  /** First line of the passage in the body, counted from 1; null in the mode `parent`. */
  readonly startLine?: Maybe<Scalars['Int']['output']>;
  /** Its last line, inclusive; null in the mode `parent`. */
  readonly endLine?: Maybe<Scalars['Int']['output']>;
};

/** How a search went. */
export type SearchStats = {
  readonly __typename?: 'SearchStats';
  /** Time taken, in milliseconds. */
  readonly durationMs: Scalars['Int']['output'];
};

/** The response of a vector search. */
export type VectorSearchResponse = {
  readonly __typename?: 'VectorSearchResponse';
  /** The most similar documents, the best first. */
  readonly results: ReadonlyArray<VectorSearchResult>;
  /** How many results there are in this response. */
  readonly total: Scalars['Int']['output'];
  /** Model of the vectors that were compared. */
  readonly model?: Maybe<Scalars['String']['output']>;
  /** Numbers in each vector. */
  readonly dimensions?: Maybe<Scalars['Int']['output']>;
  /** Whether the token budget of the request or of the collection's profile left results out. */
  readonly contextTruncated: Scalars['Boolean']['output'];
  /** How many of the best 50 results the encoder has put in order; null when it was not asked. */
  readonly reranked?: Maybe<Scalars['Int']['output']>;
  /** Counts of the values of `facetBy` over the candidates: an object from a field to a list of `value` and `count`; null without `facetBy`. */
  readonly facets?: Maybe<Scalars['JSONObject']['output']>;
  /** Whether facets had more values than one response may hold, a quarter of it. */
  readonly facetsTruncated: Scalars['Boolean']['output'];
  /** Whether the response reached the maximum size of one response before it had all that was asked for. */
  readonly truncated: Scalars['Boolean']['output'];
  /** The `offset` to go on with; null when the response is not truncated. */
  readonly nextOffset?: Maybe<Scalars['Int']['output']>;
  /** The `cursor` of the next page; null without a cursor in the request, and when there was nothing more. */
  readonly nextCursor?: Maybe<Scalars['String']['output']>;
  /** The algorithm that was used; `flat` when vectors were scanned. */
  readonly algorithm: Scalars['String']['output'];
  /** The measure that was used. */
  readonly distanceMetric: Scalars['String']['output'];
  /** What a result is; null for `similar`, whose results are documents. */
  readonly retrievalMode?: Maybe<Scalars['String']['output']>;
  /** How the search went. */
  readonly searchStats: SearchStats;
  /** What could not be compared, such as vectors of another model; empty when nothing. */
  readonly warnings: ReadonlyArray<Scalars['String']['output']>;
  /** The collection's answer-format instruction, its template expanded; null when it has none, and for `similar`. */
  readonly responsePrompt?: Maybe<Scalars['String']['output']>;
};

/** How far the vectors of one collection are. */
export type VectorCollectionStats = {
  readonly __typename?: 'VectorCollectionStats';
  /** Name of the collection. */
  readonly collection: Scalars['String']['output'];
  /** Documents in it. */
  readonly totalDocuments: Scalars['Int']['output'];
  /** Documents that have their vectors. */
  readonly embeddedDocuments: Scalars['Int']['output'];
  /** Passages that have a vector of the encoder, which reorders searches; null where no encoder is installed. */
  readonly encodedChunks?: Maybe<Scalars['Int']['output']>;
};

/** The encoder that reorders searches. */
export type EncoderStats = {
  readonly __typename?: 'EncoderStats';
  /** Its model. */
  readonly model: Scalars['String']['output'];
  /** Numbers in each of its vectors. */
  readonly dimensions: Scalars['Int']['output'];
  /** Whether searches are reordered unless they say otherwise; its vectors are then computed in the background. */
  readonly default: Scalars['Boolean']['output'];
};

/** The state of embeddings and of the vector index. */
export type VectorStats = {
  readonly __typename?: 'VectorStats';
  /** Whether an embedding provider is configured. */
  readonly enabled: Scalars['Boolean']['output'];
  /** The provider. */
  readonly provider?: Maybe<Scalars['String']['output']>;
  /** Its model. */
  readonly model?: Maybe<Scalars['String']['output']>;
  /** Numbers in each vector. */
  readonly dimensions?: Maybe<Scalars['Int']['output']>;
  /** Whether vector search is available. */
  readonly indexReady: Scalars['Boolean']['output'];
  /** Each collection that has vectors, by name. */
  readonly collections: ReadonlyArray<VectorCollectionStats>;
  /** The encoder that reorders searches; null where none is installed. */
  readonly encoder?: Maybe<EncoderStats>;
};

/** What a reindexing did, and the state of the vectors after it. */
export type ReindexResult = {
  readonly __typename?: 'ReindexResult';
  /** Documents that were embedded. */
  readonly embedded: Scalars['Int']['output'];
  /** Documents whose vectors were still good. */
  readonly skipped: Scalars['Int']['output'];
  /** Documents that could not be embedded. */
  readonly failed: Scalars['Int']['output'];
  /** Why documents could not be embedded. */
  readonly errors: ReadonlyArray<Scalars['String']['output']>;
  /** Whether an embedding provider is configured. */
  readonly enabled: Scalars['Boolean']['output'];
  /** The provider. */
  readonly provider?: Maybe<Scalars['String']['output']>;
  /** Its model. */
  readonly model?: Maybe<Scalars['String']['output']>;
  /** Numbers in each vector. */
  readonly dimensions?: Maybe<Scalars['Int']['output']>;
  /** Whether vector search is available. */
  readonly indexReady: Scalars['Boolean']['output'];
  /** Each collection that has vectors, by name. */
  readonly collections: ReadonlyArray<VectorCollectionStats>;
};

/** A search by meaning: by a text, or by a vector. */
export type VectorSearchInput = {
  /** Name of the collection. */
  readonly collection: Scalars['String']['input'];
  /** What to search for, in plain words; needs an embedding provider. */
  readonly query?: InputMaybe<Scalars['String']['input']>;
  /** A vector to compare with, in place of `query`. */
  readonly queryVector?: InputMaybe<ReadonlyArray<Scalars['Float']['input']>>;
  /** Most results, 1 to 1,000. The default is that of the collection's retrieval profile, else 5. */
  readonly topK?: InputMaybe<Scalars['Int']['input']>;
  /** Another name for `topK`; when both are sent they must be the same. */
  readonly limit?: InputMaybe<Scalars['Int']['input']>;
  /** How many of the best results to skip; the default is 0. */
  readonly offset?: InputMaybe<Scalars['Int']['input']>;
  /** Tokens that the results may cost together; 0 means no budget. The default is that of the collection's retrieval profile. */
  readonly contextTokenBudget?: InputMaybe<Scalars['Int']['input']>;
  /** Results whose similarity, before boosts, is less are left out, 0 to 1; the default is 0. */
  readonly threshold?: InputMaybe<Scalars['Float']['input']>;
  /** Values that the metadata must have. */
  readonly filterMeta?: InputMaybe<ReadonlyArray<MetaInput>>;
  /** Keeps the documents for which an expression holds, beside all other filters. */
  readonly filter?: InputMaybe<FilterInput>;
  /** Keeps the documents in one of these languages; letter case does not matter, and an empty list keeps all. */
  readonly langs?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Whether to answer although some partitions are on no node that answers: `warnings` names those; the default is false. */
  readonly partial?: InputMaybe<Scalars['Boolean']['input']>;
  /** Ranges that must all hold. */
  readonly rangeMeta?: InputMaybe<ReadonlyArray<RangeInput>>;
  /** Factors by metadata, keyed `metaKey:metaValue`: a positive number multiplies the score, a negative one divides it. */
  readonly boost?: InputMaybe<Scalars['JSONObject']['input']>;
  /** Keeps the documents within this circle. */
  readonly geo?: InputMaybe<GeoCircleInput>;
  /** Whether documents carry their body. The default is whether `contentMd` is asked for. */
  readonly includeContent?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether the encoder reorders the best 50 results: `encoder` or `none`. The default is the server's. */
  readonly rerank?: InputMaybe<Scalars['String']['input']>;
  /** An order in place of the best first, such as `year:desc, score`, of the 1,000 nearest that pass the filters and `threshold`. */
  readonly sort?: InputMaybe<Scalars['String']['input']>;
  /** Pages by where the one before ended: `*` for the first, then the `nextCursor` of the response before. It goes through the 1,000 nearest, and does not go with `offset`. */
  readonly cursor?: InputMaybe<Scalars['String']['input']>;
  /** How the nearest vectors are found: `flat`, `hnsw`, `ivf`, `pq`, `opq`, `sq`, `sq4`, `bq` or `quantized`. The default is what the collection's quantization asks for, else the server's. */
  readonly algorithm?: InputMaybe<Scalars['String']['input']>;
  /** How similarity is measured: `cosine`, `dot_product` or `euclidean`; the default is `cosine`. */
  readonly distanceMetric?: InputMaybe<Scalars['String']['input']>;
  /** What a result is: `parent` for a document, `chunk` for a passage, `window` for a passage with its neighbours. The default is that of the collection's retrieval profile, else `parent`. */
  readonly retrievalMode?: InputMaybe<Scalars['String']['input']>;
  /** Neighbouring passages on each side, in `window`; the default is 1. */
  readonly windowSize?: InputMaybe<Scalars['Int']['input']>;
  /** Candidates for each result, before documents are grouped and rescored, 1 to 10. The default is that of the collection's retrieval profile, else 3 or more. */
  readonly oversample?: InputMaybe<Scalars['Float']['input']>;
  /** Whether to prefer results that differ from each other (maximal marginal relevance); the default is false. */
  readonly mmr?: InputMaybe<Scalars['Boolean']['input']>;
  /** Weight of relevance against difference under `mmr`, 0 to 1; the default is 0.5. */
  readonly mmrLambda?: InputMaybe<Scalars['Float']['input']>;
  /** Metadata keys, or `lang`, whose values to count over the candidates. */
  readonly facetBy?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Values of each facet at most; the default is 0, which means all. */
  readonly facetMaxValues?: InputMaybe<Scalars['Int']['input']>;
  /** How many passages of one document are results at most, in `chunk` and `window`; all that are among the best when absent. */
  readonly passagesPerDocument?: InputMaybe<Scalars['Int']['input']>;
  /** The declared field whose vectors are searched: supplied ones with `queryVector`, `queryVectors` or `querySparse`, those of a provider with the query. `_server` are those of the server's own provider. Absent means the collection's default field. */
  readonly vectorField?: InputMaybe<Scalars['String']['input']>;
  /** The vectors of the query's tokens, for a `vectorField` of the kind `multi` (MaxSim). */
  readonly queryVectors?: InputMaybe<ReadonlyArray<ReadonlyArray<Scalars['Float']['input']>>>;
  /** What `vectorField` is compared with where it is of the kind `sparse`. */
  readonly querySparse?: InputMaybe<SparseVectorInput>;
  /** Several fields of supplied vectors to search at once. A document scores the sum of its similarities in each, times their weights; a field without vectors adds 0. */
  readonly vectorFields?: InputMaybe<ReadonlyArray<WeightedFieldInput>>;
};

/** A field of supplied vectors with what to compare it with. */
export type WeightedFieldInput = {
  /** Name of the field. */
  readonly field: Scalars['String']['input'];
  /** By what its similarity is multiplied; the default is 1. */
  readonly weight?: InputMaybe<Scalars['Float']['input']>;
  /** What a field of the kind `dense` is compared with. */
  readonly vector?: InputMaybe<ReadonlyArray<Scalars['Float']['input']>>;
  /** What a field of the kind `multi` is compared with. */
  readonly vectors?: InputMaybe<ReadonlyArray<ReadonlyArray<Scalars['Float']['input']>>>;
  /** What a field of the kind `sparse` is compared with. */
  readonly sparse?: InputMaybe<SparseVectorInput>;
};

/** A vector of few of many dimensions; the others are 0. */
export type SparseVectorInput = {
  /** The dimensions, whole numbers from 0 to 4294967295 in any order, each once. */
  readonly indices: ReadonlyArray<Scalars['Float']['input']>;
  /** The value of each. */
  readonly values: ReadonlyArray<Scalars['Float']['input']>;
};

/** A search for documents like one that is stored. */
export type SimilarInput = {
  /** Name of the collection. */
  readonly collection: Scalars['String']['input'];
  /** Key of the document to compare with, which is left out itself. */
  readonly key: Scalars['String']['input'];
  /** Its language; the default is the first one by the alphabet that the key has. */
  readonly lang?: InputMaybe<Scalars['String']['input']>;
  /** Most results, 1 to 1,000. The default is that of the collection's retrieval profile, else 5. */
  readonly topK?: InputMaybe<Scalars['Int']['input']>;
  /** Another name for `topK`; when both are sent they must be the same. */
  readonly limit?: InputMaybe<Scalars['Int']['input']>;
  /** How many of the best results to skip; the default is 0. */
  readonly offset?: InputMaybe<Scalars['Int']['input']>;
  /** Tokens that the results may cost together; 0 means no budget. The default is that of the collection's retrieval profile. */
  readonly contextTokenBudget?: InputMaybe<Scalars['Int']['input']>;
  /** Results whose similarity, before boosts, is less are left out, 0 to 1; the default is 0. */
  readonly threshold?: InputMaybe<Scalars['Float']['input']>;
  /** Values that the metadata must have. */
  readonly filterMeta?: InputMaybe<ReadonlyArray<MetaInput>>;
  /** Keeps the documents for which an expression holds, beside all other filters. */
  readonly filter?: InputMaybe<FilterInput>;
  /** Keeps the documents in one of these languages; letter case does not matter, and an empty list keeps all. */
  readonly langs?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Whether to answer although some partitions are on no node that answers: `warnings` names those; the default is false. */
  readonly partial?: InputMaybe<Scalars['Boolean']['input']>;
  /** Ranges that must all hold. */
  readonly rangeMeta?: InputMaybe<ReadonlyArray<RangeInput>>;
  /** Factors by metadata, keyed `metaKey:metaValue`: a positive number multiplies the score, a negative one divides it. */
  readonly boost?: InputMaybe<Scalars['JSONObject']['input']>;
  /** Keeps the documents within this circle. */
  readonly geo?: InputMaybe<GeoCircleInput>;
  /** Whether documents carry their body. The default is whether `contentMd` is asked for. */
  readonly includeContent?: InputMaybe<Scalars['Boolean']['input']>;
  /** An order in place of the best first, such as `year:desc, score`, of the 1,000 nearest that pass the filters and `threshold`. */
  readonly sort?: InputMaybe<Scalars['String']['input']>;
  /** Pages by where the one before ended: `*` for the first, then the `nextCursor` of the response before. It goes through the 1,000 nearest, and does not go with `offset`. */
  readonly cursor?: InputMaybe<Scalars['String']['input']>;
  /** How the nearest vectors are found: `flat`, `hnsw`, `ivf`, `pq`, `opq`, `sq`, `sq4`, `bq` or `quantized`. The default is what the collection's quantization asks for, else the server's. */
  readonly algorithm?: InputMaybe<Scalars['String']['input']>;
  /** How similarity is measured: `cosine`, `dot_product` or `euclidean`; the default is `cosine`. */
  readonly distanceMetric?: InputMaybe<Scalars['String']['input']>;
  /** Metadata keys, or `lang`, whose values to count over the candidates. */
  readonly facetBy?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Values of each facet at most; the default is 0, which means all. */
  readonly facetMaxValues?: InputMaybe<Scalars['Int']['input']>;
  /** Whether to prefer results that differ from each other (maximal marginal relevance), compared by their vectors; the default is false. */
  readonly mmr?: InputMaybe<Scalars['Boolean']['input']>;
  /** Weight of relevance against difference under `mmr`, 0 to 1; the default is 0.5. */
  readonly mmrLambda?: InputMaybe<Scalars['Float']['input']>;
  /** The declared field, of the kind `dense`, whose vectors are compared. `_server` are those of the server's own provider. Absent means the collection's default field. */
  readonly vectorField?: InputMaybe<Scalars['String']['input']>;
};

/** A search of several collections by meaning: by a text, a vector, or a stored document. */
export type CrossSearchInput = {
  /** What to search for, in plain words; needs an embedding provider. */
  readonly query?: InputMaybe<Scalars['String']['input']>;
  /** A vector to compare with, in place of `query`. */
  readonly queryVector?: InputMaybe<ReadonlyArray<Scalars['Float']['input']>>;
  /** Collection of a document to search with; goes with `sourceDocID`. */
  readonly sourceCollection?: InputMaybe<Scalars['String']['input']>;
  /** That document's id, or its key, of which the first language by the alphabet is taken. */
  readonly sourceDocID?: InputMaybe<Scalars['String']['input']>;
  /** Collections to search; absent or empty means all that the caller may read. */
  readonly targetCollections?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** The field whose vectors are compared: supplied ones with `queryVector` or those of the document, those of a provider with the query, too. Collections without it are left out. Absent means the default field of each. */
  readonly vectorField?: InputMaybe<Scalars['String']['input']>;
  /** Most results of all collections together, 1 to 1,000; the default is 10. */
  readonly topK?: InputMaybe<Scalars['Int']['input']>;
  /** Another name for `topK`; when both are sent they must be the same. */
  readonly limit?: InputMaybe<Scalars['Int']['input']>;
  /** How many of the best results to skip; the default is 0. */
  readonly offset?: InputMaybe<Scalars['Int']['input']>;
  /** Results whose similarity, before boosts, is less are left out, 0 to 1; the default is 0. */
  readonly threshold?: InputMaybe<Scalars['Float']['input']>;
  /** How the nearest vectors are found: `flat`, `hnsw`, `ivf`, `pq`, `opq`, `sq`, `sq4`, `bq` or `quantized`. The default is what the collection's quantization asks for, else the server's. */
  readonly algorithm?: InputMaybe<Scalars['String']['input']>;
  /** How similarity is measured: `cosine`, `dot_product` or `euclidean`; the default is `cosine`. */
  readonly distanceMetric?: InputMaybe<Scalars['String']['input']>;
  /** Values that the metadata must have. */
  readonly filterMeta?: InputMaybe<ReadonlyArray<MetaInput>>;
  /** Keeps the documents for which an expression holds, beside all other filters. */
  readonly filter?: InputMaybe<FilterInput>;
  /** Keeps the documents in one of these languages; letter case does not matter, and an empty list keeps all. */
  readonly langs?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Ranges that must all hold. */
  readonly rangeMeta?: InputMaybe<ReadonlyArray<RangeInput>>;
  /** Factors by metadata, keyed `metaKey:metaValue`: a positive number multiplies the score, a negative one divides it. */
  readonly boost?: InputMaybe<Scalars['JSONObject']['input']>;
  /** Whether documents carry their body. The default is whether `contentMd` is asked for. */
  readonly includeContent?: InputMaybe<Scalars['Boolean']['input']>;
};

/** A document of one of several collections. */
export type CrossSearchResult = {
  readonly __typename?: 'CrossSearchResult';
  /** Its collection. */
  readonly collection: Scalars['String']['output'];
  /** The document. */
  readonly document: Document;
  /** Similarity to the query, after boosts; the greater the better. */
  readonly score: Scalars['Float']['output'];
  /** Place among the results, from 1. */
  readonly rank: Scalars['Int']['output'];
};

/** How a search of several collections went. */
export type CrossSearchStats = {
  readonly __typename?: 'CrossSearchStats';
  /** Time taken, in milliseconds. */
  readonly durationMs: Scalars['Int']['output'];
  /** How many collections were searched. */
  readonly collectionsSearched: Scalars['Int']['output'];
};

/** The response of a search of several collections. */
export type CrossSearchResponse = {
  readonly __typename?: 'CrossSearchResponse';
  /** The most similar documents of all collections, the best first. */
  readonly results: ReadonlyArray<CrossSearchResult>;
  /** How many results there are in this response. */
  readonly total: Scalars['Int']['output'];
  /** The collections that were searched. */
  readonly targetCollections: ReadonlyArray<Scalars['String']['output']>;
  /** The algorithm that was used; `flat` when vectors were scanned. */
  readonly algorithm: Scalars['String']['output'];
  /** The measure that was used. */
  readonly distanceMetric: Scalars['String']['output'];
  /** As sent; null when the query was no document. */
  readonly sourceCollection?: Maybe<Scalars['String']['output']>;
  /** As sent; null when the query was no document. */
  readonly sourceDocID?: Maybe<Scalars['String']['output']>;
  /** How the search went. */
  readonly searchStats: CrossSearchStats;
  /** Whether the response reached the maximum size of one response before it had all that was asked for. */
  readonly truncated: Scalars['Boolean']['output'];
  /** The `offset` to go on with; null when the response is not truncated. */
  readonly nextOffset?: Maybe<Scalars['Int']['output']>;
};

/** An address that receives events. */
export type Webhook = {
  readonly __typename?: 'Webhook';
  /** Id of the webhook. */
  readonly id: Scalars['ID']['output'];
  /** The address. */
  readonly url: Scalars['String']['output'];
  /** Names of the events that it receives, as they were registered. */
  readonly events: ReadonlyArray<Scalars['String']['output']>;
  /** The collection that it is restricted to; empty for all. */
  readonly collection: Scalars['String']['output'];
  /** When it was registered. */
  readonly createdAt: Scalars['Time']['output'];
  /** Whether it has a secret of its own. */
  readonly secretSet: Scalars['Boolean']['output'];
  /** Whether deliveries are stopped. */
  readonly paused: Scalars['Boolean']['output'];
  /** Why it is paused: `requested` or `failing`; null while it is not. */
  readonly pauseReason?: Maybe<Scalars['String']['output']>;
  /** Why the latest attempt failed; null when it succeeded. */
  readonly lastError?: Maybe<Scalars['String']['output']>;
  /** Number of deliveries that were given up and not sent again. */
  readonly deadLetters: Scalars['Int']['output'];
};

/** A delivery that was given up. */
export type WebhookDeadLetter = {
  readonly __typename?: 'WebhookDeadLetter';
  /** Id of the delivery. */
  readonly deliveryId: Scalars['ID']['output'];
  /** Id of the webhook. */
  readonly webhookId: Scalars['ID']['output'];
  /** Name of the event, in its canonical form. */
  readonly event: Scalars['String']['output'];
  /** Collection of the document; empty for events that concern none. */
  readonly collection: Scalars['String']['output'];
  /** Key of the document; empty for events that concern none. */
  readonly key: Scalars['String']['output'];
  /** Language of the document; empty for events that concern none. */
  readonly lang: Scalars['String']['output'];
  /** Id of the document; empty for events that concern none. */
  readonly docId: Scalars['String']['output'];
  /** When it happened. */
  readonly timestamp: Scalars['Time']['output'];
  /** Number of attempts. */
  readonly attempts: Scalars['Int']['output'];
  /** Status of the last response; null when there was none. */
  readonly httpStatus?: Maybe<Scalars['Int']['output']>;
  /** Why the last attempt failed. */
  readonly error: Scalars['String']['output'];
  /** When it was given up. */
  readonly failedAt: Scalars['Time']['output'];
};

/** What came back from the test of a webhook. */
export type WebhookTest = {
  readonly __typename?: 'WebhookTest';
  /** Id of the delivery. */
  readonly deliveryId: Scalars['ID']['output'];
  /** The URL that the delivery was for. */
  readonly url: Scalars['String']['output'];
  /** Whether the endpoint accepted the delivery, with a status of 200 to 299. */
  readonly ok: Scalars['Boolean']['output'];
  /** Status of the response; null when there was none. */
  readonly httpStatus?: Maybe<Scalars['Int']['output']>;
  /** Why the delivery failed; null when it was accepted. */
  readonly error?: Maybe<Scalars['String']['output']>;
  /** How long the delivery took, in milliseconds. */
  readonly durationMs: Scalars['Int']['output'];
};

/** A webhook to be registered. */
export type RegisterWebhookInput = {
  /** An absolute http or https address. */
  readonly url: Scalars['String']['input'];
  /** Names of events, such as `doc.added`; at least one. */
  readonly events: ReadonlyArray<Scalars['String']['input']>;
  /** The collection to restrict it to; absent means all. */
  readonly collection?: InputMaybe<Scalars['String']['input']>;
  /** Key of the signature; absent means that of the server. After `whsec_` comes the base64 of a key of at least 24 bytes. */
  readonly secret?: InputMaybe<Scalars['String']['input']>;
};

/** Changes of a webhook; what is absent stays. */
export type UpdateWebhookInput = {
  /** Id of the webhook. */
  readonly id: Scalars['ID']['input'];
  /** An absolute http or https address. */
  readonly url?: InputMaybe<Scalars['String']['input']>;
  /** Names of events, such as `doc.added`; at least one. */
  readonly events?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** The collection to restrict it to; empty means all. */
  readonly collection?: InputMaybe<Scalars['String']['input']>;
  /** Another key of the signature. After `whsec_` comes the base64 of a key of at least 24 bytes. */
  readonly secret?: InputMaybe<Scalars['String']['input']>;
  /** Whether deliveries are stopped. */
  readonly paused?: InputMaybe<Scalars['Boolean']['input']>;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;





/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  AuthPayload: ResolverTypeWrapper<AuthPayload>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  User: ResolverTypeWrapper<User>;
  APIKey: ResolverTypeWrapper<ApiKey>;
  PasswordReset: ResolverTypeWrapper<PasswordReset>;
  AccessRole: ResolverTypeWrapper<AccessRole>;
  RolePermission: ResolverTypeWrapper<RolePermission>;
  AccessExplanation: ResolverTypeWrapper<AccessExplanation>;
  EffectivePermission: ResolverTypeWrapper<EffectivePermission>;
  AccessSource: ResolverTypeWrapper<AccessSource>;
  AccessDecision: ResolverTypeWrapper<AccessDecision>;
  Group: ResolverTypeWrapper<Group>;
  UserPermission: ResolverTypeWrapper<UserPermission>;
  GroupPermission: ResolverTypeWrapper<GroupPermission>;
  CreateAPIKeyInput: CreateApiKeyInput;
  UpdateUserInput: UpdateUserInput;
  SetRoleInput: SetRoleInput;
  RolePermissionInput: RolePermissionInput;
  CreateGroupInput: CreateGroupInput;
  SetPermissionInput: SetPermissionInput;
  SetGroupPermissionInput: SetGroupPermissionInput;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  CodeGraphNode: ResolverTypeWrapper<CodeGraphNode>;
  CodeGraphEdge: ResolverTypeWrapper<CodeGraphEdge>;
  CodeGraph: ResolverTypeWrapper<CodeGraph>;
  CodeGraphInput: CodeGraphInput;
  JSONObject: ResolverTypeWrapper<Scalars['JSONObject']['output']>;
  Time: ResolverTypeWrapper<Scalars['Time']['output']>;
  Long: ResolverTypeWrapper<Scalars['Long']['output']>;
  FilterValue: ResolverTypeWrapper<Scalars['FilterValue']['output']>;
  Role: Role;
  MetaInput: MetaInput;
  FilterInput: FilterInput;
  RangeInput: RangeInput;
  GeoCircleInput: GeoCircleInput;
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
  Document: ResolverTypeWrapper<Document>;
  DocumentEdge: ResolverTypeWrapper<DocumentEdge>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  DocumentConnection: ResolverTypeWrapper<DocumentConnection>;
  BatchAddResult: ResolverTypeWrapper<BatchAddResult>;
  AddDocumentInput: AddDocumentInput;
  UpdateDocumentInput: UpdateDocumentInput;
  SearchInput: SearchInput;
  AddBatchDocumentInput: AddBatchDocumentInput;
  Revision: ResolverTypeWrapper<Revision>;
  RevisionList: ResolverTypeWrapper<RevisionList>;
  FTSResult: ResolverTypeWrapper<FtsResult>;
  Highlight: ResolverTypeWrapper<Highlight>;
  SpellCorrected: ResolverTypeWrapper<SpellCorrected>;
  FTSResponse: ResolverTypeWrapper<FtsResponse>;
  Fuzziness: Fuzziness;
  PrefixMatching: PrefixMatching;
  MatchingStrategy: MatchingStrategy;
  Totals: Totals;
  FTSInput: FtsInput;
  Completion: ResolverTypeWrapper<Completion>;
  Completions: ResolverTypeWrapper<Completions>;
  AggregateInput: AggregateInput;
  GeohashInput: GeohashInput;
  FacetInput: FacetInput;
  HistogramInput: HistogramInput;
  Aggregation: ResolverTypeWrapper<Aggregation>;
  GeohashCount: ResolverTypeWrapper<GeohashCount>;
  HybridResult: ResolverTypeWrapper<HybridResult>;
  HybridSearchResponse: ResolverTypeWrapper<HybridSearchResponse>;
  HybridSearchInput: HybridSearchInput;
  IngestResult: ResolverTypeWrapper<IngestResult>;
  IngestDocumentInput: IngestDocumentInput;
  IngestOptionsInput: IngestOptionsInput;
  RecallResult: ResolverTypeWrapper<RecallResult>;
  RecallResponse: ResolverTypeWrapper<RecallResponse>;
  RecallInput: RecallInput;
  Schema: ResolverTypeWrapper<Schema>;
  ValidationResult: ResolverTypeWrapper<ValidationResult>;
  SetSchemaInput: SetSchemaInput;
  CollectionStats: ResolverTypeWrapper<CollectionStats>;
  IndexBytes: ResolverTypeWrapper<IndexBytes>;
  Stats: ResolverTypeWrapper<Stats>;
  ProcessMemory: ResolverTypeWrapper<ProcessMemory>;
  BackupStats: ResolverTypeWrapper<BackupStats>;
  BackupFile: ResolverTypeWrapper<BackupFile>;
  VectorSearchResult: ResolverTypeWrapper<VectorSearchResult>;
  SearchStats: ResolverTypeWrapper<SearchStats>;
  VectorSearchResponse: ResolverTypeWrapper<VectorSearchResponse>;
  VectorCollectionStats: ResolverTypeWrapper<VectorCollectionStats>;
  EncoderStats: ResolverTypeWrapper<EncoderStats>;
  VectorStats: ResolverTypeWrapper<VectorStats>;
  ReindexResult: ResolverTypeWrapper<Reindexed>;
  VectorSearchInput: VectorSearchInput;
  WeightedFieldInput: WeightedFieldInput;
  SparseVectorInput: SparseVectorInput;
  SimilarInput: SimilarInput;
  CrossSearchInput: CrossSearchInput;
  CrossSearchResult: ResolverTypeWrapper<CrossSearchResult>;
  CrossSearchStats: ResolverTypeWrapper<CrossSearchStats>;
  CrossSearchResponse: ResolverTypeWrapper<CrossSearchResponse>;
  Webhook: ResolverTypeWrapper<Webhook>;
  WebhookDeadLetter: ResolverTypeWrapper<WebhookDeadLetter>;
  WebhookTest: ResolverTypeWrapper<WebhookTest>;
  RegisterWebhookInput: RegisterWebhookInput;
  UpdateWebhookInput: UpdateWebhookInput;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  AuthPayload: AuthPayload;
  String: Scalars['String']['output'];
  Boolean: Scalars['Boolean']['output'];
  User: User;
  APIKey: ApiKey;
  PasswordReset: PasswordReset;
  AccessRole: AccessRole;
  RolePermission: RolePermission;
  AccessExplanation: AccessExplanation;
  EffectivePermission: EffectivePermission;
  AccessSource: AccessSource;
  AccessDecision: AccessDecision;
  Group: Group;
  UserPermission: UserPermission;
  GroupPermission: GroupPermission;
  CreateAPIKeyInput: CreateApiKeyInput;
  UpdateUserInput: UpdateUserInput;
  SetRoleInput: SetRoleInput;
  RolePermissionInput: RolePermissionInput;
  CreateGroupInput: CreateGroupInput;
  SetPermissionInput: SetPermissionInput;
  SetGroupPermissionInput: SetGroupPermissionInput;
  Query: Record<PropertyKey, never>;
  Int: Scalars['Int']['output'];
  ID: Scalars['ID']['output'];
  Mutation: Record<PropertyKey, never>;
  CodeGraphNode: CodeGraphNode;
  CodeGraphEdge: CodeGraphEdge;
  CodeGraph: CodeGraph;
  CodeGraphInput: CodeGraphInput;
  JSONObject: Scalars['JSONObject']['output'];
  Time: Scalars['Time']['output'];
  Long: Scalars['Long']['output'];
  FilterValue: Scalars['FilterValue']['output'];
  MetaInput: MetaInput;
  FilterInput: FilterInput;
  RangeInput: RangeInput;
  GeoCircleInput: GeoCircleInput;
  Float: Scalars['Float']['output'];
  Document: Document;
  DocumentEdge: DocumentEdge;
  PageInfo: PageInfo;
  DocumentConnection: DocumentConnection;
  BatchAddResult: BatchAddResult;
  AddDocumentInput: AddDocumentInput;
  UpdateDocumentInput: UpdateDocumentInput;
  SearchInput: SearchInput;
  AddBatchDocumentInput: AddBatchDocumentInput;
  Revision: Revision;
  RevisionList: RevisionList;
  FTSResult: FtsResult;
  Highlight: Highlight;
  SpellCorrected: SpellCorrected;
  FTSResponse: FtsResponse;
  FTSInput: FtsInput;
  Completion: Completion;
  Completions: Completions;
  AggregateInput: AggregateInput;
  GeohashInput: GeohashInput;
  FacetInput: FacetInput;
  HistogramInput: HistogramInput;
  Aggregation: Aggregation;
  GeohashCount: GeohashCount;
  HybridResult: HybridResult;
  HybridSearchResponse: HybridSearchResponse;
  HybridSearchInput: HybridSearchInput;
  IngestResult: IngestResult;
  IngestDocumentInput: IngestDocumentInput;
  IngestOptionsInput: IngestOptionsInput;
  RecallResult: RecallResult;
  RecallResponse: RecallResponse;
  RecallInput: RecallInput;
  Schema: Schema;
  ValidationResult: ValidationResult;
  SetSchemaInput: SetSchemaInput;
  CollectionStats: CollectionStats;
  IndexBytes: IndexBytes;
  Stats: Stats;
  ProcessMemory: ProcessMemory;
  BackupStats: BackupStats;
  BackupFile: BackupFile;
  VectorSearchResult: VectorSearchResult;
  SearchStats: SearchStats;
  VectorSearchResponse: VectorSearchResponse;
  VectorCollectionStats: VectorCollectionStats;
  EncoderStats: EncoderStats;
  VectorStats: VectorStats;
  ReindexResult: Reindexed;
  VectorSearchInput: VectorSearchInput;
  WeightedFieldInput: WeightedFieldInput;
  SparseVectorInput: SparseVectorInput;
  SimilarInput: SimilarInput;
  CrossSearchInput: CrossSearchInput;
  CrossSearchResult: CrossSearchResult;
  CrossSearchStats: CrossSearchStats;
  CrossSearchResponse: CrossSearchResponse;
  Webhook: Webhook;
  WebhookDeadLetter: WebhookDeadLetter;
  WebhookTest: WebhookTest;
  RegisterWebhookInput: RegisterWebhookInput;
  UpdateWebhookInput: UpdateWebhookInput;
};

export type AuthDirectiveArgs = { };

export type AuthDirectiveResolver<Result, Parent, ContextType = GraphqlContext, Args = AuthDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type HasRoleDirectiveArgs = {
  role: Role;
};

export type HasRoleDirectiveResolver<Result, Parent, ContextType = GraphqlContext, Args = HasRoleDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type AuthPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['AuthPayload'] = ResolversParentTypes['AuthPayload']> = {
  token?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  expiresAt?: Resolver<ResolversTypes['Time'], ParentType, ContextType>;
  sessionEndsAt?: Resolver<ResolversTypes['Time'], ParentType, ContextType>;
  mustChangePassword?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type UserResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['User'] = ResolversParentTypes['User']> = {
  username?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  admin?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['Time'], ParentType, ContextType>;
  disabled?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  groups?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  roles?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  mustChangePassword?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  oidcSubject?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ApiKeyResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['APIKey'] = ResolversParentTypes['APIKey']> = {
  key?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  description?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['Time'], ParentType, ContextType>;
  expiresAt?: Resolver<ResolversTypes['Time'], ParentType, ContextType>;
  keyHash?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  collections?: Resolver<Maybe<ReadonlyArray<ResolversTypes['String']>>, ParentType, ContextType>;
  operations?: Resolver<Maybe<ReadonlyArray<ResolversTypes['String']>>, ParentType, ContextType>;
};

export type PasswordResetResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['PasswordReset'] = ResolversParentTypes['PasswordReset']> = {
  username?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  token?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  expiresAt?: Resolver<ResolversTypes['Time'], ParentType, ContextType>;
};

export type AccessRoleResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['AccessRole'] = ResolversParentTypes['AccessRole']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  description?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  builtIn?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  permissions?: Resolver<ReadonlyArray<ResolversTypes['RolePermission']>, ParentType, ContextType>;
};

export type RolePermissionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['RolePermission'] = ResolversParentTypes['RolePermission']> = {
  collection?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  read?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  write?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  admin?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type AccessExplanationResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['AccessExplanation'] = ResolversParentTypes['AccessExplanation']> = {
  username?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  disabled?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  admin?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  permissions?: Resolver<ReadonlyArray<ResolversTypes['EffectivePermission']>, ParentType, ContextType>;
  decision?: Resolver<Maybe<ResolversTypes['AccessDecision']>, ParentType, ContextType>;
};

export type EffectivePermissionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['EffectivePermission'] = ResolversParentTypes['EffectivePermission']> = {
  collection?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  read?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  write?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  admin?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  sources?: Resolver<ReadonlyArray<ResolversTypes['AccessSource']>, ParentType, ContextType>;
};

export type AccessSourceResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['AccessSource'] = ResolversParentTypes['AccessSource']> = {
  kind?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  group?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  read?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  write?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  admin?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type AccessDecisionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['AccessDecision'] = ResolversParentTypes['AccessDecision']> = {
  operation?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  allowed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type GroupResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Group'] = ResolversParentTypes['Group']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  description?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  members?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['Time'], ParentType, ContextType>;
  roles?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
};

export type UserPermissionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['UserPermission'] = ResolversParentTypes['UserPermission']> = {
  username?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  collection?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  read?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  write?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  admin?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type GroupPermissionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['GroupPermission'] = ResolversParentTypes['GroupPermission']> = {
  groupName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  collection?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  read?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  write?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  admin?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type QueryResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  me?: Resolver<ResolversTypes['User'], ParentType, ContextType>;
  users?: Resolver<ReadonlyArray<ResolversTypes['User']>, ParentType, ContextType, Partial<QueryUsersArgs>>;
  groups?: Resolver<ReadonlyArray<ResolversTypes['Group']>, ParentType, ContextType, Partial<QueryGroupsArgs>>;
  userPermissions?: Resolver<ReadonlyArray<ResolversTypes['UserPermission']>, ParentType, ContextType, RequireFields<QueryUserPermissionsArgs, 'username'>>;
  groupPermissions?: Resolver<ReadonlyArray<ResolversTypes['GroupPermission']>, ParentType, ContextType, RequireFields<QueryGroupPermissionsArgs, 'groupName'>>;
  roles?: Resolver<ReadonlyArray<ResolversTypes['AccessRole']>, ParentType, ContextType, Partial<QueryRolesArgs>>;
  explainAccess?: Resolver<ResolversTypes['AccessExplanation'], ParentType, ContextType, RequireFields<QueryExplainAccessArgs, 'username'>>;
  codeGraph?: Resolver<Maybe<ResolversTypes['CodeGraph']>, ParentType, ContextType, Partial<QueryCodeGraphArgs>>;
  document?: Resolver<Maybe<ResolversTypes['Document']>, ParentType, ContextType, RequireFields<QueryDocumentArgs, 'collection' | 'key' | 'lang'>>;
  search?: Resolver<Maybe<ResolversTypes['DocumentConnection']>, ParentType, ContextType, RequireFields<QuerySearchArgs, 'input'>>;
  revisions?: Resolver<Maybe<ResolversTypes['RevisionList']>, ParentType, ContextType, RequireFields<QueryRevisionsArgs, 'collection' | 'key' | 'lang'>>;
  fts?: Resolver<Maybe<ResolversTypes['FTSResponse']>, ParentType, ContextType, RequireFields<QueryFtsArgs, 'input'>>;
  autocomplete?: Resolver<ResolversTypes['Completions'], ParentType, ContextType, RequireFields<QueryAutocompleteArgs, 'collection' | 'q'>>;
  aggregateDocuments?: Resolver<ResolversTypes['Aggregation'], ParentType, ContextType, RequireFields<QueryAggregateDocumentsArgs, 'input'>>;
  hybridSearch?: Resolver<Maybe<ResolversTypes['HybridSearchResponse']>, ParentType, ContextType, RequireFields<QueryHybridSearchArgs, 'input'>>;
  recall?: Resolver<Maybe<ResolversTypes['RecallResponse']>, ParentType, ContextType, RequireFields<QueryRecallArgs, 'input'>>;
  schema?: Resolver<Maybe<ResolversTypes['Schema']>, ParentType, ContextType, RequireFields<QuerySchemaArgs, 'collection'>>;
  schemas?: Resolver<ReadonlyArray<ResolversTypes['Schema']>, ParentType, ContextType, Partial<QuerySchemasArgs>>;
  stats?: Resolver<Maybe<ResolversTypes['Stats']>, ParentType, ContextType>;
  vectorSearch?: Resolver<Maybe<ResolversTypes['VectorSearchResponse']>, ParentType, ContextType, RequireFields<QueryVectorSearchArgs, 'input'>>;
  similar?: Resolver<Maybe<ResolversTypes['VectorSearchResponse']>, ParentType, ContextType, RequireFields<QuerySimilarArgs, 'input'>>;
  crossSearch?: Resolver<Maybe<ResolversTypes['CrossSearchResponse']>, ParentType, ContextType, RequireFields<QueryCrossSearchArgs, 'input'>>;
  vectorStats?: Resolver<Maybe<ResolversTypes['VectorStats']>, ParentType, ContextType>;
  webhooks?: Resolver<ReadonlyArray<ResolversTypes['Webhook']>, ParentType, ContextType, Partial<QueryWebhooksArgs>>;
  webhookDeadLetters?: Resolver<ReadonlyArray<ResolversTypes['WebhookDeadLetter']>, ParentType, ContextType, Partial<QueryWebhookDeadLettersArgs>>;
};

export type MutationResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  login?: Resolver<ResolversTypes['AuthPayload'], ParentType, ContextType, RequireFields<MutationLoginArgs, 'username' | 'password'>>;
  createAPIKey?: Resolver<ResolversTypes['APIKey'], ParentType, ContextType, RequireFields<MutationCreateApiKeyArgs, 'input'>>;
  register?: Resolver<ResolversTypes['User'], ParentType, ContextType, RequireFields<MutationRegisterArgs, 'username' | 'password'>>;
  createGroup?: Resolver<ResolversTypes['Group'], ParentType, ContextType, RequireFields<MutationCreateGroupArgs, 'input'>>;
  updateGroup?: Resolver<ResolversTypes['Group'], ParentType, ContextType, RequireFields<MutationUpdateGroupArgs, 'name' | 'description' | 'members'>>;
  deleteGroup?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationDeleteGroupArgs, 'name'>>;
  setPermission?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationSetPermissionArgs, 'input'>>;
  setGroupPermission?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationSetGroupPermissionArgs, 'input'>>;
  refreshSession?: Resolver<ResolversTypes['AuthPayload'], ParentType, ContextType>;
  logout?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, Partial<MutationLogoutArgs>>;
  changePassword?: Resolver<ResolversTypes['AuthPayload'], ParentType, ContextType, RequireFields<MutationChangePasswordArgs, 'oldPassword' | 'newPassword'>>;
  createPasswordReset?: Resolver<ResolversTypes['PasswordReset'], ParentType, ContextType, RequireFields<MutationCreatePasswordResetArgs, 'username'>>;
  redeemPasswordReset?: Resolver<ResolversTypes['String'], ParentType, ContextType, RequireFields<MutationRedeemPasswordResetArgs, 'username' | 'token' | 'newPassword'>>;
  updateUser?: Resolver<ResolversTypes['User'], ParentType, ContextType, RequireFields<MutationUpdateUserArgs, 'input'>>;
  revokeAPIKey?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationRevokeApiKeyArgs, 'keyHash'>>;
  setRole?: Resolver<ResolversTypes['AccessRole'], ParentType, ContextType, RequireFields<MutationSetRoleArgs, 'input'>>;
  deleteRole?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationDeleteRoleArgs, 'name'>>;
  setUserRoles?: Resolver<ResolversTypes['User'], ParentType, ContextType, RequireFields<MutationSetUserRolesArgs, 'username' | 'roles'>>;
  setGroupRoles?: Resolver<ResolversTypes['Group'], ParentType, ContextType, RequireFields<MutationSetGroupRolesArgs, 'name' | 'roles'>>;
  addDocument?: Resolver<ResolversTypes['Document'], ParentType, ContextType, RequireFields<MutationAddDocumentArgs, 'input'>>;
  updateDocument?: Resolver<ResolversTypes['Document'], ParentType, ContextType, RequireFields<MutationUpdateDocumentArgs, 'input'>>;
  deleteDocument?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationDeleteDocumentArgs, 'collection' | 'key' | 'lang'>>;
  restoreRevision?: Resolver<ResolversTypes['Document'], ParentType, ContextType, RequireFields<MutationRestoreRevisionArgs, 'collection' | 'key' | 'lang'>>;
  deleteCollection?: Resolver<ResolversTypes['Int'], ParentType, ContextType, RequireFields<MutationDeleteCollectionArgs, 'collection'>>;
  addBatch?: Resolver<ResolversTypes['BatchAddResult'], ParentType, ContextType, RequireFields<MutationAddBatchArgs, 'collection' | 'documents'>>;
  setTTL?: Resolver<ResolversTypes['Document'], ParentType, ContextType, RequireFields<MutationSetTtlArgs, 'collection' | 'key' | 'lang' | 'ttl'>>;
  ingestDocuments?: Resolver<ResolversTypes['IngestResult'], ParentType, ContextType, RequireFields<MutationIngestDocumentsArgs, 'collection' | 'documents'>>;
  importURL?: Resolver<ResolversTypes['Document'], ParentType, ContextType, RequireFields<MutationImportUrlArgs, 'collection' | 'url' | 'lang'>>;
  validateDocument?: Resolver<ResolversTypes['ValidationResult'], ParentType, ContextType, RequireFields<MutationValidateDocumentArgs, 'collection' | 'meta'>>;
  setSchema?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationSetSchemaArgs, 'input'>>;
  deleteSchema?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationDeleteSchemaArgs, 'collection'>>;
  vectorReindex?: Resolver<ResolversTypes['ReindexResult'], ParentType, ContextType, RequireFields<MutationVectorReindexArgs, 'collection'>>;
  registerWebhook?: Resolver<ResolversTypes['Webhook'], ParentType, ContextType, RequireFields<MutationRegisterWebhookArgs, 'input'>>;
  updateWebhook?: Resolver<ResolversTypes['Webhook'], ParentType, ContextType, RequireFields<MutationUpdateWebhookArgs, 'input'>>;
  redeliverWebhooks?: Resolver<ResolversTypes['Int'], ParentType, ContextType, Partial<MutationRedeliverWebhooksArgs>>;
  testWebhook?: Resolver<ResolversTypes['WebhookTest'], ParentType, ContextType, RequireFields<MutationTestWebhookArgs, 'id'>>;
  deleteWebhook?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<MutationDeleteWebhookArgs, 'id'>>;
};

export type CodeGraphNodeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CodeGraphNode'] = ResolversParentTypes['CodeGraphNode']> = {
  key?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  docId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lang?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  language?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  depth?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type CodeGraphEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CodeGraphEdge'] = ResolversParentTypes['CodeGraphEdge']> = {
  from?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  to?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  symbol?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  direction?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  fromLine?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  toLine?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type CodeGraphResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CodeGraph'] = ResolversParentTypes['CodeGraph']> = {
  collection?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  root?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  direction?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  depth?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['CodeGraphNode']>, ParentType, ContextType>;
  edges?: Resolver<ReadonlyArray<ResolversTypes['CodeGraphEdge']>, ParentType, ContextType>;
  truncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export interface JsonObjectScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSONObject'], any> {
  name: 'JSONObject';
}

export interface TimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Time'], any> {
  name: 'Time';
}

export interface LongScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Long'], any> {
  name: 'Long';
}

export interface FilterValueScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['FilterValue'], any> {
  name: 'FilterValue';
}

export type DocumentResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Document'] = ResolversParentTypes['Document']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  key?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lang?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  meta?: Resolver<ResolversTypes['JSONObject'], ParentType, ContextType>;
  contentMd?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  addedAt?: Resolver<ResolversTypes['Time'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['Time'], ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['Time']>, ParentType, ContextType>;
  deletedAt?: Resolver<Maybe<ResolversTypes['Time']>, ParentType, ContextType>;
  checksum?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  vectors?: Resolver<Maybe<ResolversTypes['JSONObject']>, ParentType, ContextType>;
};

export type DocumentEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DocumentEdge'] = ResolversParentTypes['DocumentEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Document'], ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type DocumentConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DocumentConnection'] = ResolversParentTypes['DocumentConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['DocumentEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  contextTruncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  truncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nextOffset?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  nextCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  warnings?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
};

export type BatchAddResultResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['BatchAddResult'] = ResolversParentTypes['BatchAddResult']> = {
  added?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  updated?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  failed?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  errors?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  embeddingDropped?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type RevisionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Revision'] = ResolversParentTypes['Revision']> = {
  revision?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['Time'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['Time'], ParentType, ContextType>;
  contentMd?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  meta?: Resolver<ResolversTypes['JSONObject'], ParentType, ContextType>;
};

export type RevisionListResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['RevisionList'] = ResolversParentTypes['RevisionList']> = {
  collection?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  key?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lang?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  revisions?: Resolver<ReadonlyArray<ResolversTypes['Revision']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  deletedAt?: Resolver<Maybe<ResolversTypes['Time']>, ParentType, ContextType>;
  truncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nextOffset?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type FtsResultResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['FTSResult'] = ResolversParentTypes['FTSResult']> = {
  document?: Resolver<ResolversTypes['Document'], ParentType, ContextType>;
  score?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  matchedTerms?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  highlights?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Highlight']>>, ParentType, ContextType>;
  pinned?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type HighlightResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Highlight'] = ResolversParentTypes['Highlight']> = {
  field?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  valueIndex?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  fragment?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  matchedTerms?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  startOffset?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  endOffset?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  startLine?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  endLine?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type SpellCorrectedResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['SpellCorrected'] = ResolversParentTypes['SpellCorrected']> = {
  original?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  corrected?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type FtsResponseResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['FTSResponse'] = ResolversParentTypes['FTSResponse']> = {
  results?: Resolver<ReadonlyArray<ResolversTypes['FTSResult']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  totalMatches?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  totalIsLowerBound?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  algorithm?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  mode?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lang?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  langs?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  stemmingActive?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  synonymsActive?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  facets?: Resolver<Maybe<ResolversTypes['JSONObject']>, ParentType, ContextType>;
  facetsTruncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  spellCorrected?: Resolver<Maybe<ResolversTypes['SpellCorrected']>, ParentType, ContextType>;
  responsePrompt?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  contextTruncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  truncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nextOffset?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  nextCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  suggestions?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  droppedWords?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  warnings?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
};

export type CompletionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Completion'] = ResolversParentTypes['Completion']> = {
  term?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  field?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  docCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type CompletionsResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Completions'] = ResolversParentTypes['Completions']> = {
  items?: Resolver<ReadonlyArray<ResolversTypes['Completion']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  query?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  field?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type AggregationResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Aggregation'] = ResolversParentTypes['Aggregation']> = {
  collection?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  totalDocs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  facets?: Resolver<ResolversTypes['JSONObject'], ParentType, ContextType>;
  histograms?: Resolver<ResolversTypes['JSONObject'], ParentType, ContextType>;
  geohashes?: Resolver<Maybe<ReadonlyArray<ResolversTypes['GeohashCount']>>, ParentType, ContextType>;
  facetsTruncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  durationMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type GeohashCountResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['GeohashCount'] = ResolversParentTypes['GeohashCount']> = {
  geohash?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lat?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  lng?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type HybridResultResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['HybridResult'] = ResolversParentTypes['HybridResult']> = {
  document?: Resolver<ResolversTypes['Document'], ParentType, ContextType>;
  combinedScore?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  ftsScore?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  vectorScore?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  ftsRank?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  vectorRank?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  matchedTerms?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  highlights?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Highlight']>>, ParentType, ContextType>;
  rank?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  pinned?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  distanceMeters?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  chunkIndex?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  chunkText?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  startLine?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  endLine?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type HybridSearchResponseResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['HybridSearchResponse'] = ResolversParentTypes['HybridSearchResponse']> = {
  results?: Resolver<ReadonlyArray<ResolversTypes['HybridResult']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  totalMatches?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  strategy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  alpha?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  rrfK?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  ftsAlgorithm?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  vectorAlgorithm?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  distanceMetric?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  retrievalMode?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  facets?: Resolver<Maybe<ResolversTypes['JSONObject']>, ParentType, ContextType>;
  facetsTruncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  warnings?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  spellCorrected?: Resolver<Maybe<ResolversTypes['SpellCorrected']>, ParentType, ContextType>;
  searchStats?: Resolver<ResolversTypes['SearchStats'], ParentType, ContextType>;
  responsePrompt?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  contextTruncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  reranked?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  truncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nextOffset?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  nextCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type IngestResultResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['IngestResult'] = ResolversParentTypes['IngestResult']> = {
  added?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  updated?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  skipped?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  failed?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  errors?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  collection?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  durationMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  profile?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  keyCollisions?: Resolver<Maybe<ReadonlyArray<ResolversTypes['String']>>, ParentType, ContextType>;
};

export type RecallResultResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['RecallResult'] = ResolversParentTypes['RecallResult']> = {
  document?: Resolver<ResolversTypes['Document'], ParentType, ContextType>;
  score?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  vectorScore?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  rank?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  sessionId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  role?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  matchStrategy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type RecallResponseResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['RecallResponse'] = ResolversParentTypes['RecallResponse']> = {
  results?: Resolver<ReadonlyArray<ResolversTypes['RecallResult']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  strategy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  query?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  contextTruncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  reranked?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  truncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nextOffset?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  nextCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  warnings?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
};

export type SchemaResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Schema'] = ResolversParentTypes['Schema']> = {
  collection?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  schema?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  enabled?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type ValidationResultResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ValidationResult'] = ResolversParentTypes['ValidationResult']> = {
  valid?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  errors?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  warnings?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
};

export type CollectionStatsResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CollectionStats'] = ResolversParentTypes['CollectionStats']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  documentCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  revisionCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  metaIndexCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  indexBytes?: Resolver<ResolversTypes['IndexBytes'], ParentType, ContextType>;
};

export type IndexBytesResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['IndexBytes'] = ResolversParentTypes['IndexBytes']> = {
  fullText?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  vectors?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  columns?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  geo?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  spelling?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
};

export type StatsResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Stats'] = ResolversParentTypes['Stats']> = {
  databasePath?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  databaseSize?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  mode?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  collections?: Resolver<ReadonlyArray<ResolversTypes['CollectionStats']>, ParentType, ContextType>;
  totalDocuments?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  totalRevisions?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  totalMetaIndices?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  uptime?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  backups?: Resolver<Maybe<ResolversTypes['BackupStats']>, ParentType, ContextType>;
  memory?: Resolver<ResolversTypes['ProcessMemory'], ParentType, ContextType>;
};

export type ProcessMemoryResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ProcessMemory'] = ResolversParentTypes['ProcessMemory']> = {
  resident?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  heap?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  buffers?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  mapped?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  other?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export type BackupStatsResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['BackupStats'] = ResolversParentTypes['BackupStats']> = {
  schedule?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  timezone?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  nextAt?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  lastGoodAt?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  lastDurationSeconds?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  lastSizeBytes?: Resolver<Maybe<ResolversTypes['Long']>, ParentType, ContextType>;
  failures?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  lastError?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  files?: Resolver<ReadonlyArray<ResolversTypes['BackupFile']>, ParentType, ContextType>;
};

export type BackupFileResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['BackupFile'] = ResolversParentTypes['BackupFile']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  at?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
  sizeBytes?: Resolver<ResolversTypes['Long'], ParentType, ContextType>;
};

export type VectorSearchResultResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['VectorSearchResult'] = ResolversParentTypes['VectorSearchResult']> = {
  document?: Resolver<ResolversTypes['Document'], ParentType, ContextType>;
  score?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  rank?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  distanceMeters?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  chunkIndex?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  chunkText?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  startLine?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  endLine?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type SearchStatsResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['SearchStats'] = ResolversParentTypes['SearchStats']> = {
  durationMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type VectorSearchResponseResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['VectorSearchResponse'] = ResolversParentTypes['VectorSearchResponse']> = {
  results?: Resolver<ReadonlyArray<ResolversTypes['VectorSearchResult']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  model?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  dimensions?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  contextTruncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  reranked?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  facets?: Resolver<Maybe<ResolversTypes['JSONObject']>, ParentType, ContextType>;
  facetsTruncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  truncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nextOffset?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  nextCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  algorithm?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  distanceMetric?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  retrievalMode?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  searchStats?: Resolver<ResolversTypes['SearchStats'], ParentType, ContextType>;
  warnings?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  responsePrompt?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type VectorCollectionStatsResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['VectorCollectionStats'] = ResolversParentTypes['VectorCollectionStats']> = {
  collection?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  totalDocuments?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  embeddedDocuments?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  encodedChunks?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type EncoderStatsResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['EncoderStats'] = ResolversParentTypes['EncoderStats']> = {
  model?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  dimensions?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  default?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type VectorStatsResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['VectorStats'] = ResolversParentTypes['VectorStats']> = {
  enabled?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  provider?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  model?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  dimensions?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  indexReady?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  collections?: Resolver<ReadonlyArray<ResolversTypes['VectorCollectionStats']>, ParentType, ContextType>;
  encoder?: Resolver<Maybe<ResolversTypes['EncoderStats']>, ParentType, ContextType>;
};

export type ReindexResultResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ReindexResult'] = ResolversParentTypes['ReindexResult']> = {
  embedded?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  skipped?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  failed?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  errors?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  enabled?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  provider?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  model?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  dimensions?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  indexReady?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  collections?: Resolver<ReadonlyArray<ResolversTypes['VectorCollectionStats']>, ParentType, ContextType>;
};

export type CrossSearchResultResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CrossSearchResult'] = ResolversParentTypes['CrossSearchResult']> = {
  collection?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  document?: Resolver<ResolversTypes['Document'], ParentType, ContextType>;
  score?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  rank?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type CrossSearchStatsResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CrossSearchStats'] = ResolversParentTypes['CrossSearchStats']> = {
  durationMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  collectionsSearched?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type CrossSearchResponseResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CrossSearchResponse'] = ResolversParentTypes['CrossSearchResponse']> = {
  results?: Resolver<ReadonlyArray<ResolversTypes['CrossSearchResult']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  targetCollections?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  algorithm?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  distanceMetric?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  sourceCollection?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  sourceDocID?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  searchStats?: Resolver<ResolversTypes['CrossSearchStats'], ParentType, ContextType>;
  truncated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  nextOffset?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type WebhookResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Webhook'] = ResolversParentTypes['Webhook']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  url?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  events?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  collection?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['Time'], ParentType, ContextType>;
  secretSet?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  paused?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  pauseReason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  lastError?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  deadLetters?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type WebhookDeadLetterResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['WebhookDeadLetter'] = ResolversParentTypes['WebhookDeadLetter']> = {
  deliveryId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  webhookId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  event?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  collection?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  key?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lang?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  docId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['Time'], ParentType, ContextType>;
  attempts?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  httpStatus?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  error?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  failedAt?: Resolver<ResolversTypes['Time'], ParentType, ContextType>;
};

export type WebhookTestResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['WebhookTest'] = ResolversParentTypes['WebhookTest']> = {
  deliveryId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  url?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  ok?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  httpStatus?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  durationMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type Resolvers<ContextType = GraphqlContext> = {
  AuthPayload?: AuthPayloadResolvers<ContextType>;
  User?: UserResolvers<ContextType>;
  APIKey?: ApiKeyResolvers<ContextType>;
  PasswordReset?: PasswordResetResolvers<ContextType>;
  AccessRole?: AccessRoleResolvers<ContextType>;
  RolePermission?: RolePermissionResolvers<ContextType>;
  AccessExplanation?: AccessExplanationResolvers<ContextType>;
  EffectivePermission?: EffectivePermissionResolvers<ContextType>;
  AccessSource?: AccessSourceResolvers<ContextType>;
  AccessDecision?: AccessDecisionResolvers<ContextType>;
  Group?: GroupResolvers<ContextType>;
  UserPermission?: UserPermissionResolvers<ContextType>;
  GroupPermission?: GroupPermissionResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  CodeGraphNode?: CodeGraphNodeResolvers<ContextType>;
  CodeGraphEdge?: CodeGraphEdgeResolvers<ContextType>;
  CodeGraph?: CodeGraphResolvers<ContextType>;
  JSONObject?: GraphQLScalarType;
  Time?: GraphQLScalarType;
  Long?: GraphQLScalarType;
  FilterValue?: GraphQLScalarType;
  Document?: DocumentResolvers<ContextType>;
  DocumentEdge?: DocumentEdgeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  DocumentConnection?: DocumentConnectionResolvers<ContextType>;
  BatchAddResult?: BatchAddResultResolvers<ContextType>;
  Revision?: RevisionResolvers<ContextType>;
  RevisionList?: RevisionListResolvers<ContextType>;
  FTSResult?: FtsResultResolvers<ContextType>;
  Highlight?: HighlightResolvers<ContextType>;
  SpellCorrected?: SpellCorrectedResolvers<ContextType>;
  FTSResponse?: FtsResponseResolvers<ContextType>;
  Completion?: CompletionResolvers<ContextType>;
  Completions?: CompletionsResolvers<ContextType>;
  Aggregation?: AggregationResolvers<ContextType>;
  GeohashCount?: GeohashCountResolvers<ContextType>;
  HybridResult?: HybridResultResolvers<ContextType>;
  HybridSearchResponse?: HybridSearchResponseResolvers<ContextType>;
  IngestResult?: IngestResultResolvers<ContextType>;
  RecallResult?: RecallResultResolvers<ContextType>;
  RecallResponse?: RecallResponseResolvers<ContextType>;
  Schema?: SchemaResolvers<ContextType>;
  ValidationResult?: ValidationResultResolvers<ContextType>;
  CollectionStats?: CollectionStatsResolvers<ContextType>;
  IndexBytes?: IndexBytesResolvers<ContextType>;
  Stats?: StatsResolvers<ContextType>;
  ProcessMemory?: ProcessMemoryResolvers<ContextType>;
  BackupStats?: BackupStatsResolvers<ContextType>;
  BackupFile?: BackupFileResolvers<ContextType>;
  VectorSearchResult?: VectorSearchResultResolvers<ContextType>;
  SearchStats?: SearchStatsResolvers<ContextType>;
  VectorSearchResponse?: VectorSearchResponseResolvers<ContextType>;
  VectorCollectionStats?: VectorCollectionStatsResolvers<ContextType>;
  EncoderStats?: EncoderStatsResolvers<ContextType>;
  VectorStats?: VectorStatsResolvers<ContextType>;
  ReindexResult?: ReindexResultResolvers<ContextType>;
  CrossSearchResult?: CrossSearchResultResolvers<ContextType>;
  CrossSearchStats?: CrossSearchStatsResolvers<ContextType>;
  CrossSearchResponse?: CrossSearchResponseResolvers<ContextType>;
  Webhook?: WebhookResolvers<ContextType>;
  WebhookDeadLetter?: WebhookDeadLetterResolvers<ContextType>;
  WebhookTest?: WebhookTestResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = GraphqlContext> = {
  auth?: AuthDirectiveResolver<any, any, ContextType>;
  hasRole?: HasRoleDirectiveResolver<any, any, ContextType>;
};
