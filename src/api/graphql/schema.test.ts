import { getDirective } from '@graphql-tools/utils';
import { buildSchema, getNamedType, type GraphQLField, type GraphQLInputObjectType, type GraphQLSchema,
  isInputObjectType, isObjectType, isSpecifiedScalarType, lexicographicSortSchema, parse, print, printSchema,
  visit } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { OperationId } from '../../../generated/docs/operations.ts';
import { inputFields } from '../../testkit/input-fields.ts';
import { createGraphqlApplication } from './application.ts';

/** The schema as decided, with the fields that report truncated results. */
const DECIDED_SDL = `
scalar JSONObject  scalar Time  scalar Long  scalar FilterValue
directive @auth on FIELD_DEFINITION
directive @hasRole(role: Role!) on FIELD_DEFINITION
enum Role { ADMIN USER }
type Document { id: ID! key: String! lang: String! meta: JSONObject! contentMd: String! addedAt: Time! updatedAt: Time! expiresAt: Time deletedAt: Time checksum: String vectors: JSONObject }
type DocumentEdge { cursor: String! node: Document! }
type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String totalCount: Int! }
type DocumentConnection { edges: [DocumentEdge!]! pageInfo: PageInfo! totalCount: Int! contextTruncated: Boolean! truncated: Boolean! nextOffset: Int nextCursor: String warnings: [String!]! }
type VectorSearchResult { document: Document! score: Float! rank: Int! distanceMeters: Float chunkIndex: Int chunkText: String startLine: Int endLine: Int }
type VectorSearchResponse { results: [VectorSearchResult!]! total: Int! model: String dimensions: Int contextTruncated: Boolean! reranked: Int facets: JSONObject facetsTruncated: Boolean! truncated: Boolean! nextOffset: Int nextCursor: String algorithm: String! distanceMetric: String! retrievalMode: String searchStats: SearchStats! warnings: [String!]! responsePrompt: String }
type SearchStats { durationMs: Int! }
type CrossSearchResult { collection: String! document: Document! score: Float! rank: Int! }
type CrossSearchStats { durationMs: Int! collectionsSearched: Int! }
type CrossSearchResponse { results: [CrossSearchResult!]! total: Int! targetCollections: [String!]! algorithm: String! distanceMetric: String! sourceCollection: String sourceDocID: String searchStats: CrossSearchStats! truncated: Boolean! nextOffset: Int }
type FTSResult { document: Document! score: Float! matchedTerms: [String!]! highlights: [Highlight!] pinned: Boolean! }
type FTSResponse { results: [FTSResult!]! total: Int! totalMatches: Int totalIsLowerBound: Boolean! algorithm: String! mode: String! lang: String! langs: [String!]! stemmingActive: Boolean! synonymsActive: Boolean! facets: JSONObject facetsTruncated: Boolean! spellCorrected: SpellCorrected responsePrompt: String contextTruncated: Boolean! truncated: Boolean! nextOffset: Int nextCursor: String suggestions: [String!]! droppedWords: [String!]! warnings: [String!]! }
type Highlight { field: String! valueIndex: Int fragment: String! matchedTerms: [String!]! startOffset: Int! endOffset: Int! startLine: Int! endLine: Int! }
type SpellCorrected { original: String! corrected: String! }
type HybridResult { document: Document! combinedScore: Float! ftsScore: Float! vectorScore: Float! ftsRank: Int vectorRank: Int matchedTerms: [String!]! highlights: [Highlight!] rank: Int! pinned: Boolean! distanceMeters: Float chunkIndex: Int chunkText: String startLine: Int endLine: Int }
type HybridSearchResponse { results: [HybridResult!]! total: Int! totalMatches: Int strategy: String! alpha: Float! rrfK: Int! ftsAlgorithm: String! vectorAlgorithm: String! distanceMetric: String! retrievalMode: String facets: JSONObject facetsTruncated: Boolean! warnings: [String!]! spellCorrected: SpellCorrected searchStats: SearchStats! responsePrompt: String contextTruncated: Boolean! reranked: Int truncated: Boolean! nextOffset: Int nextCursor: String }
type RecallResult { document: Document! score: Float! vectorScore: Float! rank: Int! sessionId: String! role: String! matchStrategy: String! }
type RecallResponse { results: [RecallResult!]! total: Int! strategy: String! query: String! contextTruncated: Boolean! reranked: Int truncated: Boolean! nextOffset: Int nextCursor: String warnings: [String!]! }
enum Fuzziness { EXACT ONE TWO AUTO }
enum PrefixMatching { NONE LAST }
enum MatchingStrategy { ANY ALL MOST }
enum Totals { EXACT BOUNDED NONE }
type CollectionStats { name: String! documentCount: Int! revisionCount: Int! metaIndexCount: Int! indexBytes: IndexBytes! }
type IndexBytes { fullText: Long vectors: Long columns: Long geo: Long spelling: Long }
type Stats { databasePath: String! databaseSize: Long! mode: String! collections: [CollectionStats!]! totalDocuments: Int! totalRevisions: Int! totalMetaIndices: Int! uptime: String! backups: BackupStats memory: ProcessMemory! }
type ProcessMemory { resident: Long! heap: Long! buffers: Long! mapped: Long! other: Long! }
type BackupStats { schedule: String! timezone: String! nextAt: Long lastGoodAt: Long lastDurationSeconds: Float lastSizeBytes: Long failures: Int! lastError: String files: [BackupFile!]! }
type BackupFile { name: String! at: Long! sizeBytes: Long! }
type VectorCollectionStats { collection: String! totalDocuments: Int! embeddedDocuments: Int! encodedChunks: Int }
type EncoderStats { model: String! dimensions: Int! default: Boolean! }
type VectorStats { enabled: Boolean! provider: String model: String dimensions: Int indexReady: Boolean! collections: [VectorCollectionStats!]! encoder: EncoderStats }
type ReindexResult { embedded: Int! skipped: Int! failed: Int! errors: [String!]! enabled: Boolean! provider: String model: String dimensions: Int indexReady: Boolean! collections: [VectorCollectionStats!]! }
type Webhook { id: ID! url: String! events: [String!]! collection: String! createdAt: Time! secretSet: Boolean! paused: Boolean! pauseReason: String lastError: String deadLetters: Int! }
type WebhookDeadLetter { deliveryId: ID! webhookId: ID! event: String! collection: String! key: String! lang: String! docId: String! timestamp: Time! attempts: Int! httpStatus: Int error: String! failedAt: Time! }
type WebhookTest { deliveryId: ID! url: String! ok: Boolean! httpStatus: Int error: String durationMs: Int! }
type Schema { collection: String! schema: String! enabled: Boolean! }
type ValidationResult { valid: Boolean! errors: [String!]! warnings: [String!]! }
type AuthPayload { token: String! expiresAt: Time! sessionEndsAt: Time! mustChangePassword: Boolean! }
type User { username: String! admin: Boolean! createdAt: Time! disabled: Boolean! groups: [String!]! roles: [String!]! mustChangePassword: Boolean! oidcSubject: String }
type APIKey { key: String! description: String! createdAt: Time! expiresAt: Time! keyHash: String! collections: [String!] operations: [String!] }
type PasswordReset { username: String! token: String! expiresAt: Time! }
type AccessRole { name: String! description: String! builtIn: Boolean! permissions: [RolePermission!]! }
type RolePermission { collection: String! read: Boolean! write: Boolean! admin: Boolean! }
type AccessExplanation { username: String! disabled: Boolean! admin: Boolean! permissions: [EffectivePermission!]! decision: AccessDecision }
type EffectivePermission { collection: String! read: Boolean! write: Boolean! admin: Boolean! sources: [AccessSource!]! }
type AccessSource { kind: String! name: String! group: String read: Boolean! write: Boolean! admin: Boolean! }
type AccessDecision { operation: String! allowed: Boolean! reason: String! }
type Group { name: String! description: String! members: [String!]! createdAt: Time! roles: [String!]! }
type UserPermission { username: String! collection: String! read: Boolean! write: Boolean! admin: Boolean! }
type GroupPermission { groupName: String! collection: String! read: Boolean! write: Boolean! admin: Boolean! }
type BatchAddResult { added: Int! updated: Int! failed: Int! errors: [String!]! embeddingDropped: Int }
type IngestResult { added: Int! updated: Int! skipped: Int! failed: Int! errors: [String!]! collection: String! durationMs: Int! profile: String keyCollisions: [String!] }
type CodeGraphNode { key: String! docId: String! lang: String language: String depth: Int! }
type CodeGraphEdge { from: String! to: String! kind: String! symbol: String! direction: String! fromLine: Int toLine: Int }
type CodeGraph { collection: String! root: String! direction: String! depth: Int! nodes: [CodeGraphNode!]! edges: [CodeGraphEdge!]! truncated: Boolean! }
type Revision { revision: Int! timestamp: Time! updatedAt: Time! contentMd: String! meta: JSONObject! }
type RevisionList { collection: String! key: String! lang: String! revisions: [Revision!]! total: Int! deletedAt: Time truncated: Boolean! nextOffset: Int }
type Completion { term: String! field: String! docCount: Int! }
type Completions { items: [Completion!]! total: Int! query: String! field: String! }
type Aggregation { collection: String! totalDocs: Int! facets: JSONObject! histograms: JSONObject! geohashes: [GeohashCount!] facetsTruncated: Boolean! durationMs: Int! }
type GeohashCount { geohash: String! lat: Float! lng: Float! count: Int! }
input MetaInput { key: String! values: [String!]! }
input AddDocumentInput { collection: String! key: String! lang: String! meta: [MetaInput!] contentMd: String! ttl: Int saveRevision: Boolean ifChecksum: String vectors: JSONObject }
input UpdateDocumentInput { collection: String! key: String! lang: String! meta: [MetaInput!] contentMd: String ttl: Int ifChecksum: String vectors: JSONObject }
input SearchInput { collection: String! filterMeta: [MetaInput!] filter: FilterInput langs: [String!] partial: Boolean rangeMeta: [RangeInput!] sort: String asc: Boolean limit: Int topK: Int cursor: String offset: Int deleted: Boolean contextTokenBudget: Int }
input GeoCircleInput { lat: Float! lng: Float! radiusMeters: Float! }
input FilterInput { text: String and: [FilterInput!] or: [FilterInput!] not: FilterInput field: String eq: FilterValue ne: FilterValue gt: FilterValue gte: FilterValue lt: FilterValue lte: FilterValue in: [FilterValue!] notIn: [FilterValue!] startsWith: String exists: Boolean }
input VectorSearchInput { collection: String! query: String queryVector: [Float!] topK: Int limit: Int offset: Int contextTokenBudget: Int threshold: Float filterMeta: [MetaInput!] filter: FilterInput langs: [String!] partial: Boolean rangeMeta: [RangeInput!] boost: JSONObject geo: GeoCircleInput includeContent: Boolean rerank: String sort: String cursor: String algorithm: String distanceMetric: String retrievalMode: String windowSize: Int oversample: Float mmr: Boolean mmrLambda: Float facetBy: [String!] facetMaxValues: Int passagesPerDocument: Int vectorField: String queryVectors: [[Float!]!] querySparse: SparseVectorInput vectorFields: [WeightedFieldInput!] }
input WeightedFieldInput { field: String! weight: Float vector: [Float!] vectors: [[Float!]!] sparse: SparseVectorInput }
input SparseVectorInput { indices: [Float!]! values: [Float!]! }
input SimilarInput { collection: String! key: String! lang: String topK: Int limit: Int offset: Int contextTokenBudget: Int threshold: Float filterMeta: [MetaInput!] filter: FilterInput langs: [String!] partial: Boolean rangeMeta: [RangeInput!] boost: JSONObject geo: GeoCircleInput includeContent: Boolean sort: String cursor: String algorithm: String distanceMetric: String facetBy: [String!] facetMaxValues: Int mmr: Boolean mmrLambda: Float vectorField: String }
input FTSInput { collection: String! query: String! limit: Int topK: Int filter: FilterInput langs: [String!] partial: Boolean sort: String cursor: String offset: Int contextTokenBudget: Int fuzzy: Fuzziness prefix: PrefixMatching matchingStrategy: MatchingStrategy totals: Totals rerank: Boolean geo: GeoCircleInput algorithm: String mode: String distance: Int lang: String disableStem: Boolean disableSynonyms: Boolean fieldWeights: JSONObject filterMeta: [MetaInput!] rangeMeta: [RangeInput!] boost: JSONObject highlight: Boolean highlightTag: String highlightEscape: String maxHighlights: Int fragmentSize: Int facetBy: [String!] facetMaxValues: Int mmr: Boolean mmrLambda: Float }
input AggregateInput { collection: String! filterMeta: [MetaInput!] filter: FilterInput langs: [String!] geo: GeoCircleInput geohash: GeohashInput facets: [FacetInput!] histograms: [HistogramInput!] maxFacetSize: Int }
input GeohashInput { precision: Int size: Int }
input FacetInput { field: String! orderBy: String }
input HistogramInput { field: String! interval: String }
input RangeInput { field: String! gte: FilterValue lte: FilterValue gt: FilterValue lt: FilterValue }
input HybridSearchInput { collection: String! query: String! topK: Int limit: Int offset: Int cursor: String sort: String algorithm: String vectorAlgorithm: String alpha: Float strategy: String rrfK: Int fuzzy: Fuzziness prefix: PrefixMatching matchingStrategy: MatchingStrategy threshold: Float distanceMetric: String filterMeta: [MetaInput!] filter: FilterInput langs: [String!] partial: Boolean rangeMeta: [RangeInput!] geo: GeoCircleInput includeContent: Boolean disableStem: Boolean disableSynonyms: Boolean boost: JSONObject facetBy: [String!] facetMaxValues: Int totals: Totals highlight: Boolean highlightTag: String highlightEscape: String maxHighlights: Int fragmentSize: Int retrievalMode: String windowSize: Int oversample: Float contextTokenBudget: Int rerank: String mmr: Boolean mmrLambda: Float passagesPerDocument: Int vectorField: String queryVector: [Float!] queryVectors: [[Float!]!] querySparse: SparseVectorInput }
input RecallInput { query: String! userId: String sessionId: String role: String topK: Int limit: Int offset: Int cursor: String sort: String threshold: Float strategy: String alpha: Float filterMeta: [MetaInput!] filter: FilterInput langs: [String!] rangeMeta: [RangeInput!] includeContent: Boolean contextTokenBudget: Int rerank: String mmr: Boolean mmrLambda: Float }
input CrossSearchInput { query: String queryVector: [Float!] sourceCollection: String sourceDocID: String targetCollections: [String!] vectorField: String topK: Int limit: Int offset: Int threshold: Float algorithm: String distanceMetric: String filterMeta: [MetaInput!] filter: FilterInput langs: [String!] rangeMeta: [RangeInput!] boost: JSONObject includeContent: Boolean }
input CodeGraphInput { collection: String! key: String! direction: String depth: Int maxDegree: Int lines: Boolean }
input AddBatchDocumentInput { key: String! lang: String! contentMd: String! meta: [MetaInput!] saveRevision: Boolean vectors: JSONObject }
input IngestDocumentInput { url: String key: String lang: String! contentMd: String! meta: [MetaInput!] extractFrontmatter: Boolean scrapedAt: Int scraper: String ttl: Int vectors: JSONObject }
input IngestOptionsInput { skipDuplicates: Boolean skipEmbeddings: Boolean skipFts: Boolean skipWebhooks: Boolean autoConfigureCollection: Boolean saveRevision: Boolean profile: String textOnly: Boolean keyFrom: String }
input RegisterWebhookInput { url: String! events: [String!]! collection: String secret: String }
input UpdateWebhookInput { id: ID! url: String events: [String!] collection: String secret: String paused: Boolean }
input SetSchemaInput { collection: String! schema: String! }
input CreateAPIKeyInput { description: String expiresAt: Time collections: [String!] operations: [String!] }
input UpdateUserInput { username: String! disabled: Boolean admin: Boolean mustChangePassword: Boolean oidcSubject: String }
input SetRoleInput { name: String! description: String permissions: [RolePermissionInput!] }
input RolePermissionInput { collection: String! read: Boolean write: Boolean admin: Boolean }
input CreateGroupInput { name: String! description: String members: [String!] }
input SetPermissionInput { username: String! collection: String! read: Boolean! write: Boolean! admin: Boolean! }
input SetGroupPermissionInput { groupName: String! collection: String! read: Boolean! write: Boolean! admin: Boolean! }
type Query {
  me: User! @auth
  document(collection: String!, key: String!, lang: String!, env: JSONObject, fallbackLangs: [String!]): Document @auth
  search(input: SearchInput!): DocumentConnection @auth
  revisions(collection: String!, key: String!, lang: String!, limit: Int, offset: Int): RevisionList @auth
  vectorSearch(input: VectorSearchInput!): VectorSearchResponse @auth
  similar(input: SimilarInput!): VectorSearchResponse @auth
  fts(input: FTSInput!): FTSResponse @auth
  autocomplete(collection: String!, q: String!, field: String, topN: Int): Completions! @auth
  aggregateDocuments(input: AggregateInput!): Aggregation! @auth
  hybridSearch(input: HybridSearchInput!): HybridSearchResponse @auth
  crossSearch(input: CrossSearchInput!): CrossSearchResponse @auth
  recall(input: RecallInput!): RecallResponse @auth
  codeGraph(input: CodeGraphInput, collection: String, key: String, direction: String, depth: Int, lines: Boolean): CodeGraph @auth
  stats: Stats @auth
  vectorStats: VectorStats @auth
  schema(collection: String!): Schema @auth
  schemas(offset: Int, limit: Int): [Schema!]! @auth
  webhooks(collection: String, offset: Int, limit: Int): [Webhook!]! @auth @hasRole(role: ADMIN)
  webhookDeadLetters(webhookId: ID, offset: Int, limit: Int): [WebhookDeadLetter!]! @auth @hasRole(role: ADMIN)
  users(offset: Int, limit: Int): [User!]! @auth @hasRole(role: ADMIN)
  groups(offset: Int, limit: Int): [Group!]! @auth @hasRole(role: ADMIN)
  userPermissions(username: String!, offset: Int, limit: Int): [UserPermission!]! @auth @hasRole(role: ADMIN)
  groupPermissions(groupName: String!, offset: Int, limit: Int): [GroupPermission!]! @auth @hasRole(role: ADMIN)
  roles(offset: Int, limit: Int): [AccessRole!]! @auth @hasRole(role: ADMIN)
  explainAccess(username: String!, operation: String, collection: String): AccessExplanation! @auth @hasRole(role: ADMIN)
}
type Mutation {
  login(username: String!, password: String!): AuthPayload!
  addDocument(input: AddDocumentInput!): Document! @auth
  updateDocument(input: UpdateDocumentInput!): Document! @auth
  deleteDocument(collection: String!, key: String!, lang: String!, purge: Boolean, ifChecksum: String): Boolean! @auth
  restoreRevision(collection: String!, key: String!, lang: String!, revision: Int, timestamp: Time, ifChecksum: String): Document! @auth
  deleteCollection(collection: String!): Int! @auth
  vectorReindex(collection: String!, force: Boolean, vectorField: String): ReindexResult! @auth
  addBatch(collection: String!, documents: [AddBatchDocumentInput!]!, saveRevision: Boolean): BatchAddResult! @auth
  ingestDocuments(collection: String!, documents: [IngestDocumentInput!]!, options: IngestOptionsInput): IngestResult! @auth
  setTTL(collection: String!, key: String!, lang: String!, ttl: Int!, ifChecksum: String): Document! @auth
  importURL(collection: String!, url: String!, key: String, lang: String!, meta: [MetaInput!], ttl: Int): Document! @auth
  validateDocument(collection: String!, meta: [MetaInput!]!): ValidationResult! @auth
  createAPIKey(input: CreateAPIKeyInput!): APIKey! @auth
  registerWebhook(input: RegisterWebhookInput!): Webhook! @auth @hasRole(role: ADMIN)
  updateWebhook(input: UpdateWebhookInput!): Webhook! @auth @hasRole(role: ADMIN)
  redeliverWebhooks(deliveryId: ID, webhookId: ID): Int! @auth @hasRole(role: ADMIN)
  testWebhook(id: ID!): WebhookTest! @auth @hasRole(role: ADMIN)
  deleteWebhook(id: ID!): Boolean! @auth @hasRole(role: ADMIN)
  setSchema(input: SetSchemaInput!): Boolean! @auth @hasRole(role: ADMIN)
  deleteSchema(collection: String!): Boolean! @auth @hasRole(role: ADMIN)
  register(username: String!, password: String!, admin: Boolean, mustChangePassword: Boolean): User! @auth @hasRole(role: ADMIN)
  createGroup(input: CreateGroupInput!): Group! @auth @hasRole(role: ADMIN)
  updateGroup(name: String!, description: String!, members: [String!]!): Group! @auth @hasRole(role: ADMIN)
  deleteGroup(name: String!): Boolean! @auth @hasRole(role: ADMIN)
  setPermission(input: SetPermissionInput!): Boolean! @auth @hasRole(role: ADMIN)
  setGroupPermission(input: SetGroupPermissionInput!): Boolean! @auth @hasRole(role: ADMIN)
  refreshSession: AuthPayload! @auth
  logout(everywhere: Boolean): Boolean! @auth
  changePassword(oldPassword: String!, newPassword: String!): AuthPayload! @auth
  createPasswordReset(username: String!, expiresIn: Int): PasswordReset! @auth @hasRole(role: ADMIN)
  redeemPasswordReset(username: String!, token: String!, newPassword: String!): String!
  updateUser(input: UpdateUserInput!): User! @auth @hasRole(role: ADMIN)
  revokeAPIKey(keyHash: String!): Boolean! @auth
  setRole(input: SetRoleInput!): AccessRole! @auth @hasRole(role: ADMIN)
  deleteRole(name: String!): Boolean! @auth @hasRole(role: ADMIN)
  setUserRoles(username: String!, roles: [String!]!): User! @auth @hasRole(role: ADMIN)
  setGroupRoles(name: String!, roles: [String!]!): Group! @auth @hasRole(role: ADMIN)
}
`;

