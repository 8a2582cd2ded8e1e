import { createClient, createConfig } from '../generated/docs/sdk/client/index.ts';
import * as functions from '../generated/docs/sdk/sdk.gen.ts';
import { consumerSuite } from './consumer.suite.ts';

consumerSuite('docs', { functions, createClient: (config) => createClient(createConfig(config)) }, 165);
