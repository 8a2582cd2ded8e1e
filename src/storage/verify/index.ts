export { verifyDatabaseFile, type Verdict, type VerifyOptions } from './verify.ts';