const built = createGraphqlApplication().schema;
const decided = buildSchema(DECIDED_SDL);

/** Each field's guards, such as `Query.users @auth @hasRole(role: ADMIN)`; a printed schema does not contain them. */
function guards(schema: GraphQLSchema): string[] {
  const lines = Object.values(schema.getTypeMap()).filter(isObjectType).flatMap((type) =>
    Object.values(type.getFields()).map((field) => {
      const role = getDirective(schema, field, 'hasRole')?.[0]?.['role'] as string | undefined;
      return `${type.name}.${field.name}${getDirective(schema, field, 'auth') ? ' @auth' : ''}${
        role ? ` @hasRole(role: ${role})` : ''
      }`;
    })
  );
  return lines.filter((line) => line.includes('@')).sort();
}

/** The operation that a field of a root calls: its description names it in parentheses. */
const operationOf = ({ description }: GraphQLField<unknown, unknown>): OperationId =>
  /\(`(\w+)`/.exec(description ?? '')![1] as OperationId;

/** Names of a field's arguments, with those of an argument `input` instead of it. */
function namesIn({ args }: GraphQLField<unknown, unknown>): string[] {
  return args.flatMap((
    { name, type },
  ) => (name === 'input' ? Object.keys((getNamedType(type) as GraphQLInputObjectType).getFields()) : [name]));
}

/** Fields of operations that no argument stands for, by their name or by `OPERATION.FIELD`, each with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  ifMatch: 'a header of HTTP; ifChecksum says it',
  ifNoneMatch: 'a header of HTTP',
  group: 'another name of groupName',
  fields: 'a query selects fields',
  'searchDocuments.includeContent': 'a query selects contentMd',
  'searchFullText.includeContent': 'a query selects contentMd',
  'listRevisions.includeContent': 'a query selects contentMd',
  includeVectors: 'a query selects vectors',
};

const withoutDescriptions = (sdl: string): string =>
  print(
    visit(parse(sdl), { enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined) }),
  );

describe('the schema (decisions, section 4.13)', () => {
  it('has the decided types, fields, arguments and directives, and no others', () => {
    const shape = (schema: GraphQLSchema): string => withoutDescriptions(printSchema(lexicographicSortSchema(schema)));
    expect(shape(built)).toBe(shape(decided));
  });

  it('guards the decided fields, and no others', () => {
    expect(guards(built)).toEqual(guards(decided));
    expect(guards(built)).toHaveLength(60);
  });

  it('takes every field of the operations, or leaves it out for a reason', () => {
    const roots = [built.getQueryType()!, built.getMutationType()!].flatMap((type) => Object.values(type.getFields()));
    const missing = roots.flatMap((field) => {
      const [operation, names] = [operationOf(field), namesIn(field)];
      return inputFields(operation).filter((name) => !names.includes(name)).map((name) =>
        [name, `${operation}.${name}`] as const
      );
    });
    expect(missing.filter((names) => !names.some((name) => name in LEFT_OUT)).map(([, name]) => name)).toEqual([]);
    expect(Object.keys(LEFT_OUT).filter((name) => !missing.flat().includes(name))).toEqual([]);
  });

  it('describes every type, field, argument and directive of its own', () => {
    const missing: string[] = [];
    const look = (name: string, described: { description?: string | null | undefined }): void =>
      void (described.description || missing.push(name));
    for (const type of Object.values(built.getTypeMap())) {
      if (type.name.startsWith('__') || isSpecifiedScalarType(type)) continue;
      look(type.name, type);
      if (!isObjectType(type) && !isInputObjectType(type)) continue;
      for (const field of Object.values(type.getFields())) {
        look(`${type.name}.${field.name}`, field);
        if ('args' in field) { for (const arg of field.args) look(`${type.name}.${field.name}(${arg.name})`, arg); }
      }
    }
    expect(missing).toEqual([]);
  });
});
