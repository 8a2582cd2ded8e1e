export { type Verdict, verifyDatabaseFile, type VerifyOptions } from './verify.ts';
