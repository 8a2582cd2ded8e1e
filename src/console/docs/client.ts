import { client } from '../../../generated/docs/sdk/client.gen.ts';
import { credentialFor } from '../shared/session.ts';

/** The console calls the server that it was loaded from, with the credential of this tab. */
client.setConfig({ baseUrl: '', auth: credentialFor });
