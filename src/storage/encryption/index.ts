export { openRow, sealBody, sealMeta, sealVector, openBody, openMeta, openVector } from './columns.ts';
export { KeyRing, type Key } from './key-ring.ts';
export { parseKeys, type KeyNames, type KeySettings } from './parse-keys.ts';
export { defineOpeners, layViews, liftViews, type ViewHost } from './reading-views.ts';
export { isSealed, isSealedText, keyIdOfHead, SEALED_BLOB, SEALED_META } from './record.ts';
export { MUST_BE_SEALED, ROW_MUST_BE_SEALED, NAMES_TO_BE_SEALED, refusePlaintext, SWITCH_PREFIX } from './required.ts';
export { openStream, sealStream } from './sealed-stream.ts';
export { sealerOf, type Sealer } from './sealer.ts';
export { countKeys, keyIdOfText, storedRows, type KeyCount, type StoredRow } from './stored-values.ts';
