import { storageSuite } from '../../testkit/storage-suite.ts';
import { SqlJs } from './driver.ts';

storageSuite('sql.js', () => SqlJs.open());
