// A document service with a user who can sign in and one who is disabled. Arguments: its database, the cost of hashes,
// and their password.
import { startDocumentService } from '../../src/app/docs-service.ts';
import { loadSettings } from '../../src/app/settings/index.ts';
import { silentLog } from '../../src/lib/log.ts';
import { openDatabase, type Sql } from '../../src/storage/index.ts';
import { clientOf } from '../support/client.ts';

const [database = '', cost = '', password = ''] = process.argv.slice(2);
const local = '127.0.0.1:0';
const { settings } = loadSettings({
  env: {
    SVC_PATH: database,
    SVC_HTTP_ADDR: local,
    SVC_GRPC_ENABLED: 'false',
    SVC_MCP_ENABLED: 'false',
    SVC_AUTH_ENABLED: 'true',
    SVC_AUTH_JWT_SECRET: 'a secret for this measurement alone',
    SVC_AUTH_ADMIN_USERNAME: 'known',
    SVC_AUTH_ADMIN_PASSWORD: password,
  },
});
let sql: Sql | undefined;
const service = await startDocumentService({
  settings,
  log: silentLog,
  passwordCost: Number(cost),
  open: async (path) => (sql = await openDatabase({ path })),
});
await sql!.transaction((tx) =>
  tx.run(
    "INSERT INTO users(username, uid, token_id, password_hash, admin, disabled, created_at) SELECT 'locked', " +
      "'none', 'none', password_hash, 0, 1, created_at FROM users WHERE username = 'known'",
  )
);
// One successful login first, so that no first-time initialisation distorts the comparison.
const client = clientOf(service.url);
await client.post('/v1/auth/login', { username: 'known', password });
client.close();
process.send!(service.url);
process.once('message', () => void service.stop().then(() => process.exit()));
